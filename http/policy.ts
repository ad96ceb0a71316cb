/**
 * The policy of a route as data, and the current request. `http/serve-route.ts` applies the policy
 * before the handler runs.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Session, User } from 'better-auth'

/** At most `max` requests in each window of `window` seconds. */
export type RateLimit = { window: number, max: number }

/** A limit per minute. */
export const perMinute = (max: number): RateLimit => ({ window: 60, max })

/**
 * A credential: the cookie or the token of a session, a token of the data surface, or an API key.
 */
type Credential = 'session' | 'token' | 'apiKey'

export type Policy = {
  /**
   * The request must carry one of these credentials; none are needed if there are none. The handler
   * itself checks a token of the data surface, and an API key.
   */
  credentials: readonly Credential[]
  /** Whether the request may name an organization. The caller must then be a member of it. */
  namesOrganization: boolean
  /**
   * Whether the handler hashes a password. The request then waits for a slot in the hashing queue.
   */
  hashesPassword: boolean
  /**
   * Whether the handler verifies a password. Such guesses have a budget per account:
   * auth/engine/guesses.ts. Without it, a verification throws.
   */
  guessesPassword: boolean
  /**
   * The kind of session that a success starts. A `sign-in` also mails a new link to an unverified
   * user.
   */
  startsSession: 'sign-up' | 'sign-in' | 'no'
  /**
   * `required`: an account with a second factor gets no session without it. `verified`: the
   * handler, or the provider of single sign-on, verifies it.
   */
  secondFactor: 'required' | 'verified'
  limits: {
    /** Per client address. An IPv6 client counts as its /64. */
    address?: RateLimit
    /**
     * Per account and for all addresses: the caller's account, the account that the field `email`
     * names, or both together.
     */
    accounts?: (RateLimit & { by: 'caller' | 'email' | 'caller and email' })[]
  }
  /**
   * Whether the handler runs in one transaction, so that a request that fails or is refused stores
   * nothing. A handler that waits for another server or a client does not. It makes its own
   * transactions.
   */
  isAtomic: boolean
  /**
   * The better-auth endpoint that answers, as method and path. Undefined if the handler is our own.
   */
  betterAuth: string | undefined
}

/** Returns the whole policy of a row. Each default is the strictest choice. */
export const policyOf = ({
  credentials = ['session'],
  namesOrganization = false,
  hashesPassword = false,
  guessesPassword = false,
  startsSession = 'no',
  secondFactor = 'required',
  limits = {},
  isAtomic = true,
  betterAuth,
}: Partial<Policy>): Policy => ({
  credentials,
  namesOrganization,
  hashesPassword,
  guessesPassword,
  startsSession,
  secondFactor,
  limits,
  isAtomic,
  betterAuth,
})

/**
 * The header in which better-auth receives the client address. It is set on every request, so a
 * client cannot choose it.
 */
export const clientAddressHeader = 'x-finance-client-address'

export type Client = Readonly<{
  address: string
  /** Whether the client is a program on this machine and PUBLIC_URL leads to this machine only. */
  isLocal: boolean
  userAgent: string | undefined
}>

/** The signed-in user and session, as better-auth returns them. */
export type Caller = {
  user: User
  session: Session & { activeOrganizationId?: string | null | undefined }
}

export type CurrentRequest = Readonly<{
  policy: Policy
  client: Client
  /** Undefined before the session is read, and on routes without one. */
  caller: Caller | undefined
  /** Called with each failed query of better-auth, which reports some of them as a missing row. */
  onQueryError: (error: unknown) => void
  /** Uncounts the guess of this request. Called if the password is correct. */
  onCorrectPassword: () => Promise<void>
}>

/**
 * The current request, for hooks of better-auth, Kysely and pg, which receive no argument of ours.
 * Handlers read Hono's variables instead. Only `http/serve-route.ts` sets it, and each object is
 * read-only.
 */
export const currentRequest = new AsyncLocalStorage<CurrentRequest>()
