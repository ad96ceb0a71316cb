/** Transactions: money that moved. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { type Arguments, type NewRow, type Row, type RowChange, unwrap } from 'finance-client'
import { finance } from './client.ts'
import { type Context, rowOf, within } from './context.ts'
import { type Cursor, cursorOf, inOrder, narrowed, reportFilters, type Shown, usualSort } from './transaction-filters.ts'

export type LineItem = Pick<Row<'line_items'>, 'id' | 'name' | 'amount' | 'category_id'>

const columns =
  'id,name,amount,currency,transaction_date,status,description,reference_no,category_id,account_id,transfer_id,source,updated_at,tags(id,name),line_items(id,name,amount,category_id)'

export type Transaction =
  & Pick<
    Row<'transactions'>,
    | 'id'
    | 'name'
    | 'amount'
    | 'currency'
    | 'transaction_date'
    | 'status'
    | 'description'
    | 'reference_no'
    | 'category_id'
    | 'account_id'
    | 'transfer_id'
    | 'source'
    | 'updated_at'
  >
  & { tags: { id: string, name: string }[], line_items: LineItem[] }

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

/** The same change of many rows. @returns them as they are now, and the other halves of those that are transfers */
export async function changeTransactions(rows: readonly Transaction[], change: RowChange<'transactions'>): Promise<Transaction[]> {
  const now: Transaction[] = []
  for (const part of inParts(rows.map(({ id }) => id)))
    now.push(...await rowsOf(finance.data.from('transactions').update(change).in('id', part).select(columns)))
  return [...now, ...await halvesOf(rows)]
}

/** What somebody wanted to change was changed by somebody else after they had read it. */
export class Overtaken extends Error {
  /** The row as it is now. */
  readonly row: Transaction

  constructor(row: Transaction) {
    super('Somebody else has changed this meanwhile.')
    this.row = row
  }
}

/** Changes a row as somebody has read it. @throws Overtaken where that would replace what they have not seen */
export async function changeAsRead(row: Transaction, change: RowChange<'transactions'>): Promise<Transaction[]> {
  const asRead = finance.data.from('transactions').update(change).eq('id', row.id).eq('updated_at', row.updated_at)
  const stored = await rowsOf(asRead.select(columns))
  if (stored.length > 0) return [...stored, ...await halvesOf([row])]
  const [now] = await readBy('id', [row.id])
  if (now === undefined) throw new Error(`${row.name} was deleted meanwhile.`)
  const isUnseen = Object.entries(change).some(([name, value]) => {
    const field = name as keyof Transaction
    return now[field] !== row[field] && now[field] !== value
  })
  if (isUnseen) throw new Overtaken(now)
  return changeTransactions([now], change)
}

/** Rows as they are now, with the other halves of those that are transfers; those that are gone are left out. */
export const asTheyAre = async (rows: readonly Transaction[]): Promise<Transaction[]> =>
  (await Promise.all([readBy('id', rows.map(({ id }) => id)), halvesOf(rows)])).flat()

/** Line items and tags go with them, and with half a transfer the other half. */
export async function deleteTransactions(rows: readonly Transaction[]): Promise<void> {
  for (const part of inParts(rows.map(({ id }) => id))) await unwrap(finance.data.from('transactions').delete().in('id', part))
}

/** The newest change that a person made of the first row of each request of many. @returns what `undo` takes, the last request first */
export async function slipsOf(rows: readonly Transaction[], userId: string): Promise<string[]> {
  const firsts = inParts(rows.map(({ id }) => id)).map(([id = '']) => id)
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

/** Stores rows anew that somebody has deleted who cannot undo: with their ids, line items and tags. */
export async function storeAnew(context: Context, rows: readonly Transaction[]): Promise<void> {
  const own = rows.map(({ id, name, amount, currency, transaction_date, status, description, reference_no, category_id, account_id, source }) =>
    rowOf(context, { id, name, amount, currency, transaction_date, status, description, reference_no, category_id, account_id, source })
  )
  await unwrap(finance.data.from('transactions').insert(own))
  const items = rows.flatMap(({ id, line_items }) => line_items.map((item) => ({ ...item, transaction_id: id })))
  if (items.length > 0) await unwrap(finance.data.from('line_items').insert(items))
  const labels = rows.flatMap(({ id, tags }) => tags.map((tag) => ({ transaction_id: id, tag_id: tag.id })))
  if (labels.length > 0) await unwrap(finance.data.from('transaction_tags').insert(labels))
}

/** Makes the tags of a row these. */
export async function setTags({ id, tags }: Transaction, wanted: readonly string[]): Promise<void> {
  const gone = tags.filter((tag) => !wanted.includes(tag.id)).map((tag) => tag.id)
  const added = wanted.filter((one) => !tags.some((tag) => tag.id === one))
  if (gone.length > 0) await unwrap(finance.data.from('transaction_tags').delete().eq('transaction_id', id).in('tag_id', gone))
  if (added.length > 0) await unwrap(finance.data.from('transaction_tags').insert(added.map((tag_id) => ({ transaction_id: id, tag_id }))))
}

/** Makes the parts of a row these; one with an id keeps it. What leaves goes first, so that the parts never come to more than the whole. */
export async function setLineItems({ id, line_items }: Transaction, wanted: readonly (Omit<LineItem, 'id'> & Partial<LineItem>)[]): Promise<void> {
  if (line_items.length > 0) await unwrap(finance.data.from('line_items').delete().in('id', line_items.map((item) => item.id)))
  if (wanted.length > 0) await unwrap(finance.data.from('line_items').insert(wanted.map((item) => ({ ...item, transaction_id: id }))))
}
