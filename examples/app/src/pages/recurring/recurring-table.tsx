import { useHere } from '../../app/here.tsx'
import { periods, type Recurring } from '../../data/recurring.ts'
import { formatAmount } from '../../locale/amounts.ts'
import { formatDay } from '../../locale/days.ts'
import { sumsByCurrency } from '../../locale/figures.ts'
import { ActionsHead } from '../../parts/actions-head.tsx'
import { useTell } from '../../parts/toast.tsx'
import { useDeleteRecurring, usePause } from './changes.ts'
import { useRecord } from './record.ts'

type RecurringTableProps = { costs: Recurring[], onEdit: (cost: Recurring) => void }

/** Each recurring cost, and what all of them come to in a month. */
export const RecurringTable = ({ costs, onEdit }: RecurringTableProps) => {
  const { rights } = useHere()
  return (
    <table className='stacking'>
      <thead>
        <tr>
          <th>Name</th>
          <th>How often</th>
          <th>Next due</th>
          <th className='amount'>Amount</th>
          <th className='amount'>In a month</th>
          <ActionsHead />
        </tr>
      </thead>
      <tbody>{costs.map((cost) => <CostRow key={cost.id} cost={cost} onEdit={onEdit} />)}</tbody>
      <tfoot>
        {monthlySums(costs).map(({ currency, sum }) => (
          <tr key={currency}>
            <th scope='row' colSpan={4}>All that go on, in {currency.toUpperCase()}</th>
            <td className='amount' data-label='In a month'>{formatAmount(sum, currency)}</td>
            {rights.write && <td />}
          </tr>
        ))}
      </tfoot>
    </table>
  )
}

/** Whether it will be due again. */
const goesOn = ({ is_active, next_due_on }: Recurring) => is_active && next_due_on !== null

const monthlySums = (costs: Recurring[]) => sumsByCurrency(costs.filter(goesOn).map(({ monthly_cost, currency }) => ({ amount: monthly_cost ?? 0, currency })))

function CostRow({ cost, onEdit }: { cost: Recurring, onEdit: (cost: Recurring) => void }) {
  const { rights } = useHere()
  const { id, title, description, amount, currency, period, interval_in_days: interval, is_active, next_due_on, monthly_cost } = cost
  const state = is_active ? 'ended' : 'paused'
  return (
    <tr className={goesOn(cost) ? undefined : 'resting'}>
      <th scope='row'>{title}{description !== null && <small>{description}</small>}</th>
      <td data-label='How often'>{interval === null ? periods[period] : `Every ${interval} days`}</td>
      <td data-label='Next due'>{is_active && next_due_on !== null ? formatDay(next_due_on) : state}</td>
      <td className='amount' data-label='Amount'>{formatAmount(amount, currency)}</td>
      <td className='amount' data-label='In a month'>{monthly_cost === null ? '–' : formatAmount(monthly_cost, currency)}</td>
      {rights.write && (
        <td className='row-actions'>
          <CostActions key={id} cost={cost} onEdit={onEdit} />
        </td>
      )}
    </tr>
  )
}

function CostActions({ cost, onEdit }: { cost: Recurring, onEdit: (cost: Recurring) => void }) {
  const { id, title, is_active, next_due_on } = cost
  const tell = useTell()
  const record = useRecord()
  const pause = usePause()
  const remove = useDeleteRecurring()
  const onError = (error: Error) => tell(error)
  const pauses = is_active ? 'Pause' : 'Go on'
  return (
    <>
      {next_due_on !== null && is_active && (
        <button
          type='button'
          className='quiet'
          aria-label={`Record ${title} of ${formatDay(next_due_on)}`}
          onClick={() => record({ subscription_id: id, due_on: next_due_on })}
        >
          Record
        </button>
      )}
      <button type='button' className='quiet' aria-label={`Edit ${title}`} onClick={() => onEdit(cost)}>Edit</button>
      <button type='button' className='quiet' aria-label={`${pauses}: ${title}`} onClick={() => pause.mutate({ id, is_active: !is_active }, { onError })}>
        {pauses}
      </button>
      <button type='button' className='quiet' aria-label={`Delete ${title}`} onClick={() => remove.mutate(cost, { onError })}>Delete</button>
    </>
  )
}
