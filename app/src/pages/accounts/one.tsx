/** One account: its balance, its agreement with the bank and its closed days. */
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import { type Account, accountsQuery, accountTypes, balanceOf } from '../../data/accounts.ts'
import { formatDay } from '../../locale/days.ts'
import { accounts as named } from '../../messages/accounts.ts'
import { reconciliation as m } from '../../messages/reconciliation.ts'
import { common } from '../../messages/common.ts'
import { QueryBoundary } from '../../parts/query-boundary.tsx'
import { Amount, Card, EmptyState, PageHead, RowsLink } from '../../parts/ui.tsx'
import { AccountForm } from './account-form.tsx'
import { ClosedAccount } from './closed-days.tsx'
import { Reconciliation } from './reconciliation.tsx'

export function Page() {
  const { context } = useSessionContext()
  const { accountId } = useParams({ strict: false })
  const accounts = useQuery({
    ...accountsQuery(context),
    select: (rows) => rows.filter(({ id }) => id === accountId),
  })
  const empty = (
    <EmptyState action={<Link to='/accounts'>{m.allAccounts}</Link>}>{m.notFound}</EmptyState>
  )
  return (
    <QueryBoundary of={[accounts]} empty={empty}>
      {(rows) => rows.map((account) => <One key={account.id} account={account} />)}
    </QueryBoundary>
  )
}

function One({ account }: { account: Account }) {
  const { rights } = useSessionContext()
  /** The account as its form was opened. */
  const [edited, setEdited] = useState<Account | null>(null)
  const { id, name, type, currency, institution, closed_on } = account
  return (
    <>
      <PageHead title={name}>
        <Link to='/accounts'>{m.allAccounts}</Link>
        <RowsLink account={id}>{m.viewTransactions}</RowsLink>
        {rights.write && (
          <button type='button' onClick={() => setEdited(account)}>{common.edit}</button>
        )}
      </PageHead>
      <div className='report-cards'>
        <div className='report-card report-card-wide'>
          <p>
            {[
              accountTypes[type],
              ...institution === null ? [] : [institution],
              ...closed_on === null ? [] : [named.closedSince(formatDay(closed_on))],
            ].join(
              ', ',
            )}
          </p>
          <p>
            {m.currentBalance}: <Amount value={balanceOf(account)} currency={currency} />
          </p>
        </div>
        <Card title={m.title} className='report-card report-card-wide'>
          <Reconciliation account={account} />
        </Card>
        <Card title={m.closedPeriods}>
          <ClosedAccount account={account} />
        </Card>
      </div>
      {edited !== null && <AccountForm account={edited} onClose={() => setEdited(null)} />}
    </>
  )
}
