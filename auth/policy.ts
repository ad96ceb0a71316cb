/**
 * What is asked of a request before the engine answers it. A row of the route table carries its own policy; the engine gets
 * all of them as data and refuses a request for which it has none. No I/O.
 */

/** At most `max` requests in each window of `window` seconds. */
export type RateLimit = { window: number, max: number }

/** A limit of so many requests a minute. */
export const perMinute = (max: number): RateLimit => ({ window: 60, max })

/** Who asks, as the engine found it; undefined where the row asks for no session. */
export type Caller = { userId: string, sessionId: string } | undefined

/** An answer that can be read in one statement where nothing has to be decided: see engine/shortcuts.ts. */
export type Shortcut = 'session' | 'token'

export type Policy = {
  /** The engine's endpoint that answers; policies are found by it. */
  engine: { method: 'GET' | 'POST', path: string }
  /** Whether the caller must have a session. */
  session: 'required' | 'none'
  /** Whether the request may name an organization. The caller must then be a member of it. */
  namesOrganization: boolean
  /** Whether the endpoint hashes a password. The request then waits for its turn in the hashing queue. */
  hashesPassword: boolean
  /** Whether the answer is a session that begins. A user who signs in `again` and is not verified is also mailed a new link. */
  signsIn: 'first' | 'again' | 'no'
  /**
   * Whether a session that begins here has the second factor behind it: `asked` of whoever has one, before the session is there;
   * `shown`, where the endpoint itself has seen both.
   */
  secondFactor: 'asked' | 'shown'
  /** How to answer without the engine where it would only read. The hook is not asked then, so a row with one can ask for nothing else that it enforces. */
  shortcut?: Shortcut | undefined
  /** What the request may guess. Guesses at the password and at a second factor have a budget per account: engine/guesses.ts. */
  guesses?: 'password' | 'second-factor' | undefined
  limits: {
    /** Per client address, where an IPv6 client is its /64. */
    address?: RateLimit
    /** Per account, whichever address asks: the caller's, or the one that the field `email` names. */
    account?: RateLimit & { by: 'caller' | 'email' }
  }
}

/** A policy as a row writes it. What it leaves out is the stricter choice, or refuses what the row forgot. */
export type RowPolicy = Pick<Policy, 'engine'> & Partial<Policy>

/** The whole policy of a row. */
export const policyOf = (
  { engine, session = 'required', namesOrganization = false, hashesPassword = false, signsIn = 'no', secondFactor = 'asked', shortcut, guesses, limits = {} }:
    RowPolicy,
): Policy => ({ engine, session, namesOrganization, hashesPassword, signsIn, secondFactor, shortcut, guesses, limits })
