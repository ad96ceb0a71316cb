import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useReopenedDraft } from '../../shell/drafts.ts'
import { useSessionContext } from '../../shell/session-context.tsx'
import { deleteRecurring, type Recurring, recurringQuery } from '../../data/recurring.ts'
import { useDeletion } from '../../data/change.ts'
import { recurring as m } from '../../messages/recurring.ts'
import { QueryBoundary } from '../../parts/query-boundary.tsx'
import { EmptyState, PageHead, Skeleton } from '../../parts/ui.tsx'
import { Calendar } from './calendar.tsx'
import { Forecast } from './forecast.tsx'
import { RecurringForm } from './recurring-form.tsx'
import { RecurringTable } from './recurring-table.tsx'
import './recurring.css'

export function Page() {
  const { context, rights } = useSessionContext()
  const costs = useQuery(recurringQuery(context))
  const [edited, setEdited] = useState<Recurring | 'new' | null>(null)
  useReopenedDraft(
    'recurring',
    (id) => setEdited(id === 'new' ? id : costs.data?.find((cost) => cost.id === id) ?? null),
    costs.isSuccess,
  )
  const remove = useDeletion(deleteRecurring, ({ title }) => title)
  return (
    <>
      <PageHead title={m.title}>
        {rights.write && (
          <button type='button' className='primary' onClick={() => setEdited('new')}>
            {m.newItem}
          </button>
        )}
      </PageHead>
      <QueryBoundary
        of={[costs]}
        empty={<EmptyState>{m.empty}</EmptyState>}
        loading={<Skeleton rows={6} />}
      >
        {(rows) => (
          <div className='recurring'>
            <Calendar onEdit={(id) => setEdited(rows.find((cost) => cost.id === id) ?? null)} />
            <section className='recurring-list' aria-labelledby='recurring-list'>
              <h2 id='recurring-list'>{m.allRecurring}</h2>
              <RecurringTable costs={rows} onEdit={setEdited} onDelete={remove} />
            </section>
          </div>
        )}
      </QueryBoundary>
      <div className='report-cards'>
        <Forecast />
      </div>
      {edited !== null && (
        <RecurringForm
          cost={edited === 'new' ? null : edited}
          onClose={() => setEdited(null)}
        />
      )}
    </>
  )
}
