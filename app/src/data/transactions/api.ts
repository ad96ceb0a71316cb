/** Reads and writes transactions. */
import { infiniteQueryOptions, type QueryKey, queryOptions } from '@tanstack/react-query'
import { type Arguments, type NewRow, type Row, type RowChange, unwrap } from 'finance-client'
import { addDays } from '../../locale/months.ts'
import { type Context, finance, rowOf, withinOf } from '../client.ts'
import { isWhole, onlyOpen, openAtOnce } from '../open-rows.ts'
import { dayOf } from './day.ts'
import {
  type Cursor,
  cursorOf,
  inOrder,
  narrowed,
  reportFilters,
  type TransactionView,
  textColumns,
  usualSort,
} from './filters.ts'

export type LineItem = Pick<Row<'line_items'>, 'id' | 'name' | 'amount' | 'category_id'>

const ownColumns = [
  'id',
  'name',
  'sort_name',
  'amount',
  'currency',
  'transaction_date',
  'booked_on',
  'status',
  'category_id',
  'account_id',
  'transfer_id',
  'source',
  'created_at',
  'updated_at',
  ...textColumns,
] as const

const columns =
  `${ownColumns.join()},tags(id,name),line_items(id,name,amount,category_id),attachments(id,status)`

export type Transaction = Pick<Row<'transactions'>, (typeof ownColumns)[number]> & {
  tags: { id: string, name: string }[]
  line_items: LineItem[]
  attachments: Pick<Row<'attachments'>, 'id' | 'status'>[]
}

/** A page of the list, and the cursor of the next page; null at the end. */
export type TransactionPage = { rows: Transaction[], next: Cursor | null }

const pageSize = 200

/** Runs a query for `columns`. Sorts the tags of each row by name. */
const rowsOf = async (query: Parameters<typeof unwrap>[0]): Promise<Transaction[]> =>
  (await unwrap(query) as Transaction[]).map((row) => ({
    ...row,
    tags: row.tags.toSorted((one, other) => one.name.localeCompare(other.name)),
  }))

export const pagesKey = (context: Context) => [context.key, 'transactions', 'pages'] as const

/** The rows of a list: its filters, and the ids of the subcategories of its parent category. */
export type Listed = { userId: string, view: TransactionView, subcategories: readonly string[] }

function queryOf(context: Context, { userId, view, subcategories }: Listed) {
  const all = finance.data.from('transactions').select(
    view.tag === undefined ? columns : `${columns},tagged:tags!inner(name)`,
  )
  return narrowed(withinOf(context, userId, all), view, subcategories)
}

/** Reads one page. */
function readPage(
  context: Context,
  list: Listed,
  after: Cursor | null,
  size: number,
  signal?: AbortSignal,
): Promise<Transaction[]> {
  const page = inOrder(queryOf(context, list), list.view.sort ?? usualSort, after).limit(size)
  return rowsOf(signal === undefined ? page : page.abortSignal(signal))
}

/** Reads those of the rows that belong to a list. */
export const readListed = async (
  context: Context,
  list: Listed,
  ids: readonly string[],
): Promise<Transaction[]> =>
  (await Promise.all(inBatches(ids).map((batch) => rowsOf(queryOf(context, list).in('id', batch)))))
    .flat()

/** The list, page by page. */
export const transactionPages = (context: Context, list: Listed) =>
  infiniteQueryOptions({
    queryKey: [...pagesKey(context), list.userId, list.subcategories, list.view],
    initialPageParam: null as Cursor | null,
    queryFn: async ({ pageParam, signal }): Promise<TransactionPage> => {
      const rows = await readPage(context, list, pageParam, pageSize, signal)
      const last = rows.at(-1)
      return {
        rows,
        next: last === undefined || rows.length < pageSize
          ? null
          : cursorOf(last, list.view.sort ?? usualSort),
      }
    },
    getNextPageParam: ({ next }) => next,
    // a long list would be read again page by page
    refetchOnWindowFocus: ({ state }) => (state.data?.pages.length ?? 0) < 4 && 'always',
  })

/** Returns the list of a key of `transactionPages`. */
export const listedBy = (queryKey: QueryKey): Listed => {
  const [userId, subcategories, view] = queryKey.slice(-3) as [
    string,
    readonly string[],
    TransactionView,
  ]
  return { userId, subcategories, view }
}

/** The maximum number of rows of the list for which categories are suggested. */
export const suggestedAtOnce = 1_000

/** Reads the newest rows of the filters that have no category. */
export const withoutCategory = (
  context: Context,
  list: Listed,
  signal: AbortSignal,
): Promise<Transaction[]> =>
  readPage(
    context,
    { ...list, view: { ...list.view, category: 'none', sort: usualSort } },
    null,
    suggestedAtOnce,
    signal,
  )

/** Reads the newest open rows. */
export async function readOpen(
  context: Context,
  userId: string,
  signal: AbortSignal,
): Promise<Transaction[]> {
  const open = onlyOpen(context, userId, finance.data.from('transactions').select(columns))
  return (await rowsOf(
    open.order('transaction_date', { ascending: false }).order('id').limit(openAtOnce).abortSignal(
      signal,
    ),
  )).filter(isWhole)
}

/** The maximum number of rows between two statements. */
export const statedAtOnce = 1_000

/** `areAll` is false if there are more rows than the page reads. */
export type StatementPage = { rows: Transaction[], areAll: boolean }

/**
 * The paid and pending rows of an account in some days, newest first. @param from null for the
 * beginning
 */
export const statementRowsQuery = (
  context: Context,
  userId: string,
  accountId: string,
  from: string | null,
  to: string,
) =>
  queryOptions({
    queryKey: [context.key, 'transactions', 'statement', accountId, from, to],
    queryFn: async ({ signal }): Promise<StatementPage> => {
      const view = { account: accountId, to, sort: usualSort, ...(from !== null && { from }) }
      const rows = await readPage(
        context,
        { userId, view, subcategories: [] },
        null,
        statedAtOnce,
        signal,
      )
      return {
        rows: rows.filter(({ status }) => status !== 'failed'),
        areAll: rows.length < statedAtOnce,
      }
    },
  })

/** Yields all rows of the filters, in batches, for an export. */
export async function* everyTransaction(
  context: Context,
  list: Listed,
): AsyncGenerator<Transaction[]> {
  const size = 5_000
  let after: Cursor | null = null
  while (true) {
    const rows: Transaction[] = await readPage(context, list, after, size)
    yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < size) return
    after = cursorOf(last, list.view.sort ?? usualSort)
  }
}

/** The sum and the count of the filtered rows per currency, by the rules of reports. */
export const totalsQuery = (context: Context, { view, subcategories }: Listed) => {
  const p_filters = reportFilters(view, subcategories)
  return queryOptions({
    queryKey: [context.key, 'transactions', 'totals', p_filters],
    queryFn: ({ signal }) =>
      unwrap(
        finance.data.rpc('get_transaction_aggregate', {
          p_filters,
          p_group_by: 'currency',
          p_aggregate_fn: 'sum',
        }).abortSignal(signal),
      ),
  })
}

type Suggestion = Pick<Row<'transactions'>, 'name' | 'amount' | 'category_id' | 'account_id'>

/** The user's latest transactions: suggestions for the next one. */
export const suggestionsQuery = (context: Context, userId: string) =>
  queryOptions({
    queryKey: [context.key, 'transactions', 'choices', userId],
    queryFn: ({ signal }): Promise<Suggestion[]> => {
      const all = finance.data.from('transactions').select('name,amount,category_id,account_id').is(
        'transfer_id',
        null,
      )
      const latest = withinOf(context, userId, all).order('transaction_date', { ascending: false })
        .order('created_at', { ascending: false }).limit(200)
      return unwrap(latest.abortSignal(signal))
    },
    staleTime: 60_000,
  })

export const createTransaction = (
  context: Context,
  values: NewRow<'transactions'>,
): Promise<Transaction[]> =>
  rowsOf(finance.data.from('transactions').insert(rowOf(context, values)).select(columns))

/** Returns the two halves of the transfer, the outgoing one first. */
export const createTransfer = (
  _: Context,
  values: Arguments<'create_transfer'>,
): Promise<Transaction[]> => rowsOf(finance.data.rpc('create_transfer', values).select(columns))

/** Days between the halves of a transfer, as an import links them. */
const transferDays = 5

const msOf = (day: string) => Date.parse(`${day}T00:00:00Z`)

/** Whether the row is a transfer without another half. Such a row has its own id as transfer_id. */
export const isLoneHalf = (
  { id, transfer_id: transfer }: Pick<Transaction, 'id' | 'transfer_id'>,
): boolean => transfer === id

/**
 * Possible other halves of a transfer: the opposite amount in another account, the nearest days
 * first.
 */
export const otherHalvesQuery = (context: Context, userId: string, row: Transaction) => {
  const { id, amount, currency, account_id: account } = row
  const day = dayOf(row)
  const distance = (other: Transaction) => Math.abs(msOf(dayOf(other)) - msOf(day))
  return queryOptions({
    queryKey: [context.key, 'transactions', 'other halves', id, amount, currency, account, day],
    queryFn: async ({ signal }): Promise<Transaction[]> => {
      const all = withinOf(context, userId, finance.data.from('transactions').select(columns))
      const rows = await rowsOf(
        all.eq('amount', -amount).eq('currency', currency).neq('account_id', account ?? '').neq(
          'status',
          'failed',
        )
          // a time stamp may be of another day than the bank's booking day
          .gte('transaction_date', addDays(day, -transferDays - 2)).lt(
            'transaction_date',
            addDays(day, transferDays + 3),
          ).limit(100).abortSignal(signal),
      )
      return rows.filter((other) =>
        (other.transfer_id === null || isLoneHalf(other)) &&
        distance(other) <= transferDays * 86_400_000
      )
        .toSorted((one, other) => distance(one) - distance(other)).slice(0, 5)
    },
  })
}

/** Makes a transfer of two rows. Returns its halves, the outgoing one first. */
export const linkTransfer = (
  _: Context,
  [one, other]: [Transaction, Transaction],
): Promise<Transaction[]> => {
  const [from, to] = one.amount < 0 ? [one, other] : [other, one]
  return rowsOf(
    finance.data.rpc('link_transfer', {
      p_from_transaction_id: from.id,
      p_to_transaction_id: to.id,
    }).select(columns),
  )
}

/** Makes two ordinary rows of a transfer. */
export const unlinkTransfer = (_: Context, transferId: string): Promise<Transaction[]> =>
  rowsOf(finance.data.rpc('unlink_transfer', { p_transfer_id: transferId }).select(columns))

/** Splits ids into batches that fit into a URL. */
export const inBatches = (ids: readonly string[]): string[][] =>
  Array.from(
    { length: Math.ceil(ids.length / 150) },
    (_, batch) => ids.slice(batch * 150, (batch + 1) * 150),
  )

/** Reads rows by their ids or by their transfers. */
export const readBy = async (
  column: 'id' | 'transfer_id',
  ids: readonly string[],
): Promise<Transaction[]> =>
  (await Promise.all(
    inBatches(ids).map((batch) =>
      rowsOf(finance.data.from('transactions').select(columns).in(column, batch))
    ),
  )).flat()

export const halvesOf = (rows: readonly Transaction[]) =>
  readBy('transfer_id', [...new Set(rows.flatMap(({ transfer_id }) => transfer_id ?? []))])

/**
 * Reads rows again, with the other halves of transfers. Deleted rows are missing from the result.
 */
export const reread = async (rows: readonly Transaction[]): Promise<Transaction[]> =>
  (await Promise.all([readBy('id', rows.map(({ id }) => id)), halvesOf(rows)])).flat()

/**
 * Updates a row that still has this time stamp. Returns no row if it was changed or deleted
 * meanwhile.
 */
export const updateUnchanged = (
  { id, updated_at }: Pick<Transaction, 'id' | 'updated_at'>,
  change: RowChange<'transactions'>,
): Promise<Transaction[]> =>
  rowsOf(
    finance.data.from('transactions').update(change).eq('id', id).eq('updated_at', updated_at)
      .select(columns),
  )

/** Applies one change to many rows. Returns the stored rows, with the other halves of transfers. */
export async function changeTransactions(
  rows: readonly Transaction[],
  change: RowChange<'transactions'>,
): Promise<Transaction[]> {
  const now: Transaction[] = []
  for (const batch of inBatches(rows.map(({ id }) => id)))
    now.push(
      ...await rowsOf(
        finance.data.from('transactions').update(change).in('id', batch).select(columns),
      ),
    )
  return [...now, ...await halvesOf(rows)]
}

/** Gives rows a category. Skips those that another user has given one. Returns the changed rows. */
async function categorizeTransactions(
  rows: readonly Transaction[],
  categoryId: string,
): Promise<Transaction[]> {
  const now: Transaction[] = []
  for (const batch of inBatches(rows.map(({ id }) => id)))
    now.push(
      ...await rowsOf(
        finance.data.from('transactions').update({ category_id: categoryId }).in('id', batch).is(
          'category_id',
          null,
        ).select(columns),
      ),
    )
  return now
}

/** The rows of a request that categorized them, and those that it changed. */
export type Categorized = { requested: Transaction[], now: Transaction[] }

/**
 * Gives rows their categories, with one request for each category. Adds each request to `stored`,
 * also if a later one fails.
 */
export async function categorizeEach(
  wanted: ReadonlyArray<{ row: Transaction, categoryId: string }>,
  stored: Categorized[],
): Promise<void> {
  for (const categoryId of new Set(wanted.map((one) => one.categoryId))) {
    const requested = wanted.filter((one) => one.categoryId === categoryId).map(({ row }) => row)
    stored.push({ requested, now: await categorizeTransactions(requested, categoryId) })
  }
}

/**
 * Deletes rows with their line items, tags and other halves of transfers. Returns the rows that
 * still existed.
 */
export async function deleteTransactions(rows: readonly Transaction[]): Promise<Transaction[]> {
  const deleted = new Set<string | null>()
  for (const batch of inBatches(rows.map(({ id }) => id)))
    for (
      const { id, transfer_id } of await unwrap(
        finance.data.from('transactions').delete().in('id', batch).select('id,transfer_id'),
      )
    ) {
      deleted.add(id)
      if (transfer_id !== null) deleted.add(transfer_id)
    }
  return rows.filter(({ id, transfer_id }) => deleted.has(id) || deleted.has(transfer_id))
}

/** Replaces the tags of a row. */
export async function setTags({ id, tags }: Transaction, wanted: readonly string[]): Promise<void> {
  const removed = tags.filter((tag) => !wanted.includes(tag.id)).map((tag) => tag.id)
  const added = wanted.filter((one) => !tags.some((tag) => tag.id === one))
  if (removed.length > 0)
    await unwrap(
      finance.data.from('transaction_tags').delete().eq('transaction_id', id).in('tag_id', removed),
    )
  if (added.length > 0)
    await unwrap(
      finance.data.from('transaction_tags').insert(
        added.map((tag_id) => ({ transaction_id: id, tag_id })),
      ),
    )
}

/** Replaces the line items of a row. Deletes first, so that the parts never exceed the whole. */
export async function setLineItems(
  { id, line_items }: Transaction,
  wanted: ReadonlyArray<Omit<LineItem, 'id'> & { id?: string }>,
): Promise<void> {
  if (line_items.length > 0)
    await unwrap(
      finance.data.from('line_items').delete().in('id', line_items.map((item) => item.id)),
    )
  if (wanted.length > 0)
    await unwrap(
      finance.data.from('line_items').insert(
        wanted.map((item) => ({ ...item, transaction_id: id })),
      ),
    )
}
