/** Whether the service answers. It is told once, by the bar above the page, and not by every part that waits for an answer. */
import { useSyncExternalStore } from 'react'

let isLost = false
const listeners = new Set<() => void>()

/** Takes what a request has shown. */
export function sawConnection(isThere: boolean): void {
  if (isLost === !isThere) return
  isLost = !isThere
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** Whether the last request got no answer. */
export const useLostConnection = (): boolean => useSyncExternalStore(subscribe, () => isLost)
