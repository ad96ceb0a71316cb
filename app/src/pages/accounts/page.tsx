import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useReopenedDraft } from '../../shell/drafts.ts'
import { useSessionContext } from '../../shell/session-context.tsx'
import {
  type Account,
  accountsQuery,
  comingQuery,
  deleteAccount,
  isClosed,
} from '../../data/accounts.ts'
import { useDeletion } from '../../data/change.ts'
import { accounts as m } from '../../messages/accounts.ts'
import { reconciliation } from '../../messages/reconciliation.ts'
import { common } from '../../messages/common.ts'
import { QueryBoundary } from '../../parts/query-boundary.tsx'
import { NetWorth } from '../../parts/reports/net-worth.tsx'
import { Card, EmptyState, PageHead } from '../../parts/ui.tsx'
import { AccountForm } from './account-form.tsx'
import { AccountTable } from './account-table.tsx'
import { ClosedContext } from './closed-days.tsx'
import { Forecast } from './forecast.tsx'

export function Page() {
  const { context, rights } = useSessionContext()
  const accounts = useQuery(accountsQuery(context))
  const [edited, setEdited] = useState<Account | 'new' | null>(null)
  useReopenedDraft(
    'account',
    (id) =>
      setEdited(id === 'new' ? id : accounts.data?.find((account) => account.id === id) ?? null),
    accounts.isSuccess,
  )
  const remove = useDeletion(deleteAccount, ({ name }) => name)
  return (
    <>
      <PageHead title={m.accounts}>
        <Link to='/exchange-rates'>{common.exchangeRates}</Link>
        {rights.write && (
          <button type='button' className='primary' onClick={() => setEdited('new')}>
            {m.newAccount}
          </button>
        )}
      </PageHead>
      <QueryBoundary of={[accounts]} empty={<EmptyState>{m.empty}</EmptyState>}>
        {(rows) => (
          <div className='report-cards report-cards-main'>
            <Tables accounts={rows} onEdit={setEdited} onDelete={remove} />
            <Card title={m.netWorth}>
              <NetWorth />
            </Card>
            <Forecast accounts={rows} />
            <Card title={reconciliation.closedPeriods}>
              <ClosedContext />
            </Card>
          </div>
        )}
      </QueryBoundary>
      {edited !== null && (
        <AccountForm
          account={edited === 'new' ? null : edited}
          onClose={() => setEdited(null)}
        />
      )}
    </>
  )
}

type TablesProps = {
  accounts: Account[]
  onEdit: (account: Account) => void
  onDelete: (account: Account) => void
}

/** The open accounts, and the closed ones under a fold. */
function Tables({ accounts, ...does }: TablesProps) {
  const { context } = useSessionContext()
  const coming = useQuery(comingQuery(context)).data ?? []
  const [open, closed] = [
    accounts.filter((account) => !isClosed(account)),
    accounts.filter(isClosed),
  ]
  return (
    <div className='report-card report-card-wide'>
      {open.length > 0 && <AccountTable accounts={open} coming={coming} {...does} />}
      {coming.length > 0 && <p className='field-note'>{m.upcomingHint}</p>}
      {closed.length > 0 && (
        <details>
          <summary>{m.closedAccounts}</summary>
          <AccountTable accounts={closed} coming={coming} {...does} />
        </details>
      )}
    </div>
  )
}
