/** How our code inside the engine refuses a request. */
import { APIError } from 'better-auth/api'
import { catalogue, type ErrorCode } from '../errors.ts'

/** An error thrown inside the engine; serve-route.ts turns its code into the contract's body. */
export function refuse(code: ErrorCode, retryAfterSeconds?: number): never {
  const [status, message] = catalogue[code]
  throw new APIError(status, { code, message }, retryAfterSeconds === undefined ? {} : { 'x-retry-after': String(retryAfterSeconds) })
}
