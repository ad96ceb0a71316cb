/** Whether the service answers. It is told once, by the bar above the page, and not by every part that waits for an answer. */
import { FinanceError } from 'finance-client'
import { useSyncExternalStore } from 'react'
import { finance } from './client.ts'

let isLost = false
const listeners = new Set<() => void>()

export const hasNoAnswer = (error: unknown) => error instanceof FinanceError && error.code === 'NETWORK_ERROR'

/** Whether the same request may succeed later: no answer, or one of a service that is not well. */
export const isPassing = (error: unknown) => hasNoAnswer(error) || (error instanceof FinanceError && error.status >= 500)

/** Takes what a request has shown. */
export function sawConnection(isThere: boolean): void {
  if (isLost === !isThere) return
  isLost = !isThere
  for (const listener of listeners) listener()
  if (isLost) askLater()
}

const askLater = () => setTimeout(() => void (isLost && ask()), 2_000)

/** Asks who is signed in, until there is an answer: the bar goes also where nothing else asks. */
export async function ask(): Promise<void> {
  try {
    await finance.auth.getSession()
  } catch (error) {
    // nobody is an answer
    const isAnswer = error instanceof FinanceError && error.status === 401
    if (!isAnswer) return isLost ? void askLater() : sawConnection(false)
  }
  sawConnection(true)
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** Whether the last request got no answer. */
export const useLostConnection = (): boolean => useSyncExternalStore(subscribe, () => isLost)
