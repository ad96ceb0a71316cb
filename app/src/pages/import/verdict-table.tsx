/** The verdict of each row, with the categories that the service suggests. */
import { useQuery } from '@tanstack/react-query'
import type { StatementRow } from 'finance-client/import'
import { useState } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import { categoriesQuery } from '../../data/categories.ts'
import type { Judged, Verdict } from '../../data/imports.ts'
import { reasonText } from '../../data/reasons.ts'
import { formatDay } from '../../locale/days.ts'
import { bankImport as m } from '../../messages/bank-import.ts'
import { common } from '../../messages/common.ts'
import { fileSentence } from '../../parts/file-sentences.ts'
import { Amount } from '../../parts/ui.tsx'

const kinds = Object.keys(m.verdicts) as Verdict[]

/** Initial number of rows. */
const shownAtOnce = 200

type VerdictTableProps = {
  judged: Judged[]
  accepted: ReadonlySet<StatementRow>
  onAccept: (accepted: ReadonlySet<StatementRow>) => void
}

export function VerdictTable({ judged, accepted, onAccept }: VerdictTableProps) {
  const { context } = useSessionContext()
  const names = new Map(useQuery(categoriesQuery(context)).data?.map(({ id, name }) => [id, name]))
  const [kind, setKind] = useState<Verdict | null>(null)
  const [most, setMost] = useState(shownAtOnce)
  const wanted = kind === null ? judged : judged.filter(({ verdict }) => verdict === kind)
  const counts = kinds.map((one) => ({
    one,
    count: judged.filter(({ verdict }) => verdict === one).length,
  })).filter(({ count }) => count > 0)
  const choose = (next: Verdict | null) => {
    setKind(next)
    setMost(shownAtOnce)
  }
  const accept = (row: StatementRow) =>
    onAccept(
      new Set(
        accepted.has(row) ? [...accepted].filter((other) => other !== row) : [...accepted, row],
      ),
    )
  return (
    <>
      <p role='status' className='import-summary'>
        {counts.map(({ one, count }) => m.verdicts[one].count(count)).join(' ')}
      </p>
      <Suggestions judged={judged} accepted={accepted} onAccept={onAccept} />
      <KindChoice {...{ kind, counts }} total={judged.length} onChoose={choose} />
      <table className='import-verdicts'>
        <thead>
          <tr>
            <th>{m.day}</th>
            <th>{common.name}</th>
            <th>{m.result}</th>
            <th className='amount'>{common.amount}</th>
          </tr>
        </thead>
        <tbody>
          {wanted.slice(0, most).map((one, index) => (
            <VerdictRow
              key={index}
              judged={one}
              category={one.suggestedId === null ? undefined : names.get(one.suggestedId)}
              isAccepted={accepted.has(one.row)}
              onAccept={() => accept(one.row)}
            />
          ))}
        </tbody>
      </table>
      {wanted.length > most && (
        <button type='button' onClick={() => setMost(most + 1_000)}>
          {m.showMoreOf(wanted.length)}
        </button>
      )}
    </>
  )
}

type KindChoiceProps = {
  /** null for all. */
  kind: Verdict | null
  counts: Array<{ one: Verdict, count: number }>
  total: number
  onChoose: (kind: Verdict | null) => void
}

/** Buttons that show the rows of one verdict, or all. */
const KindChoice = ({ kind, counts, total, onChoose }: KindChoiceProps) => (
  <div className='buttons' role='group' aria-label={m.rowsShown}>
    <button type='button' aria-pressed={kind === null} onClick={() => onChoose(null)}>
      {m.all(total)}
    </button>
    {counts.map(({ one, count }) => (
      <button
        key={one}
        type='button'
        aria-pressed={kind === one}
        onClick={() => onChoose(one)}
      >
        {m.verdicts[one].name} {count}
      </button>
    ))}
  </div>
)

/** The number of suggested categories, and a button that accepts all. */
function Suggestions({ judged, accepted, onAccept }: VerdictTableProps) {
  const suggested = judged.flatMap(({ row, suggestedId }) => suggestedId === null ? [] : [row])
  if (suggested.length === 0) return null
  const areAll = suggested.every((row) => accepted.has(row))
  return (
    <p>
      {m.suggestedCategories(suggested.length)}{' '}
      <button type='button' onClick={() => onAccept(new Set(areAll ? [] : suggested))}>
        {areAll ? m.acceptNone : m.acceptAll(suggested.length)}
      </button>
    </p>
  )
}

/** Returns the service's reason. Replaces those that name parameters and functions. */
const reasonOf = ({ verdict, reason }: Judged): string | null =>
  verdict === 'deleted'
    ? null
    : reason?.startsWith('possible transfer') === true
    ? m.possibleTransfer
    : reason === null
    ? null
    : fileSentence(reason)

type VerdictRowProps = {
  judged: Judged
  category: string | undefined
  isAccepted: boolean
  onAccept: () => void
}

function VerdictRow({ judged, category, isAccepted, onAccept }: VerdictRowProps) {
  const { row, currency, verdict, because } = judged
  const { name, note } = m.verdicts[verdict]
  const sentences = [note, reasonOf(judged)].filter((text) => text !== null)
  return (
    <tr data-verdict={verdict}>
      <td>{formatDay(row.transaction_date)}</td>
      <th scope='row'>
        <span className='import-row-name'>{row.name}</span>
        {sentences.length > 0 && <small>{sentences.join(' ')}</small>}
        {because !== null && <small>{reasonText(because)}</small>}
        {category !== undefined && (
          <label className='check'>
            <input type='checkbox' checked={isAccepted} onChange={onAccept} />
            <span>
              {m.acceptCategory(category)} <span className='unseen'>{m.forRow(row.name)}</span>
            </span>
          </label>
        )}
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
