/** Who is signed in, as the client says it: one place that listens, for every tab and every way a session begins or ends. */
import { type SessionState } from 'finance-client'
import { useSyncExternalStore } from 'react'
import { finance } from '../data/client.ts'
import { ask, sawConnection } from '../data/connection.ts'
import { movedTo, queries } from '../data/queries.ts'

/**
 * `session` is null when nobody is signed in, and undefined until it is known. One that has ended stays, with `hasEnded`:
 * the page stays too, with what was typed in it, until the person signs in again.
 */
export type Known = { session: SessionState | null | undefined, hasEnded: boolean }

let known: Known = { session: undefined, hasEnded: false }
const listeners = new Set<() => void>()
let isAnswered: () => void
const firstAnswer = new Promise<void>((resolve) => {
  isAnswered = resolve
})

const learn = (next: Known) => {
  known = next
  if (next.session !== undefined) isAnswered()
  for (const listener of listeners) listener()
}

/** Follows the session. @param onMove is called when the page may have to become another */
export function followSession(onMove: () => void): void {
  finance.onChange(({ event, session }) => {
    sawConnection(true)
    if (event === 'session-ended') return learn({ ...known, hasEnded: true })
    const isSomebodyElse = known.session?.user_id !== session?.user_id
    if (isSomebodyElse) queries.clear()
    movedTo(session?.active_organization_id ?? null, known.session?.active_organization_id ?? null)
    learn({ session, hasEnded: false })
    if (isSomebodyElse) onMove()
    // what was refused while there was no session
    else void queries.invalidateQueries()
  })
  void ask()
}

/** The session, once it is known whether there is one. */
export async function sessionKnown(): Promise<SessionState | null> {
  await firstAnswer
  return known.session ?? null
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

export const useSession = (): Known => useSyncExternalStore(subscribe, () => known)
