/** The verdict of each row. */
import { useState } from 'react'
import type { Judged, Verdict } from '../../data/imports.ts'
import { formatDay } from '../../locale/days.ts'
import { bankImport as m, common } from '../../messages/en.ts'
import { Amount } from '../../parts/ui.tsx'

const verdicts: Record<Verdict, { name: string, note: string | null }> = {
  new: { name: m.new, note: null },
  updated: { name: m.updated, note: m.itIsThereAndChanges },
  duplicate: { name: m.known, note: null },
  changed: { name: m.changed, note: m.itIsThereAndStays },
  invalid: { name: m.wrong, note: m.itIsLeftOut },
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
      <div className='buttons' role='group' aria-label={m.rowsToShow}>
        <button type='button' aria-pressed={kind === null} onClick={() => choose(null)}>{m.all(judged.length)}</button>
        {kinds.map((one) => {
          const count = judged.filter(({ verdict }) => verdict === one).length
          return count > 0 && <button key={one} type='button' aria-pressed={kind === one} onClick={() => choose(one)}>{verdicts[one].name} {count}</button>
        })}
      </div>
      <table className='import-verdicts'>
        <thead>
          <tr>
            <th>{m.day}</th>
            <th>{common.name}</th>
            <th>{m.verdict}</th>
            <th className='amount'>{common.amount}</th>
          </tr>
        </thead>
        <tbody>{wanted.slice(0, most).map((one, index) => <VerdictRow key={index} judged={one} />)}</tbody>
      </table>
      {wanted.length > most && <button type='button' onClick={() => setMost(most + 1_000)}>{m.showMoreOf(wanted.length)}</button>}
    </>
  )
}

function VerdictRow({ judged: { row, currency, verdict, reason } }: { judged: Judged }) {
  const { name, note } = verdicts[verdict]
  return (
    <tr data-verdict={verdict}>
      <td>{formatDay(row.transaction_date)}</td>
      <th scope='row'>
        <span className='import-row-name'>{row.name}</span>
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
