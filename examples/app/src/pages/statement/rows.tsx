import type { Transaction } from '../../data/transactions/api.ts'
import { dayOf } from '../../data/transactions/day.ts'
import { formatDay } from '../../locale/days.ts'
import { statement as m } from '../../messages/statement.ts'
import { Amount } from '../../parts/ui.tsx'

type StatementRowsProps = { rows: readonly Transaction[], currency: string, ticked: ReadonlySet<string>, onTick: (ids: readonly string[]) => void }

/** The rows of the statement's days, each with a box to tick. */
export function StatementRows({ rows, currency, ticked, onTick }: StatementRowsProps) {
  const isAll = rows.every(({ id }) => ticked.has(id))
  const toggle = (id: string) => onTick(ticked.has(id) ? [...ticked].filter((one) => one !== id) : [...ticked, id])
  return (
    <>
      <p className='field-note'>{m.howTo}</p>
      <ul className='statement-list'>
        {rows.map((row) => (
          <li key={row.id}>
            <label className={ticked.has(row.id) ? 'statement-row statement-ticked' : 'statement-row'}>
              <input type='checkbox' checked={ticked.has(row.id)} onChange={() => toggle(row.id)} />
              <span>
                {row.name}
                <small>{formatDay(dayOf(row))}{row.status === 'pending' && ` · ${m.pending}`}</small>
              </span>
              <Amount value={row.amount} currency={currency} />
            </label>
          </li>
        ))}
      </ul>
      <div className='buttons'>
        <button type='button' onClick={() => onTick(isAll ? [] : rows.map(({ id }) => id))}>{isAll ? m.untickAll : m.tickAll}</button>
      </div>
    </>
  )
}
