/**
 * Compares responses of the auth surface with its OpenAPI description: fields, statuses and error
 * codes.
 */
import { isDeepStrictEqual } from 'node:util'
import { errorCodes, type ErrorCode } from '../../common/error-codes.ts'
import { errorsOf } from '../../http/description.ts'
import { routes } from '../../auth/rooms.ts'

const described = new Map(
  routes.map((row) => [`${row.method} ${row.path}`, { row, errors: new Set(errorsOf(row)) }]),
)

/**
 * Throws an error if the response differs from the route's description. Ignores pages and other
 * responses that are not JSON.
 * @param path below /api/auth, with or without a query
 * @param body the parsed JSON
 */
export function expectMatchesDescription(
  method: string,
  path: string,
  { status, body, headers }: { status: number, body: unknown, headers: Headers },
): void {
  const name = `${method} ${path.split('?', 1)[0]}`
  const route = described.get(name)
  if (route === undefined || headers.get('content-type')?.includes('json') !== true) return
  if (status < 300) {
    // Metadata of early versions may contain this field, and schemas drop it.
    const actual: unknown = JSON.parse(
      JSON.stringify(body),
      (key, value: unknown) => (key === '__proto__' ? undefined : value),
    )
    const parsed = route.row.output.safeParse(actual)
    // The schema drops fields that it does not name.
    if (!parsed.success || !isDeepStrictEqual(parsed.data, actual)) {
      throw new Error(
        `The response of ${name} differs from its schema: ${JSON.stringify(body)} ${
          parsed.error?.message ?? ''
        }`,
      )
    }
    return
  }
  const code = (body as { error?: ErrorCode }).error
  if (code === undefined || errorCodes[code][0] !== status || !route.errors.has(code))
    throw new Error(`The description of ${name} does not list ${status} ${code}.`)
}
