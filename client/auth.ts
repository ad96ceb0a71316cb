/**
 * Builds the methods of the auth surface from the generated table of routes, and reports changes of
 * the session to the store.
 */
import { financeError } from './errors.ts'
import { type Auth, routes, sessionEffects } from './routes.ts'
import type { Session, SessionStore, SessionUpdate } from './session.ts'

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

type Input = Record<string, string | null | undefined>
type Table = { readonly [name: string]: readonly [method: string, path: string] | Table }
type SessionResponse = { session: Partial<Session> | null }

type Effect = typeof sessionEffects[keyof typeof sessionEffects]

const effectOf = (path: string): Effect | undefined =>
  (sessionEffects as Readonly<Record<string, Effect | undefined>>)[path]

/**
 * The session update that a response implies. `at` is the time of the request, `now` that of the
 * response.
 */
const sessionUpdates: Record<
  Effect,
  (
    response: SessionResponse,
    at: number,
    now: number,
    before: Session | null | undefined,
  ) => SessionUpdate | undefined
> = {
  starts: ({ session }, _, now) => ({ session: sessionIn(session), at: now }),
  reads: ({ session }, at) => ({ session: sessionIn(session), at }),
  ends: (_response, _at, now) => ({ session: null, at: now, end: 'signed-out' }),
  switches: (
    { session },
    _,
    now,
    before,
  ) => (before ? { session: sessionIn({ ...before, ...session }), at: now } : undefined),
}

const sessionIn = (from: Partial<Session> | null): Session | null => {
  if (from === null) return null
  const { id = '', user_id = '', active_organization_id = null } = from
  return { id, user_id, active_organization_id }
}

/** The auth surface, and the requests to it in progress. */
type Surface = {
  url: string
  send: Fetch
  store: () => SessionStore
  /** GET requests in progress. The same call during one of them shares its response. */
  reads: Map<string, Promise<unknown>>
  /** Requests in progress that change something or return the session. */
  effects: Set<Promise<unknown>>
  /**
   * The number of sign-outs in progress. Other requests may find the session ended before the
   * response of the sign-out arrives.
   */
  signOuts: number
}

/** Sends a request with the cookie of the session. */
function sendTo(
  { url, send }: Surface,
  method: string,
  path: string,
  input: Input,
): Promise<Response> {
  const isGet = method === 'GET'
  const query = new URLSearchParams(
    Object.entries(input).flatMap((
      [name, value],
    ) => (value == null ? [] : [[name, value] as [string, string]])),
  )
  const address = `${url}${path}${isGet && query.size > 0 ? `?${query}` : ''}`
  return send(address, {
    method,
    credentials: 'include',
    headers: {
      accept: 'application/json',
      ...(isGet ? {} : { 'content-type': 'application/json' }),
    },
    ...(isGet ? {} : { body: JSON.stringify(input) }),
    // other requests wait for a token
    ...(path === '/token' && { signal: AbortSignal.timeout(10_000) }),
  })
}

/** Stops sharing the reads in progress, before and after a change: it may sign in another user. */
async function withoutSharing<Answer>(
  { reads }: Surface,
  change: Promise<Answer>,
): Promise<Answer> {
  reads.clear()
  return change.finally(() => reads.clear())
}

/** Calls a route and updates the session by its response. @throws FinanceError */
async function call(
  surface: Surface,
  method: string,
  path: string,
  input: Input = {},
): Promise<unknown> {
  const { store } = surface
  const at = Date.now()
  const sent = sendTo(surface, method, path, input)
  const response = await (method === 'GET' ? sent : withoutSharing(surface, sent))
    .catch((error: unknown) => {
      throw financeError(error, 0)
    })
  const body: unknown = await response.json().catch(() => undefined)
  if (!response.ok) {
    const error = financeError(body, response.status, input)
    if (error.code === 'UNAUTHORIZED')
      store().update({ session: null, at, ...(surface.signOuts > 0 && { end: 'signed-out' }) })
    throw error
  }
  const effect = effectOf(path)
  if (effect !== undefined) {
    const update = sessionUpdates[effect](
      body as SessionResponse,
      at,
      Date.now(),
      store().current(),
    )
    if (update !== undefined) store().update(update)
    // the response names only the changed part of a session that the store has not loaded yet
    else await call(surface, 'GET', '/get-session')
  }
  return body
}

/** Counts a request to those in progress that can set the session. */
function whilePending({ effects }: Surface, request: Promise<unknown>): Promise<unknown> {
  const pending = request.finally(() => effects.delete(pending))
  effects.add(pending)
  return pending
}

/** Calls a route, or shares the response of the same read in progress. */
function callShared(
  surface: Surface,
  method: string,
  path: string,
  input?: Input,
): Promise<unknown> {
  const { reads } = surface
  if (method !== 'GET') {
    const isSignOut = effectOf(path) === 'ends'
    if (isSignOut) surface.signOuts += 1
    return whilePending(
      surface,
      call(surface, method, path, input).finally(() => {
        if (isSignOut) surface.signOuts -= 1
      }),
    )
  }
  const key = `${path} ${JSON.stringify(input)}`
  const running = reads.get(key)
  if (running !== undefined) return running
  const read = call(surface, method, path, input).finally(() => {
    if (reads.get(key) === read) reads.delete(key)
  })
  reads.set(key, read)
  return effectOf(path) === undefined ? read : whilePending(surface, read)
}

const isRow = (row: Table[string]): row is readonly [string, string] => Array.isArray(row)

const methodsOf = (surface: Surface, table: Table): object =>
  Object.fromEntries(
    Object.entries(table).map(([name, row]) => [
      name,
      isRow(row)
        ? (input?: Input) => callShared(surface, row[0], row[1], input)
        : methodsOf(surface, row),
    ]),
  )

/**
 * Builds the methods.
 * @param url the address of the auth surface
 * @returns the methods, and `settled`, which resolves when no request in progress can set the
 * session
 */
export function authMethods(
  url: string,
  send: Fetch,
  store: () => SessionStore,
): { auth: Auth, settled: () => Promise<unknown> } {
  const effects = new Set<Promise<unknown>>()
  const surface: Surface = { url, send, store, reads: new Map(), effects, signOuts: 0 }
  return { auth: methodsOf(surface, routes) as Auth, settled: () => Promise.allSettled(effects) }
}
