import { useEffect, useRef } from 'react'
import { transactions as m } from '../../messages/transactions.ts'
import { Dialog } from '../../parts/dialog.tsx'

const reading = [['/', 'search'], ['↑ ↓ PgUp PgDn Home End', m.goThroughTheList], ['r', m.receiptsOfTheRow], ['?', m.theseKeys]] as const

const writing = [
  ['n', m.aNewTransaction],
  [m.enterOrE, m.editTheRow],
  ['c', m.chooseTheCategory],
  [m.space, m.selectTheRow],
  ['Delete', m.deleteTheRowOrAll],
  [m.esc, m.leaveTheLineOrClear],
] as const

export const Keys = ({ isReadOnly, onClose }: { isReadOnly: boolean, onClose: () => void }) => (
  <Dialog title={m.keys} open onClose={onClose}>
    <dl className='tx-keys'>
      {[...isReadOnly ? [] : writing, ...reading].map(([key, does]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
)

/** Handles keys on the whole page, except in fields, dialogs and menus. */
export function useKeys(actions: Readonly<Record<string, () => void>>): void {
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isElsewhere = event.target instanceof Element &&
        event.target.closest('input:not([type=checkbox]), select, textarea, [role=dialog], [role=menu]') !== null
      const action = latest.current[event.key]
      if (isElsewhere || event.ctrlKey || event.metaKey || event.altKey || action === undefined) return
      event.preventDefault()
      action()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}
