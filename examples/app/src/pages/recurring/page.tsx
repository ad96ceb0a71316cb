import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useHere } from '../../app/here.tsx'
import { type Recurring, recurringQuery } from '../../data/recurring.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { RecurringForm } from './recurring-form.tsx'
import { RecurringTable } from './recurring-table.tsx'

export function Page() {
  const { context, rights } = useHere()
  const costs = useQuery(recurringQuery(context))
  const [edited, setEdited] = useState<Recurring | 'new' | null>(null)
  const create = rights.write && <button type='button' className='primary' onClick={() => setEdited('new')}>New recurring cost</button>
  return (
    <>
      <PageHead title='Recurring'>{create}</PageHead>
      <ErrorNote error={costs.error} />
      {costs.isPending && <Skeleton rows={6} />}
      {costs.data?.length === 0 && (
        <EmptyState>
          No recurring cost yet: rent, insurances, whatever comes again by itself. What is due is then on the overview, and in the months to come.
        </EmptyState>
      )}
      {costs.data !== undefined && costs.data.length > 0 && <RecurringTable costs={costs.data} onEdit={setEdited} />}
      {edited !== null && <RecurringForm cost={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
    </>
  )
}
