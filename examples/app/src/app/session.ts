/** The session of the client: the only listener, for every tab and every way a session begins or ends. */
import type { SessionState } from 'finance-client'
import { useSyncExternalStore } from 'react'
import { finance } from '../data/client.ts'
import { ask, sawConnection } from '../data/connection.ts'
import { movedTo, queries } from '../data/queries.ts'
import { dropDrafts } from './draft-store.ts'

/**
 * `session` is null without a session, and undefined while loading. An expired session stays with `hasEnded`, so that the page keeps
 * its input until the user signs in again.
 */
type SessionValue = { session: SessionState | null | undefined, hasEnded: boolean }

let sessionValue: SessionValue = { session: undefined, hasEnded: false }
const listeners = new Set<() => void>()
let isAnswered: () => void
const firstAnswer = new Promise<void>((resolve) => {
  isAnswered = resolve
})

const update = (next: SessionValue) => {
  sessionValue = next
  if (next.session !== undefined) isAnswered()
  for (const listener of listeners) listener()
}

/** Follows the session. @param onUserChange runs when routes may redirect */
export function followSession(onUserChange: () => void): void {
  finance.onChange(({ event, session, previous }) => {
    sawConnection(true)
    if (event === 'session-ended') return update({ ...sessionValue, hasEnded: true })
    // after an ended session the same user may sign in again and continue
    if (session !== null) dropDrafts(session.user_id)
    else if (previous !== null) dropDrafts(null)
    const isOtherUser = sessionValue.session?.user_id !== session?.user_id
    if (isOtherUser) queries.clear()
    movedTo(session?.active_organization_id ?? null, sessionValue.session?.active_organization_id ?? null)
    update({ session, hasEnded: false })
    if (isOtherUser) onUserChange()
    // requests without a session were refused
    else void queries.invalidateQueries()
  })
  void ask()
}

/** Returns the session when it is loaded. */
export async function sessionKnown(): Promise<SessionState | null> {
  await firstAnswer
  return sessionValue.session ?? null
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

export const useSession = (): SessionValue => useSyncExternalStore(subscribe, () => sessionValue)
