import { useSessionContext } from '../../shell/session-context.tsx'
import { updateRow, useChange } from '../../data/change.ts'
import { costOf, periods, type Recurring, recurringQuery, setActive } from '../../data/recurring.ts'
import { formatCost } from '../../locale/amounts.ts'
import { formatDay } from '../../locale/days.ts'
import { sumsByCurrency } from '../../locale/figures.ts'
import { common } from '../../messages/common.ts'
import { recurring as m } from '../../messages/recurring.ts'
import { Action, ActionsHead } from '../../parts/ui.tsx'
import { Record } from '../../parts/reports/due-next.tsx'

type OnCost = { onEdit: (cost: Recurring) => void, onDelete: (cost: Recurring) => void }

/** Recurring costs, and their sums per month. */
export function RecurringTable({ costs, ...does }: OnCost & { costs: Recurring[] }) {
  const { rights } = useSessionContext()
  return (
    <table className='recurring-table'>
      <thead>
        <tr>
          <th>{common.name}</th>
          <th>{m.frequency}</th>
          <th>{m.nextDue}</th>
          <th className='amount'>{common.amount}</th>
          <th className='amount'>{m.perMonth}</th>
          {rights.write && <ActionsHead />}
        </tr>
      </thead>
      <tbody>{costs.map((cost) => <CostRow key={cost.id} cost={cost} {...does} />)}</tbody>
      <tfoot>
        {monthlySums(costs).map(({ currency, sum }) => (
          <tr key={currency}>
            <th scope='row' colSpan={4}>{m.activeTotal(currency.toUpperCase())}</th>
            <td className='amount' data-label={m.perMonth}>{formatCost(sum, currency)}</td>
            {rights.write && <td />}
          </tr>
        ))}
      </tfoot>
    </table>
  )
}

/** Whether the cost will be due again. */
const goesOn = ({ is_active, next_due_on }: Recurring) => is_active && next_due_on !== null

const monthlySums = (costs: Recurring[]) =>
  sumsByCurrency(
    costs.filter(goesOn).map(({ monthly_cost, currency }) => ({
      amount: monthly_cost ?? 0,
      currency,
    })),
  )

function CostRow({ cost, ...does }: OnCost & { cost: Recurring }) {
  const { rights } = useSessionContext()
  const {
    title,
    description,
    kind,
    currency,
    period,
    interval_in_days: interval,
    is_active,
    next_due_on,
    monthly_cost,
  } = cost
  const state = is_active ? m.ended : m.paused
  return (
    <tr className={goesOn(cost) ? undefined : 'resting'}>
      <th scope='row'>
        {title}
        {kind === 'transfer' && <small>{m.transfer}</small>}
        {description !== null && <small>{description}</small>}
      </th>
      <td data-label={m.frequency}>
        {interval === null ? periods[period] : m.everyDays(interval)}
      </td>
      <td data-label={m.nextDue}>
        {is_active && next_due_on !== null ? formatDay(next_due_on) : state}
      </td>
      <td className='amount' data-label={common.amount}>{formatCost(costOf(cost), currency)}</td>
      <td
        className={monthly_cost === null ? 'amount recurring-no-month' : 'amount'}
        data-label={m.perMonth}
      >
        {monthly_cost === null ? '–' : formatCost(monthly_cost, currency)}
      </td>
      {rights.write && (
        <td className='row-actions'>
          <CostActions cost={cost} {...does} />
        </td>
      )}
    </tr>
  )
}

function CostActions({ cost, onEdit, onDelete }: OnCost & { cost: Recurring }) {
  const { id, title, is_active, next_due_on } = cost
  const pause = usePause()
  return (
    <>
      {next_due_on !== null && is_active && (
        <Record subscription_id={id} title={title} due_on={next_due_on} />
      )}
      <Action name={common.edit} of={title} onClick={() => onEdit(cost)} />
      <Action name={is_active ? m.pause : m.resume} of={title} onClick={() => pause(cost)} />
      <Action name={common.delete} of={title} onClick={() => onDelete(cost)} />
    </>
  )
}

/** Returns a function that pauses or resumes a recurring cost, with undo. */
function usePause(): (cost: Recurring) => void {
  const { context } = useSessionContext()
  const { mutate } = useChange(setActive, {
    optimistic: async ({ id, is_active }, _, client) =>
      updateRow<Recurring>(client, recurringQuery(context).queryKey, id, { is_active }),
    outcome: ({ title }, { id, is_active }) => ({
      text: is_active ? m.resumedToast(title) : m.pausedToast(title),
      undo: () => setActive(context, { id, is_active: !is_active }),
    }),
    toastsErrors: true,
  })
  return ({ id, is_active }) => mutate({ id, is_active: !is_active })
}
