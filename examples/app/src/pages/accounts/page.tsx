import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useHere } from '../../app/here.tsx'
import { type Account, accountsQuery, deleteAccount } from '../../data/accounts.ts'
import { useDeletion } from '../../data/undo.ts'
import { Answer } from '../../parts/answer.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { AccountForm } from './account-form.tsx'
import { AccountTable } from './account-table.tsx'

export function Page() {
  const { context, rights } = useHere()
  const accounts = useQuery(accountsQuery(context))
  const [edited, setEdited] = useState<Account | 'new' | null>(null)
  const remove = useDeletion(deleteAccount, ({ name }) => name)
  return (
    <>
      <PageHead title='Accounts'>
        <Link to='/exchange-rates'>Exchange rates</Link>
        {rights.write && <button type='button' className='primary' onClick={() => setEdited('new')}>New account</button>}
      </PageHead>
      <Answer to={[accounts]} empty={<EmptyState>No account yet. An account is where money lies: at a bank, on a card, in a drawer.</EmptyState>}>
        {(rows) => <AccountTable accounts={rows} onEdit={setEdited} onDelete={remove} />}
      </Answer>
      {edited !== null && <AccountForm account={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
    </>
  )
}
