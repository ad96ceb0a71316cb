import { statedAtOnce, type StatementPage } from '../../data/transactions/api.ts'
import { dayOf } from '../../data/transactions/day.ts'
import { formatDay } from '../../locale/days.ts'
import { statement as m } from '../../messages/statement.ts'
import { Amount, EmptyState } from '../../parts/ui.tsx'

type StatementRowsProps = StatementPage & {
  currency: string
  ticked: ReadonlySet<string>
  onTick: (ids: readonly string[]) => void
}

/** The rows of the statement's days, each with a box to tick. */
export function StatementRows({ rows, areAll, currency, ticked, onTick }: StatementRowsProps) {
  if (rows.length === 0) return <EmptyState>{m.empty}</EmptyState>
  const isAll = rows.every(({ id }) => ticked.has(id))
  const toggle = (id: string) =>
    onTick(ticked.has(id) ? [...ticked].filter((one) => one !== id) : [...ticked, id])
  return (
    <>
      <p className='field-note'>{m.hint}</p>
      <div className='buttons'>
        <button type='button' onClick={() => onTick(isAll ? [] : rows.map(({ id }) => id))}>
          {isAll ? m.clearAll : m.checkAll}
        </button>
      </div>
      <ul className='statement-list'>
        {rows.map((row) => (
          <li key={row.id}>
            <label
              className={ticked.has(row.id) ? 'statement-row statement-ticked' : 'statement-row'}
            >
              <input type='checkbox' checked={ticked.has(row.id)} onChange={() => toggle(row.id)} />
              <span>
                {row.name}
                <small>
                  {formatDay(dayOf(row))}
                  {row.status === 'pending' && ` · ${m.pending}`}
                </small>
              </span>
              <Amount value={row.amount} currency={currency} />
            </label>
          </li>
        ))}
      </ul>
      {!areAll && <p className='field-note'>{m.tooMany(statedAtOnce)}</p>}
    </>
  )
}
