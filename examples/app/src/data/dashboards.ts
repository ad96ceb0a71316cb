/** Dashboards: arrangements of widgets, one's own or a team's. */
import { queryOptions, type UseMutationResult, useQueryClient } from '@tanstack/react-query'
import { type DashboardLayout, type DateRange, type Row, type RowChange, unwrap } from 'finance-client'
import { useHere } from '../app/here.tsx'
import { useChange } from './change.ts'
import { finance } from './client.ts'
import { type Context, rowOf, within } from './context.ts'

export type Dashboard = Row<'dashboards'>
export type Widget = DashboardLayout['widgets'][number]

export const dashboardsQuery = (context: Context) =>
  queryOptions({
    queryKey: [context.key, 'dashboards'],
    queryFn: ({ signal }) => unwrap(within(context, finance.data.from('dashboards').select()).order('name').order('id').abortSignal(signal)),
  })

/** All that the person sees, to begin a new one with: in a team one's personal ones too, so that they can be shared there. */
export const modelsQuery = (context: Context) =>
  queryOptions({
    queryKey: [context.key, 'dashboards', 'models'],
    queryFn: ({ signal }) => unwrap(finance.data.from('dashboards').select('id,name,layout,organization_id').order('name').order('id').abortSignal(signal)),
  })

/** A change whose answer is known at once: what is done next with the dashboard begins with it as it is now. */
export function useDashboardChange<Input>(
  work: (context: Context, input: Input) => Promise<Dashboard>,
  then: (stored: Dashboard) => void,
): UseMutationResult<Dashboard, Error, Input> {
  const client = useQueryClient()
  const { context } = useHere()
  return useChange(work, (stored: Dashboard) => {
    client.setQueryData(dashboardsQuery(context).queryKey, (all) => all && [...all.filter(({ id }) => id !== stored.id), stored])
    then(stored)
  })
}

export type NewDashboard = { name: string, visibility: Dashboard['visibility'], layout: DashboardLayout, date_range: DateRange }

export const createDashboard = (context: Context, values: NewDashboard) =>
  unwrap(finance.data.from('dashboards').insert(rowOf(context, values)).select().single())

type DashboardChange = { dashboard: Dashboard, values: Pick<RowChange<'dashboards'>, 'name' | 'layout' | 'visibility' | 'date_range'> }

/** Stores a change of what the person has seen. @throws when somebody has stored another one meanwhile */
export async function saveDashboard(_: Context, { dashboard: { id, updated_at: seenAt }, values }: DashboardChange): Promise<Dashboard> {
  const [saved] = await unwrap(finance.data.from('dashboards').update(values).eq('id', id).eq('updated_at', seenAt).select())
  if (saved === undefined) throw new Error('Somebody has changed or deleted this dashboard meanwhile. Cancel, and look at it as it is now')
  return saved
}

/** There is no way back: dashboards are not in activity. */
export const deleteDashboard = async (_: Context, { id }: Dashboard): Promise<void> => {
  await unwrap(finance.data.from('dashboards').delete().eq('id', id))
}
