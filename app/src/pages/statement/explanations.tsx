import type { RowChange } from 'finance-client'
import type { Explanation } from '../../data/explanations.ts'
import type { Transaction } from '../../data/transactions/api.ts'
import { dayOf } from '../../data/transactions/day.ts'
import { type TransactionChanges, useTransactionChanges } from '../../data/transactions/changes.ts'
import { formatAmount } from '../../locale/amounts.ts'
import { formatDay } from '../../locale/days.ts'
import { listOf } from '../../locale/lists.ts'
import { statement as m } from '../../messages/statement.ts'
import { ErrorNote } from '../../parts/ui.tsx'

/** The sentence of an explanation, and the change that it offers. */
type Offer = {
  text: string
  action: string
  of: string
  act: (changes: TransactionChanges) => void
}

/** Changes one row unless another user has changed it meanwhile. */
const changeOne =
  (row: Transaction, values: RowChange<'transactions'>) => ({ save }: TransactionChanges) =>
    save.mutate({ row, changed: { values } })

function offerOf(one: Explanation, currency: string): Offer {
  if (one.kind === 'pending') {
    const { rows } = one
    const names = listOf(rows.map(({ name }) => name))
    const [row, ...others] = rows
    const act = row !== undefined && others.length === 0
      ? changeOne(row, { status: 'paid' })
      : ({ change }: TransactionChanges) => change.mutate({ rows, values: { status: 'paid' } })
    return { text: m.wasPosted(names), action: m.markPaid, of: names, act }
  }
  const { row } = one
  const [name, day] = [row.name, formatDay(dayOf(row))]
  if (one.kind === 'twice' || one.kind === 'extra') {
    const text = one.kind === 'extra'
      ? m.mayBeExtra(name, day)
      : m.mayBeDuplicate(name, day, one.other.name)
    return { text, action: m.delete, of: name, act: ({ remove }) => remove.mutate([row]) }
  }
  const { amount } = one
  const text = one.kind === 'sign' ? m.mayHaveOtherSign : m.mayHaveSwappedDigits
  return {
    text: text(name, day, formatAmount(amount, currency)),
    action: m.change,
    of: name,
    act: changeOne(row, { amount }),
  }
}

/** Single changes that would explain a difference. */
export function Explanations(
  { explanations, currency }: { explanations: readonly Explanation[], currency: string },
) {
  const changes = useTransactionChanges()
  if (explanations.length === 0) return <p>{m.noExplanation}</p>
  return (
    <>
      <ErrorNote error={changes.save.error} />
      <h2>{m.explanations}</h2>
      <ul className='list'>
        {explanations.map((one) => {
          const { text, action, of, act } = offerOf(one, currency)
          return (
            <li key={text}>
              <span>{text}</span>
              <button
                type='button'
                aria-label={m.actionOn(action, of)}
                onClick={() => act(changes)}
              >
                {action}
              </button>
            </li>
          )
        })}
      </ul>
    </>
  )
}
