import { useEffect } from 'react'

/**
 * Moves the focus to the page's heading when the focused element is removed. Otherwise keyboard
 * users would start at the top of the window.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let lastFocused: Element | null = null
    const hold = ({ target }: FocusEvent) => {
      lastFocused = target instanceof Element ? target : null
    }
    const focusHeading = () => {
      if (lastFocused?.isConnected === false && document.activeElement === document.body)
        document.querySelector('h1')?.focus({ preventScroll: true })
    }
    // dialogs and lists move the focus first
    const observer = new MutationObserver(() => {
      if (lastFocused?.isConnected === false)
        requestAnimationFrame(() => requestAnimationFrame(focusHeading))
    })
    document.addEventListener('focusin', hold)
    observer.observe(document.body, { childList: true, subtree: true })
    return () => {
      document.removeEventListener('focusin', hold)
      observer.disconnect()
    }
  }, [])
}
