import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useSessionContext } from '../../app/session-context.tsx'
import { type Dashboard, dashboardsQuery } from '../../data/dashboards.ts'
import { QueryBoundary } from '../../parts/query-boundary.tsx'
import { EmptyState, PageHead } from '../../parts/ui.tsx'
import { NewDashboard } from './new-dashboard.tsx'

const seenBy = ({ visibility }: Dashboard) => visibility === 'private' ? 'Not for viewers' : 'For everybody in the team'

export function Page() {
  const { context, team, rights } = useSessionContext()
  const dashboards = useQuery(dashboardsQuery(context))
  const [isNew, setIsNew] = useState(false)
  return (
    <>
      <PageHead title='Dashboards'>
        {rights.write && <button type='button' className='primary' onClick={() => setIsNew(true)}>New dashboard</button>}
      </PageHead>
      <QueryBoundary
        of={[dashboards]}
        empty={
          <EmptyState>
            {rights.write ? 'No dashboard yet. A dashboard shows the numbers that you want to see together.' : 'No dashboard is shared with viewers yet.'}
          </EmptyState>
        }
      >
        {(rows) => (
          <table>
            <thead>
              <tr>
                <th>Name</th>
                <th>Widgets</th>
                {team !== null && <th>Who sees it</th>}
              </tr>
            </thead>
            <tbody>
              {rows.map((dashboard) => (
                <tr key={dashboard.id}>
                  <th scope='row'>
                    <Link to='/dashboards/$dashboardId' params={{ dashboardId: dashboard.id }}>{dashboard.name}</Link>
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
