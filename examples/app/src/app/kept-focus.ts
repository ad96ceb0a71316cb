import { useEffect } from 'react'

/**
 * Gives the focus to the heading of the page when what had it is gone: a row that was deleted, a button of what is done. Without it the
 * keys would begin anew at the top of the window.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let held: Element | null = null
    const hold = ({ target }: FocusEvent) => {
      held = target instanceof Element ? target : null
    }
    const give = () => {
      if (held?.isConnected === false && document.activeElement === document.body) document.querySelector('h1')?.focus({ preventScroll: true })
    }
    // a dialog or a list that knows better where it belongs comes first
    const observer = new MutationObserver(() => {
      if (held?.isConnected === false) requestAnimationFrame(() => requestAnimationFrame(give))
    })
    document.addEventListener('focusin', hold)
    observer.observe(document.body, { childList: true, subtree: true })
    return () => {
      document.removeEventListener('focusin', hold)
      observer.disconnect()
    }
  }, [])
}
