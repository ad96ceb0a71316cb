/** Stated balances of an account beside the balances that its transactions add up to. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useSessionContext } from '../../shell/session-context.tsx'
import type { Account } from '../../data/accounts.ts'
import {
  deleteStatedBalance,
  type Reconciliation as Compared,
  reconciliationQuery,
  stateBalance,
} from '../../data/balances.ts'
import { useChange, useDeletion } from '../../data/change.ts'
import { formatAmount } from '../../locale/amounts.ts'
import { firstDay, formatDay, today } from '../../locale/days.ts'
import { addDays } from '../../locale/months.ts'
import { reconciliation as m } from '../../messages/reconciliation.ts'
import { common } from '../../messages/common.ts'
import { DateField } from '../../parts/date-field.tsx'
import { Form, SubmitButton } from '../../parts/form.tsx'
import { AmountField } from '../../parts/money-fields.tsx'
import { QueryBoundary } from '../../parts/query-boundary.tsx'
import { Action, ActionsHead, EmptyState } from '../../parts/ui.tsx'

export function Reconciliation({ account }: { account: Account }) {
  const { context, rights } = useSessionContext()
  const compared = useQuery(reconciliationQuery(context, account.id))
  const remove = useDeletion(deleteStatedBalance, ({ on_date }) => m.balanceOf(formatDay(on_date)))
  return (
    <>
      <QueryBoundary of={[compared]} empty={<EmptyState>{m.hint}</EmptyState>}>
        {(rows) => (
          <table className='stacking'>
            <thead>
              <tr>
                <th>{m.day}</th>
                <th className='amount'>{m.statementBalance}</th>
                <th className='amount'>{m.calculated}</th>
                <th className='amount'>{m.difference}</th>
                <th className='amount'>{m.transactionsSince}</th>
                <ActionsHead />
              </tr>
            </thead>
            <tbody>
              {rows.map((one) => (
                <ComparedRow
                  key={one.on_date}
                  account={account}
                  of={one}
                  onDelete={rights.write ? remove : null}
                />
              ))}
            </tbody>
          </table>
        )}
      </QueryBoundary>
      {rights.write && <StateBalance account={account} />}
    </>
  )
}

type OfRow = { account: Account, of: Compared }

type ComparedRowProps = OfRow & {
  /** null for a viewer. */
  onDelete: ((row: NonNullable<Compared['row']>) => void) | null
}

/** A day with a stated balance, which the user may have entered. */
function ComparedRow({ account, of: one, onDelete }: ComparedRowProps) {
  const { on_date: day, row } = one
  const say = (amount: number) => formatAmount(amount, account.currency)
  return (
    <tr>
      <th scope='row'>
        {formatDay(day)}
        {row !== undefined && <small>{m.sources[row.source]}</small>}
      </th>
      <td className='amount' data-label={m.statementBalance}>{say(one.stated)}</td>
      <td className='amount' data-label={m.calculated}>{say(one.computed)}</td>
      <td className='amount' data-label={m.difference}>
        {one.difference === 0 ? m.reconciled : say(one.difference)}
      </td>
      <td className='amount' data-label={m.transactionsSince}>
        <RowsBetween account={account} of={one} />
      </td>
      <td className='row-actions'>
        <Link
          to='/accounts/$accountId/statements/$day'
          params={{ accountId: account.id, day }}
          aria-label={m.reconcileOf(formatDay(day))}
        >
          {m.reconcile}
        </Link>
        {onDelete !== null && row !== undefined && (
          <Action
            name={common.delete}
            of={m.balanceOf(formatDay(day))}
            onClick={() => onDelete(row)}
          />
        )}
      </td>
    </tr>
  )
}

/** The number of paid transactions since the stated balance before, with a link to them. */
const RowsBetween = ({ account: { id }, of: { on_date: to, after, transactions } }: OfRow) => (
  <Link
    to='/transactions'
    search={{
      account: id,
      status: 'paid',
      to,
      ...(after !== undefined && { from: addDays(after, 1) }),
    }}
  >
    {transactions}
  </Link>
)

/** Enters a balance of the bank. */
function StateBalance({ account: { id, currency } }: { account: Account }) {
  const save = useChange(stateBalance, {
    outcome: ({ id: row, balance, on_date }) => ({
      text: m.saved(formatAmount(balance, currency), formatDay(on_date)),
      undoOf: row,
    }),
  })
  return (
    <Form
      defaultValues={{ balance: null as number | null, on_date: today() }}
      error={save.error}
      onSubmit={({ balance, on_date }) =>
        balance !== null && !save.isPending && save.mutate({ account_id: id, balance, on_date })}
    >
      <AmountField name='balance' label={m.statementBalance} currency={currency} required />
      <DateField name='on_date' label={m.statementDate} min={firstDay} max={today()} required />
      <SubmitButton isBusy={save.isPending}>{m.compare}</SubmitButton>
    </Form>
  )
}
