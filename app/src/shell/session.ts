/**
 * The session of the client: the only listener, for every tab and every way a session begins or
 * ends.
 */
import type { SessionState } from 'finance-client'
import { useSyncExternalStore } from 'react'
import { finance } from '../data/client.ts'
import { ask, connectionIsLost, followConnection, sawConnection } from '../data/connection.ts'
import { forgetAnswers } from '../data/import-answers.ts'
import { movedTo, queries } from '../data/queries.ts'
import { dropDrafts, endDrafts } from './draft-store.ts'
import {
  chooseLastSeen,
  isLastSeenKept,
  readLastSession,
  writeLastSession,
} from './last-session.ts'

/**
 * `session` is null without a session, and undefined while loading. An expired session stays with
 * `hasEnded`, so that the page keeps its input until the user signs in again.
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

/** Keeps what the user sees for a start without a connection, or deletes it. Loaded on demand. */
const lastSeen = () => import('../data/last-seen.ts')

function keepLastSeen(session: SessionState | null): void {
  writeLastSession(session)
  const work = session === null || !isLastSeenKept()
    ? lastSeen().then(({ forgetLastSeen }) => forgetLastSeen())
    : lastSeen().then(({ recordLastSeen }) => recordLastSeen(session.user_id))
  // the browser may forbid the storage
  work.catch(() => undefined)
}

/** Stores the user's choice to keep what was last seen, and follows it at once. */
export function keepOnDevice(isKept: boolean): void {
  chooseLastSeen(isKept)
  keepLastSeen(sessionValue.session ?? null)
}

/** Waits so long for the first answer before it shows what was last seen, in milliseconds. */
const patienceMs = 6_000

/**
 * Opens the app with what was last seen if the service does not answer. The first answer replaces
 * it.
 */
async function openLastSeen(): Promise<void> {
  const session = readLastSession()
  if (session === null || !isLastSeenKept()) return
  await new Promise<void>((resolve) => {
    setTimeout(resolve, patienceMs)
    const stop = followConnection(() => {
      stop()
      resolve()
    })
  })
  if (sessionValue.session !== undefined) return
  const { restoreLastSeen } = await lastSeen()
  if (await restoreLastSeen(session.user_id) === 0 || sessionValue.session !== undefined) return
  sawConnection(false)
  update({ session, hasEnded: false })
}

/**
 * Hides a page that the browser keeps for its Back button, and loads it again when the user
 * returns. It may belong to a session that ended in the meantime, and it received no message from
 * the other tabs.
 */
function reloadOnReturn(): void {
  addEventListener(
    'pagehide',
    ({ persisted }) => document.documentElement.toggleAttribute('data-left', persisted),
  )
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
}

/** Follows the session. @param onUserChange runs when routes may redirect */
export function followSession(onUserChange: () => void): void {
  finance.onChange(({ event, session, previous }) => {
    sawConnection(true)
    keepLastSeen(session)
    if (event === 'session-ended') return update({ ...sessionValue, hasEnded: true })
    // after an ended session the same user may sign in again and continue
    const isSignOut = session === null && previous !== null
    if (isSignOut) endDrafts()
    else dropDrafts(session?.user_id)
    if (isSignOut || session !== null) forgetAnswers(session?.user_id ?? null)
    const isOtherUser = sessionValue.session?.user_id !== session?.user_id
    if (isOtherUser) queries.clear()
    movedTo(
      session?.active_organization_id ?? null,
      sessionValue.session?.active_organization_id ?? null,
    )
    update({ session, hasEnded: false })
    if (isOtherUser) onUserChange()
    // requests without a session were refused
    else void queries.invalidateQueries()
  })
  reloadOnReturn()
  void ask()
  openLastSeen().catch(() => undefined)
  // a page that was not open before shows what was last seen, too
  followConnection(() => {
    const userId = sessionValue.session?.user_id
    if (connectionIsLost() && userId !== undefined && isLastSeenKept())
      lastSeen().then(({ restoreLastSeen }) => restoreLastSeen(userId)).catch(() => undefined)
  })
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
