/** The activity log, grouped by request, and undo of a request. */
import { infiniteQueryOptions } from '@tanstack/react-query'
import { type Row, unwrap } from 'finance-client'
import { type Context, finance, withinOf } from './client.ts'

export type Activity = Row<'activity'>

/** The changes of one request, newest first. `isCut` if the page does not contain all of them. */
export type Request = {
  id: string
  happened_at: string
  actor_id: string
  changes: Activity[]
  isCut: boolean
}

const pageSize = 100

/** The newest activity of the context. */
const newestOf = (context: Context, userId: string) =>
  withinOf(context, userId, finance.data.from('activity').select('*')).order('happened_at', {
    ascending: false,
  }).order('id', { ascending: false })
    .limit(pageSize + 1)

type ActivityPage = { requests: Request[], hasMore: boolean }

/**
 * Groups consecutive rows by request. One row more than a page tells whether the last request is
 * complete.
 */
function pageOf(rows: Activity[]): ActivityPage {
  const requests: Request[] = []
  for (const row of rows.slice(0, pageSize)) {
    const last = requests.at(-1)
    if (last?.id === row.change_id) last.changes.push(row)
    else requests.push({
        id: row.change_id,
        happened_at: row.happened_at,
        actor_id: row.actor_id,
        changes: [row],
        isCut: row.change_id === rows[pageSize]?.change_id,
      })
  }
  return { requests, hasMore: rows.length > pageSize }
}

/**
 * Pages of requests. The next page begins before the last request, so that a large import takes
 * only one page.
 */
export const activityQuery = (context: Context, userId: string) =>
  infiniteQueryOptions({
    queryKey: [context.key, 'activity'],
    queryFn: async ({ pageParam, signal }) => {
      const newest = newestOf(context, userId)
      return pageOf(
        await unwrap(
          (pageParam === '' ? newest : newest.lt('happened_at', pageParam)).abortSignal(signal),
        ),
      )
    },
    initialPageParam: '',
    getNextPageParam: ({ requests, hasMore }) => hasMore ? requests.at(-1)?.happened_at : undefined,
  })

/** Undoes a request. @throws FinanceError 409 if a row has changed since */
export const undoRequest = (_: Context, { changes: [first] }: Request) =>
  unwrap(finance.data.rpc('undo', { p_activity_id: first?.id ?? '' }))
