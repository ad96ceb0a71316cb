/** Holds what the auth surface answers against its description: each field, each status and each code. */
import { isDeepStrictEqual } from 'node:util'
import { errorCodes, type ErrorCode } from '../../auth/errors.ts'
import { errorsOf } from '../../description/auth.ts'
import { routes } from '../../auth/features/routes.ts'

const described = new Map(routes.map((row) => [`${row.method} ${row.path}`, { row, errors: new Set(errorsOf(row)) }]))

/**
 * @param path below /api/auth, with or without a query
 * @param body the parsed JSON; what is no JSON is a page, and is not looked at
 * @throws Error that names the route and what it says nothing of
 */
export function expectDescribed(method: string, path: string, { status, body, headers }: { status: number, body: unknown, headers: Headers }): void {
  const name = `${method} ${path.split('?', 1)[0]}`
  const route = described.get(name)
  if (route === undefined || headers.get('content-type')?.includes('json') !== true) return
  if (status < 300) {
    // metadata that an early version stored may have such a field, which no schema carries on
    const given: unknown = JSON.parse(JSON.stringify(body), (key, value: unknown) => (key === '__proto__' ? undefined : value))
    const parsed = route.row.output.safeParse(given)
    // what the schema does not name is missing in what it made of the answer
    if (!parsed.success || !isDeepStrictEqual(parsed.data, given)) {
      throw new Error(`${name} answers something else than its row's schema: ${JSON.stringify(body)} ${parsed.error?.message ?? ''}`)
    }
    return
  }
  const code = (body as { error?: ErrorCode }).error
  if (code === undefined || errorCodes[code][0] !== status || !route.errors.has(code))
    throw new Error(`${name} may not refuse with ${status} ${code}, says its description.`)
}
