/** What one request carries through the engine, where no argument of ours reaches: a header, and a context of its own. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Caller } from './policy.ts'

/** Set by our border on every request, whatever the client sent; the engine believes nothing else. */
export const clientAddressHeader = 'x-finance-client-address'

export type RequestContext = {
  /** Whether a program of this machine asks a service whose address leads to this machine only: tests and front ends being made. */
  isLocal?: boolean
  /** Where the request comes from, and what its program says of itself. */
  address?: string
  userAgent?: string | undefined
  /** Gives back the request's place in the hashing queue, when it has one. */
  leaveQueue?: () => void
  /** The first query of the engine's that failed. The engine answers some of them as if there were no such row. */
  databaseFailure?: unknown
  /** What a shortcut that led nowhere has counted, so that the engine does not count it again. */
  counted?: { key: string, verdict: { allowed: boolean, retryAfterSeconds: number } }
  /** Who asks, once the engine has read the session. */
  caller?: Caller
  /** Takes back that this request's guess at the password was counted. */
  takeBackGuess?: () => Promise<void>
  /** The stored hash that the request's password was compared with. */
  shownHash?: string
  /** Where a browser is sent on to, in place of a page that tells the outcome. */
  redirectTo?: string
}

export const requestContexts = new AsyncLocalStorage<RequestContext>()

/** Remembers that a query of this request failed. */
export function noteDatabaseFailure(error: unknown): void {
  const context = requestContexts.getStore()
  if (context !== undefined) context.databaseFailure ??= error
}
