/** The bank's balance beside the computed one, and what would make them agree. */
import { useState } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import type { Account } from '../../data/accounts.ts'
import { closeAccountDays } from '../../data/balances.ts'
import { useChange } from '../../data/change.ts'
import { explanationsOf, type StatementStart } from '../../data/explanations.ts'
import type { StatementPage } from '../../data/transactions/api.ts'
import { formatAmount, sumOf } from '../../locale/amounts.ts'
import { formatDay } from '../../locale/days.ts'
import { reconciliation } from '../../messages/reconciliation.ts'
import { statement as m } from '../../messages/statement.ts'
import { ErrorNote } from '../../parts/ui.tsx'
import { Correct } from './correct.tsx'
import { Explanations } from './explanations.tsx'

type SummaryProps = StatementPage & {
  account: Account
  start: StatementStart
  ticked: ReadonlySet<string>
}

export function Summary({ account, start: { of, balance }, rows, areAll, ticked }: SummaryProps) {
  const { rights } = useSessionContext()
  const [isBooking, setIsBooking] = useState(false)
  const say = (amount: number) => formatAmount(amount, account.currency)
  const found = rows.filter(({ id }) => ticked.has(id))
  const agrees = of.difference === 0
  // an account that agrees leaves nothing to tick
  const isTicking = !agrees || found.length > 0
  const figures = [
    [m.statementBalance, say(of.stated)],
    [m.calculated, say(of.computed)],
    ...isTicking
      ? [[m.checked, m.checkedOf(found.length, rows.length)], [
        m.checkedBalance,
        say(sumOf([balance, ...found.map(({ amount }) => amount)])),
      ]] as const
      : [],
  ] as const
  return (
    <section className='statement-summary' aria-label={reconciliation.title}>
      <p className='statement-figure' role='status'>
        {agrees ? m.reconciled : m.differs(say(of.difference))}
      </p>
      <dl className='statement-figures'>
        {figures.map(([name, figure]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className='amount'>{figure}</dd>
          </div>
        ))}
      </dl>
      {/* a part of the rows explains nothing */}
      {!agrees && areAll && rights.write && (
        <Explanations
          explanations={explanationsOf(of.difference, rows.filter(({ id }) => !ticked.has(id)))}
          currency={account.currency}
        />
      )}
      {!agrees && rights.write && (
        <div className='buttons'>
          <button type='button' onClick={() => setIsBooking(true)}>{m.adjust}</button>
        </div>
      )}
      {agrees && rights.write && <CloseDays account={account} day={of.on_date} />}
      {isBooking && <Correct account={account} of={of} onClose={() => setIsBooking(false)} />}
    </section>
  )
}

/** Offers to close the days of a statement that agrees. */
function CloseDays(
  { account: { id, closed_until: until }, day }: { account: Account, day: string },
) {
  const close = useChange(closeAccountDays, {
    outcome: () => ({ text: reconciliation.closed(formatDay(day)), undoOf: id }),
  })
  if (until !== null && until >= day) return <p>{m.closedThrough(formatDay(until))}</p>
  return (
    <>
      <p>{m.closeHint}</p>
      <ErrorNote error={close.error} />
      <div className='buttons'>
        <button
          type='button'
          className='primary'
          disabled={close.isPending}
          onClick={() => close.mutate({ id, closed_until: day })}
        >
          {m.closeThrough(formatDay(day))}
        </button>
      </div>
    </>
  )
}
