/**
 * The session state of this tab and its access token. The token is kept only in memory. Each update
 * carries the time of this machine at which it was true; a newer update wins, from any tab.
 */
import { FinanceError } from './errors.ts'
import { joinTabs, type Tabs } from './tabs.ts'

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

/** The session that a tab has, and its token. */
type State = {
  current: Session | null | undefined
  currentAt: number
  cached: Token | undefined
  /** The session that was last reported as ended. Null after a sign-out or another sign-in. */
  ended: Session | null
}

/** Whether a user signed out of a session that a request has already found ended. */
const isLateSignOut = ({ current, ended }: State, { session, end }: SessionUpdate): boolean =>
  session === null && current === null && end === 'signed-out' && ended !== null

/**
 * Applies an update unless the state is newer. @returns true if the update is the current state,
 * and the change to report
 */
function applyUpdate(
  state: State,
  next: SessionUpdate,
): { isApplied: boolean, change?: Change } {
  const { session, at, end = 'session-ended', token } = next
  // a clock that was set back must not make every update look old
  state.currentAt = Math.min(state.currentAt, Date.now())
  if (at < state.currentAt && !isSame(state.current, session)) return { isApplied: false }
  const isLate = isLateSignOut(state, next)
  const previous = isLate ? state.ended : state.current ?? null
  const isChanged = isLate || !isSame(state.current, session)
  const isFirst = state.current === undefined
  state.current = session
  state.currentAt = Math.max(at, state.currentAt)
  if (token !== undefined && token.endsAt > (state.cached?.endsAt ?? 0)) state.cached = token
  if (state.cached !== undefined && !isSame(state.cached.session, session)) state.cached = token
  if (!isChanged) return { isApplied: true }
  const event = session === null
    ? (isFirst ? 'signed-out' : end)
    : previous?.user_id !== session.user_id
    ? 'signed-in'
    : previous.active_organization_id === session.active_organization_id
    ? undefined
    : 'organization-changed'
  state.ended = event === 'session-ended' ? previous : null
  return { isApplied: true, ...(event !== undefined && { change: { event, session, previous } }) }
}

/** Returns the state for another tab; undefined before it is known. */
const updateOf = ({ current, currentAt, cached }: State): SessionUpdate | undefined =>
  current === undefined
    ? undefined
    : { session: current, at: currentAt, ...(cached && { token: cached }) }

/** Returns true if the cached token needs no renewal, and the data surface has not rejected it. */
const isUsable = ({ cached }: State, rejected: string | undefined): boolean =>
  cached !== undefined && cached.value !== rejected && Date.now() < cached.renewAt

/**
 * Returns a function that returns a valid token, or null if there is no session. Simultaneous calls
 * share one request. The argument is a token that the data surface rejected. @throws FinanceError
 * if the auth surface does not respond
 */
function tokensOf(
  state: State,
  tabs: Tabs<SessionUpdate>,
  fetchToken: () => Promise<string>,
  update: (next: SessionUpdate) => boolean,
): (rejected?: string) => Promise<Token | null> {
  let renewal: Promise<Token | null> | undefined
  const renew = (rejected: string | undefined): Promise<Token | null> =>
    tabs.withLock(async () => {
      await tabs.requestState()
      // another tab may have renewed the token or signed out while this tab waited for the lock
      if (isUsable(state, rejected)) return state.cached ?? null
      if (state.current === null) return null
      const at = Date.now()
      try {
        const token = decode(await fetchToken(), at)
        return update({ session: token.session, at, token }) ? token : null
      } catch (error) {
        if (error instanceof FinanceError && error.status === 401) return null
        // the renewal failed, but the old token has not expired
        const { cached } = state
        if (cached !== undefined && cached.value !== rejected && Date.now() < cached.endsAt)
          return cached
        throw error
      }
    })
  return async (rejected) => {
    // a sign-in or context switch during the request invalidates its token, so request another one
    for (let attempt = 0; attempt < 3; attempt += 1) {
      if (state.current === null) return null
      if (state.cached !== undefined && isUsable(state, rejected)) return state.cached
      renewal ??= renew(rejected).finally(() => {
        renewal = undefined
      })
      const token = await renewal
      if (token !== null) return token
    }
    return null
  }
}

/**
 * Returns a function that loads the first state, unless another tab or request sets it first. It
 * retries until the state is known.
 * @param isAwaited false as soon as no listener waits for the state
 */
function firstStateLoader(
  state: State,
  tabs: Tabs<SessionUpdate>,
  fetchSession: () => Promise<unknown>,
  isAwaited: () => boolean,
): () => void {
  let isLoading = false
  const load = async (pause: number): Promise<void> => {
    isLoading = true
    await tabs.withLock(() => (state.current === undefined ? fetchSession() : Promise.resolve()))
      .catch(() => undefined)
    isLoading = state.current === undefined && isAwaited()
    if (isLoading) runLater(() => load(Math.min(pause * 2, retryDelays.longest)), pause)
  }
  return () => {
    if (isLoading) return
    isLoading = true
    // a request that the page is about to make may set the state first
    runLater(() => load(retryDelays.first), 0)
  }
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
  const state: State = {
    current: undefined,
    // ignores state from tabs that is older than this tab: the user may have signed in elsewhere
    // since
    currentAt: Date.now(),
    cached: undefined,
    ended: null,
  }
  const apply = (next: SessionUpdate): boolean => {
    const { isApplied, change } = applyUpdate(state, next)
    // each listener runs in its own microtask, so that its exception does not reach this caller
    if (change !== undefined) {
      for (const listener of listeners) queueMicrotask(() => listener(change))
    }
    return isApplied
  }
  const tabs = joinTabs<SessionUpdate>(name, {
    onState: apply,
    currentState: () => updateOf(state),
  })
  const update = (next: SessionUpdate): boolean => {
    const isNew = !isSame(state.current, next.session) || next.token !== undefined ||
      isLateSignOut(state, next)
    const isApplied = apply(next)
    if (isApplied && isNew) tabs.broadcast(next)
    return isApplied
  }
  const loadFirstState = firstStateLoader(state, tabs, fetchSession, () => listeners.size > 0)

  return {
    update,
    current: () => state.current,
    token: tokensOf(state, tabs, fetchToken, update),
    onChange: (listener: (change: Change) => void) => {
      listeners.add(listener)
      const { current: session } = state
      if (session === undefined) loadFirstState()
      else
        queueMicrotask(() =>
          listener({
            event: session === null ? 'signed-out' : 'signed-in',
            session,
            previous: null,
          })
        )
      return () => {
        listeners.delete(listener)
      }
    },
  }
}

export type SessionStore = ReturnType<typeof createSessionStore>
