/** Dashboards of the user or of a team. */
import { queryOptions, type UseMutationResult, useQueryClient } from '@tanstack/react-query'
import {
  type DashboardLayout,
  type DateRange,
  type Row,
  type RowChange,
  unwrap,
} from 'finance-client'
import { useSessionContext } from '../shell/session-context.tsx'
import { useChange } from './change.ts'
import { type Context, finance, rowOf, within } from './client.ts'
import { dashboards as m } from '../messages/dashboards.ts'

export type Dashboard = Row<'dashboards'>
export type Widget = DashboardLayout['widgets'][number]

export const dashboardsQuery = (context: Context) =>
  queryOptions({
    queryKey: [context.key, 'dashboards'],
    queryFn: ({ signal }) =>
      unwrap(
        within(context, finance.data.from('dashboards').select()).order('name').order('id')
          .abortSignal(signal),
      ),
  })

/**
 * Dashboards to start a new one from. In a team they include personal ones, so that users can share
 * them.
 */
export const modelsQuery = (context: Context) =>
  queryOptions({
    queryKey: [context.key, 'dashboards', 'models'],
    queryFn: ({ signal }) =>
      unwrap(
        finance.data.from('dashboards').select('id,name,layout,organization_id').order('name')
          .order('id').abortSignal(signal),
      ),
  })

/**
 * Puts the response of a change into the cache, because the next change of the dashboard needs its
 * time stamp.
 */
export function useDashboardChange<Input>(
  work: (context: Context, input: Input) => Promise<Dashboard>,
  then: (stored: Dashboard) => void,
): UseMutationResult<Dashboard, Error, Input> {
  const client = useQueryClient()
  const { context } = useSessionContext()
  return useChange(work, {
    onStored: (stored) => {
      client.setQueryData(
        dashboardsQuery(context).queryKey,
        (all) => all && [...all.filter(({ id }) => id !== stored.id), stored],
      )
      then(stored)
    },
  })
}

type NewDashboard = {
  name: string
  visibility: Dashboard['visibility']
  layout: DashboardLayout
  date_range: DateRange
}

export const createDashboard = (context: Context, values: NewDashboard) =>
  unwrap(finance.data.from('dashboards').insert(rowOf(context, values)).select().single())

type DashboardChange = {
  dashboard: Dashboard
  values: Pick<RowChange<'dashboards'>, 'name' | 'layout' | 'visibility' | 'date_range'>
}

/** Changes a dashboard. @throws if another user has changed it meanwhile */
export async function saveDashboard(
  _: Context,
  { dashboard: { id, updated_at: seenAt }, values }: DashboardChange,
): Promise<Dashboard> {
  const [saved] = await unwrap(
    finance.data.from('dashboards').update(values).eq('id', id).eq('updated_at', seenAt).select(),
  )
  if (saved === undefined) throw new Error(m.conflict)
  return saved
}

/** Cannot be undone, because dashboards have no activity. */
export const deleteDashboard = async (_: Context, { id }: Dashboard): Promise<void> => {
  await unwrap(finance.data.from('dashboards').delete().eq('id', id))
}
