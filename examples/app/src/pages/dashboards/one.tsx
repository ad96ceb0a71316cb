/** One dashboard: looked at by everybody who sees it, arranged by those who may write. */
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useHere } from '../../app/here.tsx'
import { type Dashboard, dashboardsQuery, saveDashboard, useDashboardChange } from '../../data/dashboards.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useTell } from '../../parts/toast.tsx'
import { Arrange } from './arrange.tsx'
import { DeleteDashboard } from './delete-dashboard.tsx'
import { Grid } from './grid.tsx'
import { RangeChoice } from './range-choice.tsx'
import { usualRange } from './ranges.ts'

export function Page() {
  const { context } = useHere()
  const { dashboardId } = useParams({ strict: false })
  const dashboards = useQuery(dashboardsQuery(context))
  const dashboard = dashboards.data?.find(({ id }) => id === dashboardId)
  if (dashboards.error !== null) return <ErrorNote error={dashboards.error} />
  if (dashboards.data === undefined) return <Skeleton rows={6} />
  if (dashboard === undefined) {
    return (
      <EmptyState action={<Link to='/dashboards'>All dashboards</Link>}>This dashboard is not here: it was deleted, or belongs to another context.</EmptyState>
    )
  }
  return <One key={dashboard.id} dashboard={dashboard} />
}

function One({ dashboard }: { dashboard: Dashboard }) {
  const { team, rights } = useHere()
  const [isArranging, setIsArranging] = useState(false)
  const [isDeleting, setIsDeleting] = useState(false)
  const [range, setRange] = useState(dashboard.date_range ?? usualRange)
  const tell = useTell()
  const isShared = dashboard.visibility !== 'private'
  const share = useDashboardChange(
    saveDashboard,
    ({ visibility }) => tell(visibility === 'private' ? 'Viewers see it no longer.' : `Everybody in ${team?.name ?? 'the team'} sees it now.`),
  )
  if (isArranging) return <Arrange dashboard={dashboard} range={range} onRange={setRange} onClose={() => setIsArranging(false)} />
  return (
    <>
      <PageHead title={dashboard.name}>
        <RangeChoice range={range} onChoose={setRange} />
        {rights.write && (
          <>
            <button type='button' onClick={() => setIsArranging(true)}>Arrange</button>
            {team !== null && (
              <button
                type='button'
                disabled={share.isPending}
                onClick={() => share.mutate({ dashboard, values: { visibility: isShared ? 'private' : 'shared' } })}
              >
                {isShared ? 'Stop sharing' : 'Share with viewers'}
              </button>
            )}
            <button type='button' onClick={() => setIsDeleting(true)}>Delete</button>
          </>
        )}
      </PageHead>
      <ErrorNote error={share.error} />
      {dashboard.layout.widgets.length === 0 && (
        <EmptyState>{rights.write ? 'No widget yet. Arrange it to add the first.' : 'There is no widget on it yet.'}</EmptyState>
      )}
      <Grid widgets={dashboard.layout.widgets} range={range} />
      {isDeleting && <DeleteDashboard dashboard={dashboard} onClose={() => setIsDeleting(false)} />}
    </>
  )
}
