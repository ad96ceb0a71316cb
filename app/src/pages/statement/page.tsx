/** The reconciliation of an account with one statement of its bank. */
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Fragment, useEffect, useId, useState } from 'react'
import { useDraft } from '../../shell/drafts.ts'
import { useSessionContext, useUnsavedInput } from '../../shell/session-context.tsx'
import { type Account, accountsQuery } from '../../data/accounts.ts'
import { reconciliationQuery } from '../../data/balances.ts'
import { startOf, type StatementStart } from '../../data/explanations.ts'
import { statementRowsQuery } from '../../data/transactions/api.ts'
import { formatDay } from '../../locale/days.ts'
import { addDays } from '../../locale/months.ts'
import { reconciliation } from '../../messages/reconciliation.ts'
import { statement as m } from '../../messages/statement.ts'
import { QueryBoundary } from '../../parts/query-boundary.tsx'
import { EmptyState, PageHead } from '../../parts/ui.tsx'
import { StatementRows } from './rows.tsx'
import { Summary } from './summary.tsx'
import './statement.css'

export function Page() {
  const { context } = useSessionContext()
  const { accountId = '', day = '' } = useParams({ strict: false })
  const accounts = useQuery({
    ...accountsQuery(context),
    select: (rows) => rows.filter(({ id }) => id === accountId),
  })
  const empty = (
    <EmptyState action={<Link to='/accounts'>{reconciliation.allAccounts}</Link>}>
      {reconciliation.notFound}
    </EmptyState>
  )
  return (
    <QueryBoundary of={[accounts]} empty={empty}>
      {(rows) =>
        rows.map((account) => (
          <OfAccount
            key={`${account.id} ${day}`}
            account={account}
            day={day}
          />
        ))}
    </QueryBoundary>
  )
}

function OfAccount({ account, day }: { account: Account, day: string }) {
  const { context } = useSessionContext()
  const compared = useQuery({
    ...reconciliationQuery(context, account.id),
    select: (rows): StatementStart[] => {
      const start = startOf(account, rows, day)
      return start === undefined ? [] : [start]
    },
  })
  const toTheAccount = (
    <Link to='/accounts/$accountId' params={{ accountId: account.id }}>{m.backToAccount}</Link>
  )
  return (
    <QueryBoundary
      of={[compared]}
      empty={<EmptyState action={toTheAccount}>{m.noBalance}</EmptyState>}
    >
      {(starts) =>
        starts.map((start) => (
          <Fragment key={day}>
            <PageHead title={m.title(account.name, formatDay(day))}>{toTheAccount}</PageHead>
            <Statement account={account} start={start} />
          </Fragment>
        ))}
    </QueryBoundary>
  )
}

/**
 * The ids of the rows that the user has found on the statement. They survive a reload as long as
 * the account differs.
 */
function useTicks(
  name: string,
  differs: boolean,
): [ReadonlySet<string>, (ids: readonly string[]) => void] {
  const { restored, keep, drop } = useDraft(name, { ticked: [] })
  const [ticked, setTicked] = useState<ReadonlySet<string>>(() =>
    new Set(restored?.['ticked'] as string[] | undefined)
  )
  useUnsavedInput(useId(), differs && ticked.size > 0)
  useEffect(() => {
    if (!differs) drop()
  }, [differs, drop])
  return [ticked, (ids) => {
    setTicked(new Set(ids))
    if (differs) keep({ ticked: ids })
  }]
}

function Statement({ account, start }: { account: Account, start: StatementStart }) {
  const { context, user } = useSessionContext()
  const { agreedOn, of: { on_date: day, difference } } = start
  const loaded = useQuery(
    statementRowsQuery(
      context,
      user.id,
      account.id,
      agreedOn === null ? null : addDays(agreedOn, 1),
      day,
    ),
  )
  const [ticked, setTicked] = useTicks(`statement ${account.id} ${day}`, difference !== 0)
  const { rows, areAll } = loaded.data ?? { rows: [], areAll: true }
  return (
    <div className='statement'>
      <Summary {...{ account, start, rows, areAll, ticked }} />
      <section
        className='statement-rows'
        aria-label={agreedOn === null ? m.sinceStart : m.since(formatDay(agreedOn))}
      >
        <h2>{agreedOn === null ? m.sinceStart : m.since(formatDay(agreedOn))}</h2>
        <QueryBoundary of={[loaded]} empty={null}>
          {(all) => (
            <StatementRows
              {...all}
              currency={account.currency}
              ticked={ticked}
              onTick={setTicked}
            />
          )}
        </QueryBoundary>
      </section>
    </div>
  )
}
