import { ArrowLeftRight, Check, Clock, X } from 'lucide-react'
import type { DueItem, DueState } from '../../data/due-items.ts'
import { recurring as m } from '../../messages/recurring.ts'
import { RowsLink } from '../../parts/ui.tsx'

const icons: Partial<Record<DueState, typeof Check>> = { paid: Check, announced: Clock, failed: X }

type ItemProps = {
  item: DueItem
  say: (amount: number, currency: string) => string
  /** Opens the form of a recurring cost. */
  onEdit?: ((subscriptionId: string) => void) | undefined
}

/** A due day. A recorded one leads to its transaction, another one to the form. */
export function Item({ item, say, onEdit }: ItemProps) {
  const { title, amount, currency, kind, state, subscriptionId, bookedOn } = item
  const Icon = icons[state]
  const content = (
    <>
      <span className='recurring-name'>{title}</span>{' '}
      <span className='recurring-marks'>
        {Icon !== undefined && <Icon className='icon' aria-hidden='true' />}
        {kind === 'transfer' && <ArrowLeftRight className='icon' aria-hidden='true' />}
      </span>
      <span className='recurring-amount'>{kind === 'income' && '+'}{say(amount, currency)}</span>
      <span className={state === 'late' ? 'recurring-state' : 'unseen'}>
        {' '}
        {kind === 'transfer' ? m.stateOfTransfer(m.states[state]) : m.states[state]}
      </span>
    </>
  )
  const look = { className: 'recurring-item', 'data-state': state, 'data-kind': kind }
  if (bookedOn !== undefined)
    return (
      <span {...look}>
        <RowsLink
          search={title}
          days={{ start: bookedOn, end: bookedOn }}
          className='recurring-open'
        >
          {content}
        </RowsLink>
      </span>
    )
  if (onEdit === undefined || subscriptionId === undefined)
    return (
      <span {...look}>
        <span className='recurring-open'>{content}</span>
      </span>
    )
  return (
    <span {...look}>
      <button type='button' className='recurring-open' onClick={() => onEdit(subscriptionId)}>
        {content}
      </button>
    </span>
  )
}
