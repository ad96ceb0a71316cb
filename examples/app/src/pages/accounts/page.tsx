import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useSessionContext } from '../../app/session-context.tsx'
import { type Account, accountsQuery, deleteAccount } from '../../data/accounts.ts'
import { useDeletion } from '../../data/change.ts'
import { accounts as m, common } from '../../messages/en.ts'
import { QueryBoundary } from '../../parts/query-boundary.tsx'
import { EmptyState, PageHead } from '../../parts/ui.tsx'
import { AccountForm } from './account-form.tsx'
import { AccountTable } from './account-table.tsx'

export function Page() {
  const { context, rights } = useSessionContext()
  const accounts = useQuery(accountsQuery(context))
  const [edited, setEdited] = useState<Account | 'new' | null>(null)
  const remove = useDeletion(deleteAccount, ({ name }) => name)
  return (
    <>
      <PageHead title={m.accounts}>
        <Link to='/exchange-rates'>{common.exchangeRates}</Link>
        {rights.write && <button type='button' className='primary' onClick={() => setEdited('new')}>{m.newAccount}</button>}
      </PageHead>
      <QueryBoundary of={[accounts]} empty={<EmptyState>{m.noAccountYetAnAccount}</EmptyState>}>
        {(rows) => <AccountTable accounts={rows} onEdit={setEdited} onDelete={remove} />}
      </QueryBoundary>
      {edited !== null && <AccountForm account={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
    </>
  )
}
