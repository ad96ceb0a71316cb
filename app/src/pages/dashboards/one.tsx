/** One dashboard. Users with the right to write can arrange it. */
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import { useChange } from '../../data/change.ts'
import {
  type Dashboard,
  dashboardsQuery,
  deleteDashboard,
  saveDashboard,
  useDashboardChange,
} from '../../data/dashboards.ts'
import { common } from '../../messages/common.ts'
import { dashboards as m } from '../../messages/dashboards.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { EmptyState, ErrorNote, PageHead, Skeleton } from '../../parts/ui.tsx'
import { useToast } from '../../parts/toast.tsx'
import { Arrange } from './arrange.tsx'
import { Grid } from './grid.tsx'
import { RangeChoice, usualRange } from './ranges.tsx'

export function Page() {
  const { context } = useSessionContext()
  const { dashboardId } = useParams({ strict: false })
  const dashboards = useQuery(dashboardsQuery(context))
  const dashboard = dashboards.data?.find(({ id }) => id === dashboardId)
  if (dashboards.error !== null) return <ErrorNote error={dashboards.error} />
  if (dashboards.data === undefined) return <Skeleton rows={6} />
  if (dashboard === undefined) {
    return (
      <EmptyState action={<Link to='/dashboards'>{m.allDashboards}</Link>}>{m.notFound}</EmptyState>
    )
  }
  return <One key={dashboard.id} dashboard={dashboard} />
}

function One({ dashboard }: { dashboard: Dashboard }) {
  const { team, rights } = useSessionContext()
  const [isArranging, setIsArranging] = useState(false)
  const [isDeleting, setIsDeleting] = useState(false)
  const [range, setRange] = useState(dashboard.date_range ?? usualRange)
  const toast = useToast()
  const isShared = dashboard.visibility !== 'private'
  const share = useDashboardChange(
    saveDashboard,
    ({ visibility }) =>
      toast(visibility === 'private' ? m.unshared : m.shared(team?.name ?? m.theTeam)),
  )
  if (isArranging)
    return (
      <Arrange
        dashboard={dashboard}
        range={range}
        onRange={setRange}
        onClose={() => setIsArranging(false)}
      />
    )
  return (
    <>
      <PageHead title={dashboard.name}>
        <RangeChoice range={range} onChoose={setRange} />
        {rights.write && (
          <>
            <button type='button' onClick={() => setIsArranging(true)}>{m.arrange}</button>
            {team !== null && (
              <button
                type='button'
                disabled={share.isPending}
                onClick={() =>
                  share.mutate({
                    dashboard,
                    values: { visibility: isShared ? 'private' : 'shared' },
                  })}
              >
                {isShared ? m.stopSharing : m.shareWithViewers}
              </button>
            )}
            <button type='button' onClick={() => setIsDeleting(true)}>{common.delete}</button>
          </>
        )}
      </PageHead>
      <ErrorNote error={share.error} />
      {dashboard.layout.widgets.length === 0 && (
        <EmptyState>{rights.write ? m.emptyHint : m.empty}</EmptyState>
      )}
      <Grid widgets={dashboard.layout.widgets} range={range} />
      {isDeleting && <DeleteDashboard dashboard={dashboard} onClose={() => setIsDeleting(false)} />}
    </>
  )
}

function DeleteDashboard({ dashboard, onClose }: { dashboard: Dashboard, onClose: () => void }) {
  const navigate = useNavigate()
  const remove = useChange(deleteDashboard, {
    outcome: (_, { name }) => ({ text: common.deleted(name) }),
    onStored: () => void navigate({ to: '/dashboards' }),
  })
  return (
    <Confirm
      title={common.deleteQuestion(dashboard.name)}
      action={common.delete}
      error={remove.error}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate(dashboard)}
      onClose={onClose}
    >
      <p>{m.deleteHint}</p>
    </Confirm>
  )
}
