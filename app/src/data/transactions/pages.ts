/** Updates cached pages of the list in place, so that no page has to be read again. */
import type { InfiniteData, QueryClient, QueryKey } from '@tanstack/react-query'
import type { Context } from '../client.ts'
import {
  comparing,
  type Cursor,
  isBefore,
  type TransactionView,
  type Sort,
  usualSort,
} from './filters.ts'
import { listedBy, pagesKey, readListed, type Transaction, type TransactionPage } from './api.ts'

type Pages = InfiniteData<TransactionPage, Cursor | null>

/** Whether the data of a query has so many pages that only changed rows are read again. */
export const isLongList = (data: unknown): boolean =>
  ((data as Partial<Pages> | undefined)?.pages?.length ?? 0) >= 4

const without = (data: Pages, isGone: (row: Transaction) => boolean): Pages => ({
  ...data,
  pages: data.pages.map((page) =>
    page.rows.some(isGone) ? { ...page, rows: page.rows.filter((row) => !isGone(row)) } : page
  ),
})

/** Inserts a row at its position. Skips a row behind the last cached page, which is read later. */
function withRow(data: Pages, row: Transaction, sort: Sort): Pages {
  const compare = comparing(sort)
  const at = data.pages.findIndex(({ next }) => next === null || isBefore(row, next, sort))
  if (at < 0) return data
  const pages = data.pages.map((page, index) => {
    if (index !== at) return page
    const place = page.rows.findIndex((other) => compare(row, other) < 0)
    return { ...page, rows: page.rows.toSpliced(place < 0 ? page.rows.length : place, 0, row) }
  })
  return { ...data, pages }
}

/** Removes rows, with the other halves of transfers. */
function withoutRows(data: Pages, rows: readonly Transaction[]): Pages {
  const gone = new Set(
    rows.flatMap(({ id, transfer_id }) => transfer_id === null ? [id] : [id, transfer_id]),
  )
  return without(
    data,
    ({ id, transfer_id }) => gone.has(id) || (transfer_id !== null && gone.has(transfer_id)),
  )
}

/** Inserts new or changed rows, each at its current position. */
function withRows(data: Pages, rows: readonly Transaction[], sort: Sort): Pages {
  const gone = new Set(rows.map(({ id }) => id))
  const unique = [...new Map(rows.map((row) => [row.id, row])).values()]
  return unique.reduce(
    (pages, row) => withRow(pages, row, sort),
    without(data, ({ id }) => gone.has(id)),
  )
}

/** Gives the row of an id other values, at its position. */
const withValues = (data: Pages, id: string, values: Partial<Transaction>): Pages => ({
  ...data,
  pages: data.pages.map((page) =>
    page.rows.some((row) => row.id === id)
      ? { ...page, rows: page.rows.map((row) => row.id === id ? { ...row, ...values } : row) }
      : page
  ),
})

/** Gives rows other values by their ids, each at its position. */
const withAllValues = (
  data: Pages,
  values: ReadonlyMap<string, Partial<Transaction>>,
): Pages => ({
  ...data,
  pages: data.pages.map((page) =>
    page.rows.some(({ id }) => values.has(id))
      ? { ...page, rows: page.rows.map((row) => ({ ...row, ...values.get(row.id) })) }
      : page
  ),
})

/** The cached pages of a context. */
export function cachedList(client: QueryClient, context: Context) {
  const each = async (change: (data: Pages, view: TransactionView) => Pages) => {
    // a page that is on its way does not include the change
    await client.cancelQueries({
      queryKey: pagesKey(context),
      predicate: ({ state }) => state.data !== undefined,
    })
    for (const [key, data] of client.getQueriesData<Pages>({ queryKey: pagesKey(context) })) {
      if (data !== undefined) client.setQueryData(key, change(data, key.at(-1) as TransactionView))
    }
  }
  /** The newest change of the user. */
  const lastMutation = () => client.getMutationCache().getAll().at(-1)
  return {
    /**
     * Reads rows of one list again, with its filters. Removes those that were deleted or no longer
     * match.
     * @returns false if the user has changed rows meanwhile, so that the result may be older than
     * the list
     */
    reread: async (queryKey: QueryKey, ids: readonly string[]): Promise<boolean> => {
      const mutation = lastMutation()
      const list = listedBy(queryKey)
      const rows = await readListed(context, list, ids)
      if (lastMutation() !== mutation || client.isMutating() > 0) return false
      await client.cancelQueries({ queryKey, exact: true })
      client.setQueryData<Pages>(queryKey, (data) => {
        const rest = data && without(data, ({ id }) => ids.includes(id))
        return rest &&
          rows.reduce((pages, row) => withRow(pages, row, list.view.sort ?? usualSort), rest)
      })
      return true
    },
    /** Removes rows, with the other halves of transfers. */
    drop: (rows: readonly Transaction[]) => each((data) => withoutRows(data, rows)),
    /** Inserts new or changed rows, each at its current position. */
    put: (rows: readonly Transaction[]) =>
      each((data, { sort = usualSort }) => withRows(data, rows, sort)),
    /** Gives the row of an id other values, at its position. */
    change: (id: string, values: Partial<Transaction>) =>
      each((data) => withValues(data, id, values)),
    /** Gives rows other values by their ids, each at its position. */
    changeAll: (values: ReadonlyMap<string, Partial<Transaction>>) =>
      each((data) => withAllValues(data, values)),
    /** Reads everything of the context again except for the list. */
    refreshOthers: () =>
      client.invalidateQueries({
        queryKey: [context.key],
        predicate: ({ queryKey }) => !(queryKey[1] === 'transactions' && queryKey[2] === 'pages'),
      }),
    /** Drops all but the first pages, so that the next visit reads only those. */
    shorten: () =>
      each((data) =>
        !isLongList(data)
          ? data
          : { pages: data.pages.slice(0, 2), pageParams: data.pageParams.slice(0, 2) }
      ),
  }
}
