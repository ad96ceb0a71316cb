import { FinanceError } from 'finance-client'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { useSessionContext } from '../../shell/session-context.tsx'
import { type Activity, type Request, undoRequest } from '../../data/activity.ts'
import { useChange } from '../../data/change.ts'
import { formatTime } from '../../locale/days.ts'
import { activity as m } from '../../messages/activity.ts'
import { common } from '../../messages/common.ts'
import { ErrorNote } from '../../parts/ui.tsx'
import { differencesOf, nameOf, summaryOf, tableOf } from './summary.ts'

type Names = ReadonlyMap<string, string>

const icons = { create: Plus, update: Pencil, delete: Trash2 }

/** Maximum number of rows shown per request. */
const mostShown = 50

/** A request: its summary, the changes of each row, and undo. */
export function RequestItem(
  { request, people, names }: { request: Request, people: Names, names: Names },
) {
  const { user } = useSessionContext()
  const undo = useChange(undoRequest, { outcome: () => ({ text: m.undone }) })
  const { actor_id: actor, happened_at: moment, changes, isCut } = request
  const sentence = m.sentence(
    actor === user.id ? null : people.get(actor) ?? m.formerMember,
    summaryOf(changes, isCut, names),
  )
  const actions = new Set(changes.map(({ action }) => action))
  const Icon = icons[actions.size === 1 ? changes[0]?.action ?? 'update' : 'update']
  const hasChangedAgain = undo.error instanceof FinanceError && undo.error.status === 409
  return (
    <li className='activity-request'>
      <p className='activity-sentence'>{sentence}</p>
      <Icon className='icon activity-icon' aria-hidden='true' />
      <time dateTime={moment}>{formatTime(moment)}</time>
      <button
        type='button'
        className='quiet'
        aria-label={m.undo(sentence)}
        aria-disabled={undo.isPending}
        onClick={() => undo.isPending || undo.mutate(request)}
      >
        {common.undo}
      </button>
      {hasChangedAgain
        ? <p className='error-note' role='alert'>{m.cannotUndo}</p>
        : <ErrorNote error={undo.error} />}
      <details>
        <summary>{m.details(changes.length, isCut ? m.orMore : '')}</summary>
        {changes.slice(0, mostShown).map((change) => (
          <Change key={change.id} change={change} names={names} isOne={changes.length === 1} />
        ))}
        {(isCut || changes.length > mostShown) && <p>{m.andMore}</p>}
      </details>
    </li>
  )
}

function Change({ change, names, isOne }: { change: Activity, names: Names, isOne: boolean }) {
  const differences = differencesOf(change, names)
  return (
    <div className='activity-change'>
      {!isOne && <p className='activity-change-name'>{nameOf(change, names) ?? tableOf(change)}</p>}
      {differences.length === 0 && (
        <p>{change.after === null && change.before === null ? m.bulkCreated : m.noVisibleChange}</p>
      )}
      {differences.length > 0 && (
        <dl className='activity-differences'>
          {differences.map(({ field, before, after }) => (
            <div key={field}>
              <dt>{field}</dt>
              <dd>
                {change.action !== 'create' && <del>{before}</del>}{' '}
                {change.action !== 'delete' && <ins>{after}</ins>}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  )
}
