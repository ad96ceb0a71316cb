/** Keys of the whole page. */
import { useEffect, useRef } from 'react'
import { chosenAppearance } from './preferences.ts'

/**
 * Whether the user has turned off keys of a single letter or sign, which speech input presses by
 * mistake.
 */
const isTurnedOff = (key: string) => key.length === 1 && chosenAppearance().keys === 'off'

/** Handles keys on the whole page, except in fields, dialogs and menus. */
export function useKeys(actions: Readonly<Record<string, () => void>>): void {
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isElsewhere = event.target instanceof Element &&
        event.target.closest(
            'input:not([type=checkbox]), select, textarea, [role=dialog], [role=menu]',
          ) !== null
      const action = latest.current[event.key]
      if (
        isElsewhere || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey ||
        action === undefined || isTurnedOff(event.key)
      ) return
      event.preventDefault()
      action()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}
