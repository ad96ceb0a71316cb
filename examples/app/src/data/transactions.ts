/** Transactions: money that moved. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { type Arguments, FinanceError, type NewRow, type Row, type RowChange, unwrap } from 'finance-client'
import { formatAmount } from '../locale/amounts.ts'
import { formatDay } from '../locale/days.ts'
import { finance, gone } from './client.ts'
import { type Context, rowOf, within } from './context.ts'
import { type Cursor, cursorOf, inOrder, narrowed, reportFilters, type Shown, usualSort } from './transaction-filters.ts'

export type LineItem = Pick<Row<'line_items'>, 'id' | 'name' | 'amount' | 'category_id'>

const columns =
  'id,name,amount,currency,transaction_date,booked_on,status,description,reference_no,category_id,account_id,transfer_id,source,created_at,updated_at,tags(id,name),line_items(id,name,amount,category_id)'

export type Transaction =
  & Pick<
    Row<'transactions'>,
    | 'id'
    | 'name'
    | 'amount'
    | 'currency'
    | 'transaction_date'
    | 'booked_on'
    | 'status'
    | 'description'
    | 'reference_no'
    | 'category_id'
    | 'account_id'
    | 'transfer_id'
    | 'source'
    | 'created_at'
    | 'updated_at'
  >
  & { tags: { id: string, name: string }[], line_items: LineItem[] }

/** The day of a row: the one that a bank booked it on, or else that of its moment. */
export const dayOf = ({ booked_on, transaction_date }: Pick<Transaction, 'booked_on' | 'transaction_date'>): string =>
  booked_on ?? transaction_date.slice(0, 10)

/** A part of the list, and the place that the next begins after; null at the end. */
export type TransactionPage = { rows: Transaction[], next: Cursor | null }

const pageSize = 200

/** The rows of a query for `columns`, with or without what a filter asks for beside them; their tags by name. */
const rowsOf = async (query: Parameters<typeof unwrap>[0]): Promise<Transaction[]> =>
  (await unwrap(query) as Transaction[]).map((row) => ({ ...row, tags: row.tags.toSorted((one, other) => one.name.localeCompare(other.name)) }))

export const pagesKey = (context: Context) => [context.key, 'transactions', 'pages'] as const

/** @param userId whose personal rows; with it an index leads to them */
function read(context: Context, userId: string, shown: Shown, after: Cursor | null, size: number, signal?: AbortSignal): Promise<Transaction[]> {
  const all = finance.data.from('transactions').select(shown.tag === undefined ? columns : `${columns},tagged:tags!inner(name)`)
  const own = context.id === null ? all.eq('user_id', userId) : all
  const page = inOrder(narrowed(within(context, own), shown), shown.sort ?? usualSort, after).limit(size)
  return rowsOf(signal === undefined ? page : page.abortSignal(signal))
}

/** The list, part by part, each read from the place where the last ended. */
export const transactionPages = (context: Context, userId: string, shown: Shown) =>
  infiniteQueryOptions({
    queryKey: [...pagesKey(context), userId, shown],
    initialPageParam: null as Cursor | null,
    queryFn: async ({ pageParam, signal }): Promise<TransactionPage> => {
      const rows = await read(context, userId, shown, pageParam, pageSize, signal)
      const last = rows.at(-1)
      return { rows, next: last === undefined || rows.length < pageSize ? null : cursorOf(last, shown.sort ?? usualSort) }
    },
    getNextPageParam: ({ next }) => next,
    // what is far down the list would be read again page by page
    refetchOnWindowFocus: ({ state }) => (state.data?.pages.length ?? 0) < 4 && 'always',
  })

/** All that is shown, in parts, for a file. */
export async function* everyTransaction(context: Context, userId: string, shown: Shown): AsyncGenerator<Transaction[]> {
  const size = 5_000
  let after: Cursor | null = null
  while (true) {
    const rows: Transaction[] = await read(context, userId, shown, after, size)
    yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < size) return
    after = cursorOf(last, shown.sort ?? usualSort)
  }
}

/** What is shown, added up by the rule of the reports: for each currency the sum, and of how many. */
export const totalsQuery = (context: Context, shown: Shown) => {
  const p_filters = reportFilters(shown)
  return queryOptions({
    queryKey: [context.key, 'transactions', 'totals', p_filters],
    queryFn: ({ signal }) =>
      unwrap(finance.data.rpc('get_transaction_aggregate', { p_filters, p_group_by: 'currency', p_aggregate_fn: 'sum' }).abortSignal(signal)),
  })
}

export type Choice = Pick<Row<'transactions'>, 'name' | 'amount' | 'category_id' | 'account_id'>

/** The last choices, which are suggested for the next row. */
export const choicesQuery = (context: Context, userId: string) =>
  queryOptions({
    queryKey: [context.key, 'transactions', 'choices', userId],
    queryFn: ({ signal }): Promise<Choice[]> => {
      const all = finance.data.from('transactions').select('name,amount,category_id,account_id').is('transfer_id', null)
      const own = context.id === null ? all.eq('user_id', userId) : all
      return unwrap(within(context, own).order('transaction_date', { ascending: false }).order('id').limit(200).abortSignal(signal))
    },
    staleTime: 60_000,
  })

export const createTransaction = (context: Context, values: NewRow<'transactions'>): Promise<Transaction[]> =>
  rowsOf(finance.data.from('transactions').insert(rowOf(context, values)).select(columns))

/** The two halves of a transfer, the one that leaves first. */
export const createTransfer = (values: Arguments<'create_transfer'>): Promise<Transaction[]> =>
  rowsOf(finance.data.rpc('create_transfer', values).select(columns))

/** As many ids as an address holds. */
const inParts = (ids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / 150) }, (_, part) => ids.slice(part * 150, (part + 1) * 150))

/** The rows of ids, or the halves of transfers. */
const readBy = async (column: 'id' | 'transfer_id', all: readonly string[]): Promise<Transaction[]> =>
  (await Promise.all(inParts(all).map((part) => rowsOf(finance.data.from('transactions').select(columns).in(column, part))))).flat()

const halvesOf = (rows: readonly Transaction[]) => readBy('transfer_id', [...new Set(rows.flatMap(({ transfer_id }) => transfer_id ?? []))])

/** The same change of many rows, whatever they were. @returns them as they are now, and the other halves of those that are transfers */
export async function changeTransactions(rows: readonly Transaction[], change: RowChange<'transactions'>): Promise<Transaction[]> {
  const now: Transaction[] = []
  for (const part of inParts(rows.map(({ id }) => id)))
    now.push(...await rowsOf(finance.data.from('transactions').update(change).in('id', part).select(columns)))
  return [...now, ...await halvesOf(rows)]
}

/** How a field is called, and what of a row stands in it where that says something to people. */
const fieldWords: Partial<Record<string, readonly [name: string, value?: (row: Transaction) => string | null]>> = {
  name: ['name', ({ name }) => name],
  amount: ['amount', ({ amount, currency }) => formatAmount(amount, currency)],
  currency: ['currency', ({ currency }) => currency.toUpperCase()],
  transaction_date: ['date', (row) => formatDay(dayOf(row))],
  booked_on: ['date', (row) => formatDay(dayOf(row))],
  status: ['status', ({ status }) => status],
  description: ['description', ({ description }) => description],
  reference_no: ['reference', ({ reference_no }) => reference_no],
  category_id: ['category'],
  account_id: ['account'],
}

/** Somebody else has changed what was to be changed; `row` is as it is now. */
export class ChangedMeanwhile extends FinanceError {
  readonly row: Transaction

  constructor(row: Transaction, fields: readonly string[]) {
    const words = fields.map((field) => {
      const [name, value] = fieldWords[field] ?? [field]
      const said = value?.(row)
      return said == null ? `the ${name}` : `the ${name} to ${said}`
    })
    super(409, {
      code: 'CHANGED_MEANWHILE',
      message: `somebody has changed ${words.join(' and ')} meanwhile`,
      hint: 'Save again to have it your way, or close to leave it.',
    })
    this.row = row
  }
}

type Field = keyof Transaction

/** Of rows, what a change replaces, so that it can be put back. */
const former = (row: Transaction, change: RowChange<'transactions'>): RowChange<'transactions'> =>
  Object.fromEntries([...Object.keys(change), ...('transaction_date' in change ? ['booked_on'] : [])].map((field) => [field, row[field as Field]]))

/**
 * Changes a row, but nothing that somebody else has changed since it was seen.
 * @param seen the row as the person knows it
 * @returns it as it is now, and its other half where it is a transfer
 * @throws ChangedMeanwhile where a field of the change is no longer as it was seen; FinanceError 404 where the row is gone
 */
export async function changeTransaction(seen: Transaction, change: RowChange<'transactions'>): Promise<Transaction[]> {
  let last = seen
  while (true) {
    const query = finance.data.from('transactions').update(change).eq('id', seen.id).eq('updated_at', last.updated_at).select(columns)
    const now = await rowsOf(query)
    if (now.length > 0) return [...now, ...await halvesOf(now)]
    const [current] = await readBy('id', [seen.id])
    // whoever may no longer change a row finds none to change either
    if (current === undefined || current.updated_at === last.updated_at) throw gone()
    const fields = Object.entries(change).flatMap(([field, wanted]) => {
      const value = current[field as Field]
      return value === seen[field as Field] || value === wanted ? [] : [field]
    })
    if (fields.length > 0) throw new ChangedMeanwhile(current, fields)
    last = current
  }
}

/** What somebody has changed of a row, and of what it has beside its own columns. */
export type Changed = { values: RowChange<'transactions'>, tags?: string[], items?: Parameters<typeof setLineItems>[1] }

/** Stores all that was changed of a row; the values first, because they are refused where somebody else has changed them. */
export async function saveTransaction(seen: Transaction, { values, tags, items }: Changed): Promise<Transaction[]> {
  const now = Object.keys(values).length > 0 ? await changeTransaction(seen, values) : []
  if (tags === undefined && items === undefined) return now
  if (tags !== undefined) await setTags(seen, tags)
  if (items !== undefined) await setLineItems(seen, items)
  return asTheyAre([seen])
}

/** Tags and parts, to compare. */
const besideOf = ({ tags, line_items }: Transaction) => ({
  tags: tags.map(({ id }) => id).toSorted().join(),
  items: line_items.map((item) => JSON.stringify(item)).toSorted().join(),
})

/**
 * Takes the change of a row back by writing it as it was.
 * @param left the row as the change left it
 * @throws ChangedMeanwhile where somebody has changed the same since; FinanceError 404 where the row is gone
 */
export async function putBack(before: Transaction, left: Transaction, { values, tags, items }: Changed): Promise<void> {
  if (tags !== undefined || items !== undefined) {
    const [now] = await readBy('id', [left.id])
    if (now === undefined) throw gone()
    const [one, other] = [besideOf(now), besideOf(left)]
    if (tags !== undefined && one.tags !== other.tags) throw new ChangedMeanwhile(now, ['tags'])
    if (items !== undefined && one.items !== other.items) throw new ChangedMeanwhile(now, ['parts'])
  }
  await saveTransaction(left, {
    values: former(before, values),
    ...(tags !== undefined && { tags: before.tags.map(({ id }) => id) }),
    ...(items !== undefined && { items: before.line_items }),
  })
}

/** Rows as they are now, with the other halves of those that are transfers; those that are gone are left out. */
export const asTheyAre = async (rows: readonly Transaction[]): Promise<Transaction[]> =>
  (await Promise.all([readBy('id', rows.map(({ id }) => id)), halvesOf(rows)])).flat()

/** Line items and tags go with them, and with half a transfer the other half. @returns those that were still there */
export async function deleteTransactions(rows: readonly Transaction[]): Promise<Transaction[]> {
  const deleted = new Set<string | null>()
  for (const part of inParts(rows.map(({ id }) => id)))
    for (const { id, transfer_id } of await unwrap(finance.data.from('transactions').delete().in('id', part).select('id,transfer_id'))) {
      deleted.add(id)
      if (transfer_id !== null) deleted.add(transfer_id)
    }
  return rows.filter(({ id, transfer_id }) => deleted.has(id) || deleted.has(transfer_id))
}

/**
 * The newest change that a person made of a row of each request of many.
 * @param asked the rows that the requests were about
 * @param changed those of them that were there to be changed
 * @returns what `undo` takes, the last request first
 */
export async function slipsOf(asked: readonly Transaction[], changed: readonly Transaction[], userId: string): Promise<string[]> {
  const ids = new Set(changed.map(({ id }) => id))
  const firsts = inParts(asked.map(({ id }) => id)).flatMap((part) => part.find((id) => ids.has(id)) ?? [])
  const slips = await Promise.all(firsts.map((id) =>
    unwrap(
      finance.data.from('activity').select('id').eq('row_id', id).eq('actor_id', userId)
        .order('happened_at', { ascending: false }).order('id', { ascending: false }).limit(1).single(),
    )
  ))
  return slips.map(({ id }) => id).toReversed()
}

/** Takes requests back. @throws FinanceError 409 where something has changed since */
export async function undoAll(slips: readonly string[]): Promise<void> {
  for (const p_activity_id of slips) await unwrap(finance.data.rpc('undo', { p_activity_id }))
}

/** Makes the tags of a row these. */
export async function setTags({ id, tags }: Transaction, wanted: readonly string[]): Promise<void> {
  const removed = tags.filter((tag) => !wanted.includes(tag.id)).map((tag) => tag.id)
  const added = wanted.filter((one) => !tags.some((tag) => tag.id === one))
  if (removed.length > 0) await unwrap(finance.data.from('transaction_tags').delete().eq('transaction_id', id).in('tag_id', removed))
  if (added.length > 0) await unwrap(finance.data.from('transaction_tags').insert(added.map((tag_id) => ({ transaction_id: id, tag_id }))))
}

/** Makes the parts of a row these. What leaves goes first, so that the parts never come to more than the whole. */
export async function setLineItems({ id, line_items }: Transaction, wanted: ReadonlyArray<Omit<LineItem, 'id'> & { id?: string }>): Promise<void> {
  if (line_items.length > 0) await unwrap(finance.data.from('line_items').delete().in('id', line_items.map((item) => item.id)))
  if (wanted.length > 0) await unwrap(finance.data.from('line_items').insert(wanted.map((item) => ({ ...item, transaction_id: id }))))
}
