/**
 * Tells the database what a list needs to read only its page. PostgreSQL finds a page in order by
 * the index of one tenant. So the edge names the tenant of a read if only one is visible. It names
 * the last row of a page that shows two tenants: db/transactions/pages.sql. Both only narrow what
 * the row rules show. No I/O.
 */
import type { Visible } from './callers.ts'
import { ownedTables } from './columns.ts'

/** A read as PostgREST receives it. `page` is the value of the header x-page. */
export type List = { path: string, page: string | undefined }

/** The header that names a page. The edge removes it from requests of clients. */
export const pageHeader = 'x-page'

type Parameters = { name: string, value: string }[]

/**
 * Returns the parameters of a query. PostgREST also separates them by a semicolon, and keeps a
 * percent sign that begins no byte.
 */
const parametersOf = (query: string): Parameters =>
  [...new URLSearchParams(query.replaceAll(';', '&'))].map(([name, value]) => ({ name, value }))

/**
 * Returns the tenants whose rows a read can show: the visible ones, without those that its filters
 * on the organization exclude.
 */
function tenantsOf({ personal, team }: Visible, parameters: Parameters): string[] {
  const filters = parameters.filter(({ name }) => name === 'organization_id').map(({ value }) =>
    value
  )
  return [personal, team].filter((tenant) => tenant !== undefined).filter((tenant) =>
    filters.every((filter) =>
      filter === 'is.null'
        ? tenant === personal
        : !filter.startsWith('eq.') || tenant === `o:${filter.slice('eq.'.length)}`
    )
  )
}

/** Parameters that leave the rows of a list as they are, and end its page. */
const ofPage = new Set(['select', 'order', 'limit', 'offset'])

/**
 * Returns the last row number of a page of transactions, newest first. Undefined for another order,
 * with filters, and without a limit.
 */
function lastRowOf(parameters: Parameters, hasOrder: boolean): number | undefined {
  const valuesOf = (name: string) =>
    parameters.filter((one) => one.name === name).map(({ value }) => value)
  const [orders, limits, offsets] = [valuesOf('order'), valuesOf('limit'), valuesOf('offset')]
  const isNewestFirst = orders.length === 0
    ? !hasOrder
    : orders.length === 1 && /^transaction_date\.desc(,|$)/.test(orders[0] ?? '')
  const isPlain = parameters.every(({ name }) => ofPage.has(name)) &&
    !/!inner|transactions/.test(valuesOf('select').join())
  if (!isNewestFirst || !isPlain || limits.length !== 1 || offsets.length > 1) return undefined
  const last = Number(limits[0]) + Number(offsets[0] ?? 0)
  return Number.isInteger(last) && last < 1e8 ? last : undefined
}

const list = /^\/(?<name>(?:rpc\/)?\w+)(?:\?(?<query>[^?]*))?$/

/**
 * Returns a request as PostgREST receives it.
 * @param prefer the header Prefer: a count needs all rows
 * @param visible the caller's tenants; undefined without a token
 */
export function listOf(
  method: string,
  path: string,
  prefer: string | undefined,
  visible: Visible | undefined,
): List {
  const { name = '', query = '' } = list.exec(path)?.groups ?? {}
  const isPage = !/\bcount\s*=/i.test(prefer ?? '')
  if (
    name === 'rpc/get_filtered_transactions' && isPage && (method === 'GET' || method === 'POST')
  ) {
    const last = lastRowOf(
      parametersOf(query).filter((parameter) => parameter.name !== 'filters'),
      false,
    )
    return { path, page: last === undefined ? undefined : `get_filtered_transactions ${last}` }
  }
  if (visible === undefined || !ownedTables.has(name) || (method !== 'GET' && method !== 'HEAD'))
    return { path, page: undefined }
  const parameters = parametersOf(query)
  if (parameters.some((parameter) => parameter.name === 'tenant')) return { path, page: undefined }
  const [tenant, ...others] = tenantsOf(visible, parameters)
  if (tenant === undefined) return { path, page: undefined }
  if (others.length === 0)
    return {
      path: `/${name}?${query === '' ? '' : `${query}&`}tenant=eq.${encodeURIComponent(tenant)}`,
      page: undefined,
    }
  const last = name === 'transactions' && isPage ? lastRowOf(parameters, true) : undefined
  return { path, page: last === undefined ? undefined : `transactions ${last}` }
}

/** Returns a path of PostgREST's response without the tenant that listOf() has named. */
export const withoutTenant = (path: string): string =>
  path.replace(
    /([?&])tenant=eq\.[^&]*(&?)/,
    (_, start: string, next: string) => next === '' ? '' : start,
  )
