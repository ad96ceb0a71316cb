import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useHere } from '../../app/here.tsx'
import { type Account, accountsQuery } from '../../data/accounts.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { AccountForm } from './account-form.tsx'
import { AccountTable } from './account-table.tsx'
import { DeleteAccount, useDeleteAccount } from './delete-account.tsx'

export function Page() {
  const { context, rights } = useHere()
  const accounts = useQuery(accountsQuery(context))
  const [edited, setEdited] = useState<Account | 'new' | null>(null)
  const deletion = useDeleteAccount()
  const create = rights.write && <button type='button' className='primary' onClick={() => setEdited('new')}>New account</button>
  return (
    <>
      <PageHead title='Accounts'>{create}</PageHead>
      <ErrorNote error={accounts.error} />
      {accounts.isPending && <Skeleton />}
      {accounts.data?.length === 0 && <EmptyState>No account yet. An account is where money lies: at a bank, on a card, in a drawer.</EmptyState>}
      {accounts.data !== undefined && accounts.data.length > 0 && <AccountTable accounts={accounts.data} onEdit={setEdited} onDelete={deletion.ask} />}
      {edited !== null && <AccountForm account={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
      <DeleteAccount deletion={deletion} />
    </>
  )
}
