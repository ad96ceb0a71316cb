/**
 * Filters and sorting of transactions: in the page's address, in queries of rows, and in reports.
 */
import { type TextColumn, textLengths } from 'finance-client'
import { currencyPattern, dayPattern, defined, matching } from '../../shell/search.ts'
import { isDay } from '../../locale/days.ts'
import { folded } from '../../locale/matching.ts'

export const statuses = ['paid', 'pending', 'failed'] as const
type Status = (typeof statuses)[number]

/** The sides of money: what came in, and what went out. */
export const sides = ['in', 'out'] as const
type Side = (typeof sides)[number]

/**
 * The texts of a transaction in addition to its name, which are exported and edited. A
 * new one needs a name in `fields` of the messages.
 */
export const textColumns = Object.keys(textLengths) as TextColumn[]

/** Sort orders; `-` means descending. */
const sorts = [
  '-transaction_date',
  'transaction_date',
  '-amount',
  'amount',
  'name',
  '-name',
] as const
export type Sort = (typeof sorts)[number]

/** The default order: the newest first. */
export const usualSort: Sort = '-transaction_date'

/**
 * Filters and sorting of a list. `none` selects rows without a category or account. `parent`
 * selects a category with its subcategories.
 */
export type TransactionView = {
  search?: string | undefined
  category?: string | undefined
  parent?: string | undefined
  account?: string | undefined
  tag?: string | undefined
  side?: Side | undefined
  status?: Status | undefined
  currency?: string | undefined
  from?: string | undefined
  to?: string | undefined
  sort?: Sort | undefined
}

const oneOf = <Choice extends string>(value: unknown, choices: readonly Choice[]) =>
  choices.find((choice) => choice === value)

const id = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/
const reference = new RegExp(`^none$|${id.source}`)
const dayIn = (value: unknown) => {
  const text = matching(value, dayPattern)
  return text !== undefined && isDay(text) ? text : undefined
}

/**
 * Returns the valid filters of an address. Drops everything else, because an attacker may have
 * written the link.
 */
export function viewOf(search: Record<string, unknown>): TransactionView {
  return defined({
    search: matching(search['search'], /^.{1,200}$/),
    category: matching(search['category'], reference),
    parent: matching(search['parent'], id),
    account: matching(search['account'], reference),
    tag: matching(search['tag'], /^.{1,255}$/),
    side: oneOf(search['side'], sides),
    status: oneOf(search['status'], statuses),
    currency: matching(search['currency'], currencyPattern),
    from: dayIn(search['from']),
    to: dayIn(search['to']),
    sort: oneOf(search['sort'], sorts),
  })
}

/** Whether filters narrow the list. */
export const isFiltered = (view: TransactionView): boolean =>
  Object.entries(view).some(([field, value]) => field !== 'sort' && value !== undefined)

/** The filters of reports that the list uses. */
type ReportFilter =
  | { field: 'search', operation: 'contains', value: string }
  | {
    field: 'category_id' | 'account_id' | 'tag' | 'status' | 'currency'
    operation: 'eq'
    value: string
  }
  | { field: 'category_id' | 'account_id', operation: 'is_null', value: true }
  | { field: 'amount', operation: 'gt' | 'lt', value: 0 }
  | { field: 'category_id', operation: 'in', value: string[] }
  | { field: 'transaction_date', operation: 'from' | 'to', value: string }

/**
 * Returns the same filters for reports. @param subcategories ids of the subcategories of `parent`
 */
export function reportFilters(
  { search, category, parent, account, tag, side, status, currency, from, to }: TransactionView,
  subcategories: readonly string[],
): ReportFilter[] {
  const filters: ReportFilter[] = []
  if (search !== undefined) filters.push({ field: 'search', operation: 'contains', value: search })
  for (const [field, value] of [['category_id', category], ['account_id', account]] as const) {
    if (value === 'none') filters.push({ field, operation: 'is_null', value: true })
    else if (value !== undefined) filters.push({ field, operation: 'eq', value })
  }
  if (parent !== undefined)
    filters.push({ field: 'category_id', operation: 'in', value: [parent, ...subcategories] })
  if (tag !== undefined) filters.push({ field: 'tag', operation: 'eq', value: tag })
  if (side !== undefined)
    filters.push({ field: 'amount', operation: side === 'in' ? 'gt' : 'lt', value: 0 })
  if (status !== undefined) filters.push({ field: 'status', operation: 'eq', value: status })
  if (currency !== undefined) filters.push({ field: 'currency', operation: 'eq', value: currency })
  if (from !== undefined)
    filters.push({ field: 'transaction_date', operation: 'from', value: from })
  if (to !== undefined) filters.push({ field: 'transaction_date', operation: 'to', value: to })
  return filters
}

/** The methods of postgrest-js that narrow a query. */
type Narrowable = {
  eq: (column: string, value: string) => unknown
  is: (column: string, value: null) => unknown
  in: (column: string, values: readonly string[]) => unknown
  gte: (column: string, value: string) => unknown
  lte: (column: string, value: string) => unknown
  lt: (column: string, value: string) => unknown
  gt: (column: string, value: string) => unknown
  like: (column: string, pattern: string) => unknown
  or: (conditions: string) => unknown
  order: (column: string, options: { ascending: boolean }) => unknown
}

/** Quotes a value for `or`, where commas and brackets are syntax. */
const quoted = (value: string | number) => `"${String(value).replace(/["\\]/g, '\\$&')}"`

/** Escapes the wildcards of a pattern. */
const literal = (text: string) => text.replace(/[\\%_]/g, '\\$&')

const hoursAfter = (date: string, hours: number) =>
  new Date(Date.parse(`${date}T00:00:00Z`) + hours * 3_600_000).toISOString()

const nextDay = (date: string) =>
  new Date(Date.parse(`${date}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10)

/**
 * Narrows a query to the filters. A tag needs the embedded `tagged:tags!inner(name)`. @param
 * subcategories ids of the subcategories of `parent`
 */
export function narrowed<Query extends Narrowable>(
  query: Query,
  view: TransactionView,
  subcategories: readonly string[],
): Query {
  const { search, category, parent, account, tag, side, status, currency, from, to } = view
  if (search !== undefined) query.like('search_text', `*${literal(folded(search))}*`)
  for (const [column, value] of [['category_id', category], ['account_id', account]] as const) {
    if (value === 'none') query.is(column, null)
    else if (value !== undefined) query.eq(column, value)
  }
  if (parent !== undefined) query.in('category_id', [parent, ...subcategories])
  if (tag !== undefined) query.eq('tagged.name', tag)
  if (side !== undefined) query[side === 'in' ? 'gt' : 'lt']('amount', '0')
  if (status !== undefined) query.eq('status', status)
  if (currency !== undefined) query.eq('currency', currency)
  if (from !== undefined || to !== undefined) {
    const booked = [
      from !== undefined && `booked_on.gte.${from}`,
      to !== undefined && `booked_on.lte.${to}`,
    ]
    const moments = [
      from !== undefined && `transaction_date.gte.${from}`,
      to !== undefined && `transaction_date.lt.${nextDay(to)}`,
    ]
    query.or(
      `and(${booked.filter(Boolean).join()}),and(booked_on.is.null,${
        moments.filter(Boolean).join()
      })`,
    )
    // a day lasts from 14 hours before UTC's (east) to 12 hours after it (west); an index covers
    // this range
    if (from !== undefined) query.gte('transaction_date', hoursAfter(from, -14))
    if (to !== undefined) query.lt('transaction_date', hoursAfter(nextDay(to), 12))
  }
  return query
}

type Sortable = {
  id: string
  sort_name: string | null
  amount: number
  transaction_date: string
  created_at: string
}

export const columnOf = (sort: Sort) =>
  sort.replace('-', '') as 'transaction_date' | 'amount' | 'name'

/** The column that the database sorts by. Its order of names ignores case and accents. */
const orderOf = (sort: Sort) => {
  const column = columnOf(sort)
  return column === 'name' ? 'sort_name' : column
}

/** The position of a row in its list. The next page begins after it. */
export type Cursor = { value: string | number, created_at: string, id: string }

export const cursorOf = (row: Sortable, sort: Sort): Cursor => ({
  value: row[orderOf(sort)] ?? '',
  created_at: row.created_at,
  id: row.id,
})

/**
 * Sorts a query and starts it after a cursor. Rows of the same value are sorted by creation. Rows
 * of the same request are sorted by id, so that no row is skipped or repeated.
 */
export function inOrder<Query extends Narrowable>(
  query: Query,
  sort: Sort,
  after: Cursor | null,
): Query {
  const column = orderOf(sort)
  const ascending = !sort.startsWith('-')
  if (after !== null) {
    const beyond = ascending ? 'gt' : 'lt'
    const same = `${column}.eq.${quoted(after.value)}`
    const created = quoted(after.created_at)
    query.or(
      `${column}.${beyond}.${
        quoted(after.value)
      },and(${same},created_at.${beyond}.${created}),and(${same},created_at.eq.${created},id.${beyond}.${after.id})`,
    )
    // repeats the condition less exactly, in a form that an index supports
    if (column === 'transaction_date') query[ascending ? 'gte' : 'lte'](column, String(after.value))
  }
  query.order(column, { ascending })
  query.order('created_at', { ascending })
  query.order('id', { ascending })
  return query
}

const compare = <Value extends string | number>(one: Value, other: Value) =>
  one < other ? -1 : one > other ? 1 : 0

/** Compares rows in the database's order, except for its collation. */
export const comparing = (sort: Sort) => (one: Sortable, other: Sortable): number => {
  const column = orderOf(sort)
  const byValue = column === 'amount'
    ? compare(one.amount, other.amount)
    : compare(one[column] ?? '', other[column] ?? '')
  return (byValue || compare(one.created_at, other.created_at) || compare(one.id, other.id)) *
    (sort.startsWith('-') ? -1 : 1)
}

/** Whether a row belongs before the next page. */
export const isBefore = (row: Sortable, { value, ...place }: Cursor, sort: Sort): boolean =>
  comparing(sort)(row, { ...row, ...place, [columnOf(sort)]: value }) <= 0
