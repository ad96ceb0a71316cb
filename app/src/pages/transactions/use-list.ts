/** The queries of the page. */
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import { accountsQuery } from '../../data/accounts.ts'
import { categoriesQuery, tagsQuery } from '../../data/categories.ts'
import { type Listed, totalsQuery, transactionPages } from '../../data/transactions/api.ts'
import type { TransactionView } from '../../data/transactions/filters.ts'
import { cachedList } from '../../data/transactions/pages.ts'
import { countOf } from './bars.tsx'

/** The maximum number of rows that the database sorts by any column. */
const sortable = 10_000

const noRows: never[] = []

export function useTransactionList(view: TransactionView) {
  const { context, user } = useSessionContext()
  const existing = useQuery(categoriesQuery(context))
  const categories = existing.data ?? noRows
  const subcategories = useMemo(
    () =>
      categories.filter(({ parent_id: parent }) => parent !== null && parent === view.parent)
        .map(({ id }) => id),
    [
      categories,
      view.parent,
    ],
  )
  const list: Listed = { userId: user.id, view, subcategories }
  // without the categories the subcategories of a parent are unknown
  const waits = view.parent !== undefined && existing.data === undefined && { enabled: false }
  const pages = useInfiniteQuery({ ...transactionPages(context, list), ...waits })
  const totals = useQuery({ ...totalsQuery(context, list), ...waits })
  const accounts = useQuery(accountsQuery(context)).data ?? noRows
  const tags = useQuery(tagsQuery(context)).data ?? noRows
  const rows = useMemo(() => pages.data?.pages.flatMap((page) => page.rows) ?? noRows, [pages.data])
  const names = useMemo(() => ({
    categories: new Map(categories.map(({ id, name }) => [id, name])),
    colors: new Map(categories.map(({ id, color }) => [id, color])),
    accounts: new Map(accounts.map(({ id, name }) => [id, name])),
  }), [categories, accounts])
  const count = countOf(totals.data)

  const { fetchNextPage, isFetching, hasNextPage } = pages
  const loadMore = useCallback(() => {
    if (!isFetching) void fetchNextPage()
  }, [isFetching, fetchNextPage])
  // without rows the list has no end that would load more
  const isEmptied = rows.length === 0 && hasNextPage
  useEffect(() => {
    if (isEmptied) loadMore()
  }, [isEmptied, loadMore])

  const client = useQueryClient()
  const { key, id } = context
  useEffect(() => () => void cachedList(client, { key, id }).shorten(), [client, key, id])

  return {
    list,
    rows,
    names,
    categories,
    accounts,
    tags,
    totals: totals.data,
    isSortable: count !== null && count <= sortable,
    hasMore: hasNextPage,
    loadMore,
    isLoading: pages.isPending || (isEmptied && !pages.isError),
    isEmpty: pages.isSuccess && rows.length === 0 && !isEmptied,
    error: pages.error ?? totals.error ?? existing.error,
  }
}
