import { useEffect, useRef } from 'react'
import { Dialog } from '../../parts/dialog.tsx'

const reading = [['/', 'search'], ['↑ ↓ PgUp PgDn Home End', 'go through the list'], ['?', 'these keys']] as const

const writing = [
  ['n', 'new transaction'],
  ['Enter or e', 'edit the row'],
  ['Space', 'select the row'],
  ['Delete', 'delete the row, or all selected'],
  ['Esc', 'leave the line, or clear the selection'],
] as const

export const Keys = ({ isReadOnly, onClose }: { isReadOnly: boolean, onClose: () => void }) => (
  <Dialog title='Keys' open onClose={onClose}>
    <dl className='keys'>
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
