/**
 * The session state of this tab and its access token. The token is kept only in memory. Each update
 * carries the time of this machine at which it was true; a newer update wins, from any tab.
 */
import { FinanceError } from './errors.ts'
import { joinTabs } from './tabs.ts'

/** The signed-in user and the active context. */
export type Session = { id: string, user_id: string, active_organization_id: string | null }

/** An event for the listeners of `onChange`. */
export type Change = {
  /** `session-ended`: the session expired or was revoked. `signed-out`: the user signed out. */
  event: 'signed-in' | 'signed-out' | 'session-ended' | 'organization-changed'
  /** The current session, or null. */
  session: Session | null
  /** The previous session; null if there was none or it was unknown. */
  previous: Session | null
}

/**
 * A cached token. `renewAt` and `endsAt` (its expiry) are in milliseconds of this machine's clock.
 */
export type Token = { value: string, session: Session, at: number, renewAt: number, endsAt: number }

/**
 * A session state and the time `at` which it was true. `end` is the event to report when it ends a
 * session. Tabs exchange it.
 */
export type SessionUpdate = {
  session: Session | null
  at: number
  end?: Change['event']
  token?: Token
}

/** First and longest pause between two attempts to load the first state, in milliseconds. */
const retryDelays = { first: 1_000, longest: 30_000 }

/** A token is renewed this long before its expiry, in milliseconds. */
const renewMarginMs = 60_000

const isSame = (a: Session | null | undefined, b: Session | null) =>
  a === b ||
  (a != null && b !== null && a.id === b.id && a.user_id === b.user_id &&
    a.active_organization_id === b.active_organization_id)

/**
 * Decodes a newly issued token.
 * @param at the local time of its request. The expiry is computed from it, because the server's
 * clock may differ.
 */
function decode(value: string, at: number): Token {
  const [, payload = ''] = value.split('.')
  const text = new TextDecoder().decode(
    Uint8Array.from(
      atob(payload.replaceAll('-', '+').replaceAll('_', '/')),
      (letter) => letter.charCodeAt(0),
    ),
  )
  const { sid, user_id, iat, exp, claims } = JSON.parse(text) as {
    sid: string
    user_id: string
    iat: number
    exp: number
    claims?: { organization_id?: string }
  }
  const endsAt = at + (exp - iat) * 1000
  // a token with a lifetime below the margin is renewed after half of it
  const renewAt = Math.max(endsAt - renewMarginMs, (at + endsAt) / 2)
  return {
    value,
    session: { id: sid, user_id, active_organization_id: claims?.organization_id ?? null },
    at,
    renewAt,
    endsAt,
  }
}

/** Runs `work` after a delay. In Node the timer keeps no process alive. */
const runLater = (work: () => Promise<void>, delay: number): void => {
  const timer: unknown = setTimeout(() => void work(), delay)
  if (typeof timer === 'object') (timer as { unref: () => void }).unref()
}

/**
 * Creates the session store of a client.
 * @param name differs between apps of one origin that use different backends
 * @param fetchToken requests a token. Without a session it calls `update` and throws a FinanceError
 * with status 401.
 * @param fetchSession requests the session and calls `update` with the response
 */
export function createSessionStore(
  name: string,
  fetchToken: () => Promise<string>,
  fetchSession: () => Promise<unknown>,
) {
  const listeners = new Set<(change: Change) => void>()
  let current: Session | null | undefined
  // ignores state from tabs that is older than this tab: the user may have signed in elsewhere
  // since
  let currentAt = Date.now()
  let cached: Token | undefined
  /** The session that was last reported as ended. Null after a sign-out or another sign-in. */
  let ended: Session | null = null
  let renewal: Promise<Token | null> | undefined

  /** Whether a user signed out of a session that a request has already found ended. */
  const isLateSignOut = ({ session, end }: SessionUpdate): boolean =>
    session === null && current === null && end === 'signed-out' && ended !== null

  /**
   * Applies an update unless the store has a newer one. @returns true if the update is the current
   * state
   */
  const apply = (next: SessionUpdate): boolean => {
    const { session, at, end = 'session-ended', token } = next
    // a clock that was set back must not make every update look old
    currentAt = Math.min(currentAt, Date.now())
    if (at < currentAt && !isSame(current, session)) return false
    const isLate = isLateSignOut(next)
    const previous = isLate ? ended : current ?? null
    const isChanged = isLate || !isSame(current, session)
    const isFirst = current === undefined
    current = session
    currentAt = Math.max(at, currentAt)
    if (token !== undefined && token.endsAt > (cached?.endsAt ?? 0)) cached = token
    if (cached !== undefined && !isSame(cached.session, session)) cached = token
    if (!isChanged) return true
    const event = session === null
      ? (isFirst ? 'signed-out' : end)
      : previous?.user_id !== session.user_id
      ? 'signed-in'
      : previous.active_organization_id === session.active_organization_id
      ? undefined
      : 'organization-changed'
    ended = event === 'session-ended' ? previous : null
    // each listener runs in its own microtask, so that its exception does not reach this caller
    if (event !== undefined) {
      for (const listener of listeners) queueMicrotask(() => listener({ event, session, previous }))
    }
    return true
  }
  const tabs = joinTabs<SessionUpdate>(name, {
    onState: apply,
    currentState: () => (current === undefined
      ? undefined
      : { session: current, at: currentAt, ...(cached && { token: cached }) }),
  })
  const update = (next: SessionUpdate): boolean => {
    const isNew = !isSame(current, next.session) || next.token !== undefined || isLateSignOut(next)
    const isApplied = apply(next)
    if (isApplied && isNew) tabs.broadcast(next)
    return isApplied
  }

  const isUsable = (rejected: string | undefined) =>
    cached !== undefined && cached.value !== rejected && Date.now() < cached.renewAt

  const renew = (rejected: string | undefined): Promise<Token | null> =>
    tabs.withLock(async () => {
      await tabs.requestState()
      // another tab may have renewed the token or signed out while this tab waited for the lock
      if (isUsable(rejected)) return cached ?? null
      if (current === null) return null
      const at = Date.now()
      try {
        const token = decode(await fetchToken(), at)
        return update({ session: token.session, at, token }) ? token : null
      } catch (error) {
        if (error instanceof FinanceError && error.status === 401) return null
        // the renewal failed, but the old token has not expired
        if (cached !== undefined && cached.value !== rejected && Date.now() < cached.endsAt)
          return cached
        throw error
      }
    })

  let isLoading = false
  /**
   * Loads the first state and retries until it is known, unless another tab or request sets it
   * first.
   */
  const loadFirstState = async (pause: number): Promise<void> => {
    isLoading = true
    await tabs.withLock(() => (current === undefined ? fetchSession() : Promise.resolve())).catch(
      () => undefined,
    )
    isLoading = current === undefined && listeners.size > 0
    if (isLoading) runLater(() => loadFirstState(Math.min(pause * 2, retryDelays.longest)), pause)
  }

  return {
    update,
    current: () => current,
    /**
     * Returns a valid token, or null if there is no session. Simultaneous calls share one request.
     * @param refused a token that the data surface rejected
     * @throws FinanceError if the auth surface does not respond
     */
    token: async (rejected?: string): Promise<Token | null> => {
      // a sign-in or context switch during the request invalidates its token, so request another
      // one
      for (let attempt = 0; attempt < 3; attempt += 1) {
        if (current === null) return null
        if (cached !== undefined && isUsable(rejected)) return cached
        renewal ??= renew(rejected).finally(() => {
          renewal = undefined
        })
        const token = await renewal
        if (token !== null) return token
      }
      return null
    },
    onChange: (listener: (change: Change) => void) => {
      listeners.add(listener)
      const session = current
      if (session !== undefined)
        queueMicrotask(() =>
          listener({
            event: session === null ? 'signed-out' : 'signed-in',
            session,
            previous: null,
          })
        )
      else if (!isLoading) {
        isLoading = true
        // a request that the page is about to make may set the state first
        runLater(() => loadFirstState(retryDelays.first), 0)
      }
      return () => {
        listeners.delete(listener)
      }
    },
  }
}

export type SessionStore = ReturnType<typeof createSessionStore>
