import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import { type Dashboard, dashboardsQuery } from '../../data/dashboards.ts'
import { common } from '../../messages/common.ts'
import { dashboards as m } from '../../messages/dashboards.ts'
import { QueryBoundary } from '../../parts/query-boundary.tsx'
import { EmptyState, PageHead } from '../../parts/ui.tsx'
import { NewDashboard } from './new-dashboard.tsx'

const seenBy = ({ visibility }: Dashboard) =>
  visibility === 'private' ? m.hiddenFromViewers : m.visibleToTeam

export function Page() {
  const { context, team, rights } = useSessionContext()
  const dashboards = useQuery(dashboardsQuery(context))
  const [isNew, setIsNew] = useState(false)
  return (
    <>
      <PageHead title={m.dashboards}>
        {rights.write && (
          <button type='button' className='primary' onClick={() => setIsNew(true)}>
            {m.newDashboard}
          </button>
        )}
      </PageHead>
      <QueryBoundary
        of={[dashboards]}
        empty={
          <EmptyState>
            {rights.write ? m.listEmpty : m.listEmptyForViewers}
          </EmptyState>
        }
      >
        {(rows) => (
          <table>
            <thead>
              <tr>
                <th>{common.name}</th>
                <th>{m.widgets}</th>
                {team !== null && <th>{m.visibleTo}</th>}
              </tr>
            </thead>
            <tbody>
              {rows.map((dashboard) => (
                <tr key={dashboard.id}>
                  <th scope='row'>
                    <Link to='/dashboards/$dashboardId' params={{ dashboardId: dashboard.id }}>
                      {dashboard.name}
                    </Link>
                  </th>
                  <td>{dashboard.layout.widgets.length}</td>
                  {team !== null && <td>{seenBy(dashboard)}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </QueryBoundary>
      {isNew && <NewDashboard onClose={() => setIsNew(false)} />}
    </>
  )
}
