/**
 * The state of the connection. A bar above the page reports it, instead of every waiting component.
 */
import { FinanceError } from 'finance-client'
import { useSyncExternalStore } from 'react'
import { finance } from './client.ts'

let isLost = false
const listeners = new Set<() => void>()

export const hasNoAnswer = (error: unknown) =>
  error instanceof FinanceError && error.code === 'NETWORK_ERROR'

/** Whether a retry may succeed: no response, or a server error. */
export const isPassing = (error: unknown) =>
  hasNoAnswer(error) || (error instanceof FinanceError && error.status >= 500)

export const connectionIsLost = (): boolean => isLost

/** Records whether a request got a response. */
export function sawConnection(isThere: boolean): void {
  if (isLost === !isThere) return
  isLost = !isThere
  for (const listener of listeners) listener()
  if (isLost) askLater()
}

const askLater = () => setTimeout(() => void (isLost && ask()), 2_000)

/** Polls the session until there is a response, so that the bar also disappears on an idle page. */
export async function ask(): Promise<void> {
  try {
    await finance.auth.sessionStatus()
  } catch {
    return isLost ? void askLater() : sawConnection(false)
  }
  sawConnection(true)
}

/** Calls the listener when the connection is lost or back. */
export const followConnection = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** Whether the last request got no response. */
export const useLostConnection = (): boolean =>
  useSyncExternalStore(followConnection, connectionIsLost)
