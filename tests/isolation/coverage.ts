/**
 * The coverage of the matrix: each route, and each exposed table and function, for each kind of
 * caller without the right to it. Pure.
 */
import type { z } from 'zod'
import type { Route } from '../../http/route.ts'
import type { Case } from './cases.ts'
import type { Catalogue } from './catalogue.ts'
import { objectFields, teamRoutes } from './routes.ts'

/**
 * Fields with a secret that another person would have to know. routes.test.ts sends only invented
 * ones.
 */
const secretFields = ['token', 'ticket', 'secret', 'code', 'state', 'response']

/**
 * Returns the routes and kinds of callers that routes.test.ts leaves out. It sends every route
 * without a session and with an API key.
 */
export const uncoveredRoutes = (routes: Route[]): string[] =>
  routes.flatMap(({ method, path, input }) => {
    const shape = 'shape' in input ? input.shape as Record<string, z.ZodType> : {}
    const fields = Object.keys(shape)
    const names = fields.filter((field) =>
      secretFields.includes(field) || field.endsWith('Id') && field !== 'userId'
    )
    const isKnown = (field: string) => objectFields.some((known) => known === field)
    // A secret that may be left out adds a right. The id beside it names the object.
    const isForeign = names.every((field) =>
      isKnown(field) || names.some(isKnown) && shape[field]?.safeParse(undefined).success === true
    )
    const isOfTeam = fields.includes('organizationId')
    return [
      ...(isForeign ? [] : [`${method} ${path}: another person`]),
      ...(!isOfTeam || `${method} ${path}` in teamRoutes ? [] : [`${method} ${path}: lower role`]),
    ]
  }).toSorted()

/**
 * The case of each kind of caller. `isForeign` is true if the request names or would create a row
 * of another tenant.
 */
const callers: Record<string, (one: Case, isForeign: boolean) => boolean> = {
  'no session': ({ actor: { caller } }) => caller.kind === 'anonymous',
  'another person': ({ actor: { caller } }, isForeign) => caller.kind === 'user' && isForeign,
  'lower role': ({ actor: { caller } }) => caller.kind === 'user' && caller.role === 'viewer',
  'API key': ({ actor: { caller } }) => caller.kind === 'user' && caller.key !== undefined,
}

const foreign = /other|colleague|forged/

/**
 * Returns the commands on tables, the functions and the kinds of callers that the matrix leaves
 * out.
 */
export function uncoveredObjects({ tables, functions }: Catalogue, cases: Case[]): string[] {
  const objects = [
    ...tables.flatMap(({ name }) =>
      (['select', 'insert', 'update', 'delete'] as const).map((command) => ({
        table: name,
        command,
      }))
    ),
    ...functions.map((name) => ({ table: `${name}()`, command: 'call' as const })),
  ]
  const ofObject = Map.groupBy(cases, ({ table, command }) => `${table} ${command}`)
  return objects.flatMap(({ table, command }) => {
    const found = ofObject.get(`${table} ${command}`) ?? []
    // Most functions name no row. Their results are compared with the rows that the caller may see.
    const isForeign = ({ operation, target }: Case) =>
      command === 'call' || foreign.test(`${operation} ${target}`)
    return Object.entries(callers).filter(([, fits]) =>
      !found.some((one) => fits(one, isForeign(one)))
    ).map(([caller]) => `${table} ${command}: ${caller}`)
  }).toSorted()
}
