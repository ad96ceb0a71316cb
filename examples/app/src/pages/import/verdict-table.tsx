/** The verdict of each row. */
import { useState } from 'react'
import type { Judged, Verdict } from '../../data/imports.ts'
import { formatDay } from '../../locale/days.ts'
import { Amount } from '../../parts/ui.tsx'

const verdicts: Record<Verdict, { name: string, note: string | null }> = {
  new: { name: 'New', note: null },
  updated: { name: 'Updated', note: 'It is there and changes:' },
  duplicate: { name: 'Known', note: null },
  changed: { name: 'Changed', note: 'It is there and stays as it is:' },
  invalid: { name: 'Wrong', note: 'It is left out:' },
}

const kinds = Object.keys(verdicts) as Verdict[]

/** Initial number of rows. */
const shownAtOnce = 200

export function VerdictTable({ judged }: { judged: Judged[] }) {
  const [kind, setKind] = useState<Verdict | null>(null)
  const [most, setMost] = useState(shownAtOnce)
  const wanted = kind === null ? judged : judged.filter(({ verdict }) => verdict === kind)
  const choose = (next: Verdict | null) => {
    setKind(next)
    setMost(shownAtOnce)
  }
  return (
    <>
      <div className='buttons' role='group' aria-label='Rows to show'>
        <button type='button' aria-pressed={kind === null} onClick={() => choose(null)}>All {judged.length}</button>
        {kinds.map((one) => {
          const count = judged.filter(({ verdict }) => verdict === one).length
          return count > 0 && <button key={one} type='button' aria-pressed={kind === one} onClick={() => choose(one)}>{verdicts[one].name} {count}</button>
        })}
      </div>
      <table className='verdicts'>
        <thead>
          <tr>
            <th>Day</th>
            <th>Name</th>
            <th>Verdict</th>
            <th className='amount'>Amount</th>
          </tr>
        </thead>
        <tbody>{wanted.slice(0, most).map((one, index) => <VerdictRow key={index} judged={one} />)}</tbody>
      </table>
      {wanted.length > most && <button type='button' onClick={() => setMost(most + 1_000)}>Show more of {wanted.length}</button>}
    </>
  )
}

function VerdictRow({ judged: { row, currency, verdict, reason } }: { judged: Judged }) {
  const { name, note } = verdicts[verdict]
  return (
    <tr data-verdict={verdict}>
      <td>{formatDay(row.transaction_date)}</td>
      <th scope='row'>
        <span className='row-name'>{row.name}</span>
        {note !== null && <small>{note} {reason}</small>}
      </th>
      <td>
        <span className='badge'>{name}</span>
      </td>
      <td className='amount'>
        <Amount value={row.amount} currency={currency} />
      </td>
    </tr>
  )
}
