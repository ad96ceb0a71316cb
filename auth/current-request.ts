/**
 * The request that is being served, for code that better-auth, Kysely and pg call: no argument of ours reaches their hooks.
 * Handlers read Hono's variables instead. Only `http/enforcement.ts` writes it, and each object is read-only.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Session, User } from 'better-auth'
import type { Policy } from './policy.ts'

/** The header in which better-auth receives the client address. It is set on every request, so a client cannot choose it. */
export const clientAddressHeader = 'x-finance-client-address'

export type Client = Readonly<{
  address: string
  /** Whether the client is a program on this machine and PUBLIC_URL leads to this machine only. */
  isLocal: boolean
  userAgent: string | undefined
}>

/** The signed-in user and session, as better-auth returns them. */
export type Caller = { user: User, session: Session & { activeOrganizationId?: string | null | undefined } }

export type CurrentRequest = Readonly<{
  policy: Policy
  client: Client
  /** Undefined before the session is read, and on routes without one. */
  caller: Caller | undefined
  /** Receives each failed query of better-auth, which answers some of them as if there were no such row. */
  onQueryError: (error: unknown) => void
  /** Takes back the guess that was counted, because the password is correct. */
  onCorrectPassword: () => Promise<void>
}>

export const currentRequest = new AsyncLocalStorage<CurrentRequest>()
