/** Updates cached pages of the list in place, so that no page has to be read again. */
import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import type { Context } from '../client.ts'
import { comparing, type Cursor, isBefore, type TransactionView, type Sort, usualSort } from './filters.ts'
import { pagesKey, type Transaction, type TransactionPage } from './api.ts'

type Pages = InfiniteData<TransactionPage, Cursor | null>

const without = (data: Pages, isGone: (row: Transaction) => boolean): Pages => ({
  ...data,
  pages: data.pages.map((page) => page.rows.some(isGone) ? { ...page, rows: page.rows.filter((row) => !isGone(row)) } : page),
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

/** The cached pages of a context. */
export function cachedList(client: QueryClient, context: Context) {
  const each = async (change: (data: Pages, view: TransactionView) => Pages) => {
    // a page that is on its way does not include the change
    await client.cancelQueries({ queryKey: pagesKey(context), predicate: ({ state }) => state.data !== undefined })
    for (const [key, data] of client.getQueriesData<Pages>({ queryKey: pagesKey(context) })) {
      if (data !== undefined) client.setQueryData(key, change(data, key.at(-1) as TransactionView))
    }
  }
  return {
    /** Removes rows, with the other halves of transfers. */
    drop: (rows: readonly Transaction[]) => {
      const gone = new Set(rows.flatMap(({ id, transfer_id }) => transfer_id === null ? [id] : [id, transfer_id]))
      return each((data) => without(data, ({ id, transfer_id }) => gone.has(id) || (transfer_id !== null && gone.has(transfer_id))))
    },
    /** Inserts new or changed rows, each at its current position. */
    put: (rows: readonly Transaction[]) => {
      const gone = new Set(rows.map(({ id }) => id))
      const unique = [...new Map(rows.map((row) => [row.id, row])).values()]
      return each((data, { sort = usualSort }) => unique.reduce((pages, row) => withRow(pages, row, sort), without(data, ({ id }) => gone.has(id))))
    },
    /** Reads everything of the context again except for the list. */
    refreshOthers: () =>
      client.invalidateQueries({ queryKey: [context.key], predicate: ({ queryKey }) => !(queryKey[1] === 'transactions' && queryKey[2] === 'pages') }),
    /** Drops all but the first pages, so that the next visit reads only those. */
    shorten: () => each((data) => data.pages.length < 4 ? data : { pages: data.pages.slice(0, 2), pageParams: data.pageParams.slice(0, 2) }),
  }
}
