import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useHere } from '../../app/here.tsx'
import { deleteRecurring, type Recurring, recurringQuery } from '../../data/recurring.ts'
import { useDeletion } from '../../data/undo.ts'
import { Answer } from '../../parts/answer.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { RecurringForm } from './recurring-form.tsx'
import { RecurringTable } from './recurring-table.tsx'

export function Page() {
  const { context, rights } = useHere()
  const costs = useQuery(recurringQuery(context))
  const [edited, setEdited] = useState<Recurring | 'new' | null>(null)
  const remove = useDeletion(deleteRecurring, ({ title }) => title)
  return (
    <>
      <PageHead title='Recurring'>
        {rights.write && <button type='button' className='primary' onClick={() => setEdited('new')}>New recurring cost</button>}
      </PageHead>
      <Answer
        to={[costs]}
        empty={
          <EmptyState>
            No recurring cost yet: rent, insurances, whatever comes again by itself. What is due is then on the overview, and in the months to come.
          </EmptyState>
        }
        shape={<Skeleton rows={6} />}
      >
        {(rows) => <RecurringTable costs={rows} onEdit={setEdited} onDelete={remove} />}
      </Answer>
      {edited !== null && <RecurringForm cost={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
    </>
  )
}
