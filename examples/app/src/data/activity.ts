/** Activity: who changed what, request by request, and the way back from a request. */
import { infiniteQueryOptions } from '@tanstack/react-query'
import { type Row, unwrap } from 'finance-client'
import { finance } from './client.ts'
import { type Context, within } from './context.ts'

export type Activity = Row<'activity'>

/** What one request has changed: the newest of it first. `isCut` where it has changed more than a page of activity shows. */
export type Request = { id: string, happened_at: string, actor_id: string, changes: Activity[], isCut: boolean }

const pageSize = 100

/** The context's own, newest first, which reads no more than the page. */
const newestOf = (context: Context, userId: string) => {
  const own = within(context, finance.data.from('activity').select('*'))
  return (context.id === null ? own.eq('user_id', userId) : own).order('happened_at', { ascending: false }).order('id', { ascending: false }).limit(
    pageSize + 1,
  )
}

type ActivityPage = { requests: Request[], hasMore: boolean }

/** Puts together what a request did; its rows follow each other. One row more than a page says whether the last is whole. */
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

/** Page after page. The next begins before the request that a page ends in: an import of thousands of rows is one line, and is passed by one page. */
export const activityQuery = (context: Context, userId: string) =>
  infiniteQueryOptions({
    queryKey: [context.key, 'activity'],
    queryFn: async ({ pageParam, signal }) => {
      const newest = newestOf(context, userId)
      return pageOf(await unwrap((pageParam === '' ? newest : newest.lt('happened_at', pageParam)).abortSignal(signal)))
    },
    initialPageParam: '',
    getNextPageParam: ({ requests, hasMore }) => hasMore ? requests.at(-1)?.happened_at : undefined,
  })

/** Takes back all that a request did. @throws FinanceError 409 when something of it has changed since */
export const undoRequest = (_: Context, { changes: [first] }: Request) => unwrap(finance.data.rpc('undo', { p_activity_id: first?.id ?? '' }))
