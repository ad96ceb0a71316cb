/** What of the transactions is shown: as the address of the page has it, as a query of rows, and as reports take it. */
import { currencyPattern, dayPattern, matching, there } from '../app/search.ts'

import { isDay } from '../locale/days.ts'

export const statuses = ['paid', 'pending', 'failed'] as const
export type Status = (typeof statuses)[number]

/** Columns that a list can be sorted by; a `-` before one is downwards. */
export const sorts = ['-transaction_date', 'transaction_date', '-amount', 'amount', 'name', '-name'] as const
export type Sort = (typeof sorts)[number]

/** Where nothing is chosen: the newest first. */
export const usualSort: Sort = '-transaction_date'

/** `none` is for rows that have no category, or no account. */
export type Shown = {
  search?: string | undefined
  category?: string | undefined
  account?: string | undefined
  tag?: string | undefined
  status?: Status | undefined
  currency?: string | undefined
  from?: string | undefined
  to?: string | undefined
  sort?: Sort | undefined
}

const oneOf = <Choice extends string>(value: unknown, choices: readonly Choice[]) => choices.find((choice) => choice === value)

const reference = /^(?:none|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/
const dayIn = (value: unknown) => {
  const text = matching(value, dayPattern)
  return text !== undefined && isDay(text) ? text : undefined
}

/** Takes from an address what can be shown, and leaves out the rest: anybody may have written it. */
export function shownOf(search: Record<string, unknown>): Shown {
  return there({
    search: matching(search['search'], /^.{1,200}$/),
    category: matching(search['category'], reference),
    account: matching(search['account'], reference),
    tag: matching(search['tag'], /^.{1,255}$/),
    status: oneOf(search['status'], statuses),
    currency: matching(search['currency'], currencyPattern),
    from: dayIn(search['from']),
    to: dayIn(search['to']),
    sort: oneOf(search['sort'], sorts),
  })
}

/** Whether anything is left out of the list. */
export const isFiltered = (shown: Shown): boolean => Object.entries(shown).some(([field, value]) => field !== 'sort' && value !== undefined)

/** Of the filters that reports take, those that are asked here. */
type ReportFilter =
  | { field: 'search', operation: 'contains', value: string }
  | { field: 'category_id' | 'account_id' | 'tag' | 'status' | 'currency', operation: 'eq', value: string }
  | { field: 'category_id' | 'account_id', operation: 'is_null', value: true }
  | { field: 'transaction_date', operation: 'from' | 'to', value: string }

/** The same rows for reports. */
export function reportFilters({ search, category, account, tag, status, currency, from, to }: Shown): ReportFilter[] {
  const filters: ReportFilter[] = []
  if (search !== undefined) filters.push({ field: 'search', operation: 'contains', value: search })
  for (const [field, value] of [['category_id', category], ['account_id', account]] as const) {
    if (value === 'none') filters.push({ field, operation: 'is_null', value: true })
    else if (value !== undefined) filters.push({ field, operation: 'eq', value })
  }
  if (tag !== undefined) filters.push({ field: 'tag', operation: 'eq', value: tag })
  if (status !== undefined) filters.push({ field: 'status', operation: 'eq', value: status })
  if (currency !== undefined) filters.push({ field: 'currency', operation: 'eq', value: currency })
  if (from !== undefined) filters.push({ field: 'transaction_date', operation: 'from', value: from })
  if (to !== undefined) filters.push({ field: 'transaction_date', operation: 'to', value: to })
  return filters
}

/** What a query of postgrest-js can be narrowed with. */
export type Narrowable = {
  eq: (column: string, value: string) => unknown
  is: (column: string, value: null) => unknown
  gte: (column: string, value: string) => unknown
  lte: (column: string, value: string) => unknown
  lt: (column: string, value: string) => unknown
  or: (conditions: string) => unknown
  order: (column: string, options: { ascending: boolean }) => unknown
}

/** A value inside of `or`, where commas and brackets mean something. */
const quoted = (value: string | number) => `"${String(value).replace(/["\\]/g, '\\$&')}"`

/** Text that stands for itself within a pattern. */
const literal = (text: string) => text.replace(/[\\%_]/g, '\\$&')

const hoursAfter = (date: string, hours: number) => new Date(Date.parse(`${date}T00:00:00Z`) + hours * 3_600_000).toISOString()

const nextDay = (date: string) => new Date(Date.parse(`${date}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10)

/** The rows that are shown. A tag is asked of the embedded `tagged:tags!inner(name)`. */
export function narrowed<Query extends Narrowable>(query: Query, { search, category, account, tag, status, currency, from, to }: Shown): Query {
  if (search !== undefined) {
    const pattern = quoted(`*${literal(search)}*`)
    query.or(['name', 'description', 'reference_no'].map((column) => `${column}.ilike.${pattern}`).join())
  }
  for (const [column, value] of [['category_id', category], ['account_id', account]] as const) {
    if (value === 'none') query.is(column, null)
    else if (value !== undefined) query.eq(column, value)
  }
  if (tag !== undefined) query.eq('tagged.name', tag)
  if (status !== undefined) query.eq('status', status)
  if (currency !== undefined) query.eq('currency', currency)
  if (from !== undefined || to !== undefined) {
    const booked = [from !== undefined && `booked_on.gte.${from}`, to !== undefined && `booked_on.lte.${to}`]
    const moments = [from !== undefined && `transaction_date.gte.${from}`, to !== undefined && `transaction_date.lt.${nextDay(to)}`]
    query.or(`and(${booked.filter(Boolean).join()}),and(booked_on.is.null,${moments.filter(Boolean).join()})`)
    // A day begins 14 hours before UTC's in the east and ends 12 hours after it in the west. An index has this range.
    if (from !== undefined) query.gte('transaction_date', hoursAfter(from, -14))
    if (to !== undefined) query.lt('transaction_date', hoursAfter(nextDay(to), 12))
  }
  return query
}

type Sortable = { id: string, name: string, amount: number, transaction_date: string, created_at: string }

export const columnOf = (sort: Sort) => sort.replace('-', '') as 'transaction_date' | 'amount' | 'name'

/** The place of a row in its list: what the next page begins after. */
export type Cursor = { value: string | number, created_at: string, id: string }

export const cursorOf = (row: Sortable, sort: Sort): Cursor => ({ value: row[columnOf(sort)], created_at: row.created_at, id: row.id })

/**
 * In order, from behind a place on. Rows of one value, such as one day's, are in the order in which they were created; the id tells
 * apart those of one request, so that none is left out or seen twice.
 */
export function inOrder<Query extends Narrowable>(query: Query, sort: Sort, after: Cursor | null): Query {
  const column = columnOf(sort)
  const ascending = !sort.startsWith('-')
  if (after !== null) {
    const beyond = ascending ? 'gt' : 'lt'
    const same = `${column}.eq.${quoted(after.value)}`
    const created = quoted(after.created_at)
    query.or(
      `${column}.${beyond}.${quoted(after.value)},and(${same},created_at.${beyond}.${created}),and(${same},created_at.eq.${created},id.${beyond}.${after.id})`,
    )
    // says the same less exactly, in the way in which an index is entered
    if (column === 'transaction_date') query[ascending ? 'gte' : 'lte'](column, String(after.value))
  }
  query.order(column, { ascending })
  query.order('created_at', { ascending })
  query.order('id', { ascending })
  return query
}

const compare = <Value extends string | number>(one: Value, other: Value) => one < other ? -1 : one > other ? 1 : 0

/** As the database has them in order, but for letters, which it knows better. */
export const comparing = (sort: Sort) => (one: Sortable, other: Sortable): number => {
  const column = columnOf(sort)
  const byValue = column === 'amount'
    ? compare(one.amount, other.amount)
    : column === 'name'
    ? one.name.localeCompare(other.name)
    : compare(one[column], other[column])
  return (byValue || compare(one.created_at, other.created_at) || compare(one.id, other.id)) * (sort.startsWith('-') ? -1 : 1)
}

/** Whether a row is in its place before the next page begins. */
export const isBefore = (row: Sortable, { value, ...place }: Cursor, sort: Sort): boolean =>
  comparing(sort)(row, { ...row, ...place, [columnOf(sort)]: value }) <= 0
