/**
 * What one request carries through the engine, where no argument of ours reaches: the place it holds at the hashing gate,
 * who the engine found to be asking, and the error that the engine would otherwise swallow into an empty 500.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Caller } from './route.ts'

export type Scope = {
  leaveGate?: () => void
  failure?: unknown
  /** Who asks, once the engine has read the session. */
  caller?: Caller
}

export const scopes = new AsyncLocalStorage<Scope>()
