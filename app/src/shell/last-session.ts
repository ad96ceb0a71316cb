/**
 * The last session on this device, without its id or a token, and the user's choice to keep what
 * was last seen.
 */
import type { SessionState } from 'finance-client'

const [sessionEntry, choiceEntry] = ['last-session', 'last-seen']

export function writeLastSession(session: SessionState | null): void {
  try {
    if (session === null) localStorage.removeItem(sessionEntry)
    else localStorage.setItem(
        sessionEntry,
        JSON.stringify({
          user_id: session.user_id,
          active_organization_id: session.active_organization_id,
        }),
      )
  } catch {
    // the browser may forbid the storage
  }
}

export function readLastSession(): SessionState | null {
  try {
    const last = JSON.parse(localStorage.getItem(sessionEntry) ?? 'null') as
      | Omit<SessionState, 'id'>
      | null
    return last === null ? null : { ...last, id: '' }
  } catch {
    return null
  }
}

/** Whether this device keeps what was last seen. The default is yes. */
export function isLastSeenKept(): boolean {
  try {
    return localStorage.getItem(choiceEntry) !== 'off'
  } catch {
    return false
  }
}

export function chooseLastSeen(isKept: boolean): void {
  if (isKept) localStorage.removeItem(choiceEntry)
  else localStorage.setItem(choiceEntry, 'off')
}
