/**
 * Entry point of the client package: `createClient`, errors, passkeys and the types of both
 * surfaces.
 */
import { PostgrestClient } from '@supabase/postgrest-js'
import { type Attachments, attachmentsOf } from './attachments.ts'
import { authMethods, type Fetch } from './auth.ts'
import type { Database, TableName } from './database.ts'
import { FinanceError } from './errors.ts'
import { type SessionStorage, withStoredSession } from './keychain.ts'
import type { Auth } from './routes.ts'
import { createRowChanges, type RowChanges, type RowsNotice } from './rows.ts'
import { type Change, createSessionStore, type SessionStore } from './session.ts'
import { realClock } from './stream.ts'
import { type UpdateUnchanged, updateUnchangedOf } from './unchanged.ts'

export type { AttachOptions } from './attachments.ts'
export type * from './database.ts'
export { type TextColumn, textLengths } from './fields.ts'
export { FinanceError, financeError, unwrap } from './errors.ts'
export { createPasskey, signInWithPasskey, supportsPasskeys } from './passkeys.ts'
export type { SessionStorage } from './keychain.ts'
export type * from './routes.ts'
export type { RowsNotice } from './rows.ts'
export type { Change, Session as SessionState } from './session.ts'
export { shrinkImage, type ShrinkOptions } from './shrink.ts'

export type ClientOptions = {
  /** base_url: the origin that serves `/api/auth`. */
  baseUrl: string
  /** data_url. Default `{baseUrl}/data` */
  dataUrl?: string
  /**
   * For scripts, instead of a session: `data` uses the key's context, and the methods of `auth` run
   * without a user.
   */
  apiKey?: string
  /**
   * For native apps, instead of a cookie: reads and stores the token of the session, for example in
   * the keychain.
   */
  session?: SessionStorage
  /** Replaces the global `fetch`. In Node: one that keeps the cookies of one user. */
  fetch?: Fetch
}

export type Client = Attachments & UpdateUnchanged & {
  /** A method for each route of the auth surface. @throws FinanceError */
  auth: Auth
  /** The tables and functions. The client gets and renews the token. */
  data: PostgrestClient<Database>
  /**
   * Calls the listener with the first state (`signed-in` or `signed-out`), then with every change
   * of the session or its organization, also with changes in other tabs. The client requests the
   * first state unless another request loads it.
   * @returns a function that removes the listener
   */
  onChange: (listener: (change: Change) => void) => () => void
  /**
   * Calls the listener when rows of the tables have changed, in the personal context or the active
   * organization. The first notice is a `reset`, after which no change is missed, so a listener
   * that reads the rows needs no other start. Omits changes of this client.
   * @returns a function that removes the listener
   */
  onRows: (tables: readonly TableName[], listener: (notice: RowsNotice) => void) => () => void
}

/**
 * Adds the session's token to requests of the data surface.
 *
 * Without a session it returns 401 in PostgREST's format and sends nothing. PostgREST itself would
 * return `[]` for a request without a token, which looks like an empty account.
 */
const withToken = (send: Fetch, store: SessionStore) => {
  /**
   * A new token that the data surface rejected. It would reject another one too, so no retry
   * follows.
   */
  let rejected: string | undefined
  const sendWithToken = async (url: string, init: RequestInit): Promise<Response> => {
    const sendWith = async (token: string) => {
      const response = await send(url, {
        ...init,
        headers: { ...init.headers as Record<string, string>, authorization: `Bearer ${token}` },
      })
      if (response.status !== 401) rejected = undefined
      return response
    }
    const token = await store.token()
    if (token === null) throw signInFirst()
    const response = await sendWith(token.value)
    if (response.status !== 401 || token.value === rejected) return response
    const next = await store.token(token.value)
    if (next === null) throw signInFirst()
    const second = await sendWith(next.value)
    if (second.status === 401) rejected = next.value
    return second
  }
  // an error of the auth surface becomes a response in PostgREST's format; a failure without a
  // response is thrown as it is
  return (url: string, init: RequestInit): Promise<Response> =>
    sendWithToken(url, init).catch((error: unknown) => {
      if (!(error instanceof FinanceError) || error.status === 0) throw error
      const { status, code, message, details, hint } = error
      return Response.json({ code, message, details, hint }, { status })
    })
}

/** Sends requests with the API key, and never with a cookie of the browser. */
const withKey = (send: Fetch, apiKey: string): Fetch => (url, init) =>
  send(url, {
    ...init,
    credentials: 'omit',
    headers: { ...init.headers as Record<string, string>, authorization: `Bearer ${apiKey}` },
  })

const signInFirst = () => new FinanceError(401, { code: 'UNAUTHORIZED', message: 'Sign in first.' })

/** Requests the stream of changes of some tables. */
const streamRequest =
  (send: Fetch, authUrl: string) =>
  (tables: readonly string[], cursor: string | undefined, signal: AbortSignal): Promise<Response> =>
    send(`${authUrl}/changes?${new URLSearchParams({ tables: tables.join() })}`, {
      credentials: 'include',
      headers: {
        accept: 'text/event-stream',
        ...(cursor !== undefined && { 'last-event-id': cursor }),
      },
      signal,
    })

/** Observes changes of this client, and reads no old rows after a change. */
const withChanges = (send: Fetch, { watch, isSettling }: RowChanges): Fetch => (url, init) => {
  if (init.method !== 'GET' && init.method !== 'HEAD') return watch(send(url, init))
  // a standby that is behind would return the rows from before the change
  return send(
    url,
    isSettling()
      ? {
        ...init,
        headers: { ...init.headers as Record<string, string>, 'cache-control': 'no-cache' },
      }
      : init,
  )
}

/**
 * Creates a client. Use one per page; it shares its session with the other tabs.
 *
 * @example
 * const finance = createClient({ baseUrl: location.origin })
 * const rows = await unwrap(finance.data.from('transactions').select('name, amount'))
 */
export function createClient(
  { baseUrl, dataUrl, apiKey, session, fetch: customFetch }: ClientOptions,
): Client {
  if (apiKey !== undefined && session !== undefined)
    throw new TypeError('A client has an apiKey or a session, not both.')
  const base = baseUrl.replace(/\/+$/, '')
  const send: Fetch = customFetch ?? ((url, init) => fetch(url, init))
  const authUrl = `${base}/api/auth`
  const sendAsUser = session === undefined ? send : withStoredSession(send, authUrl, session)
  const sendAuth = apiKey === undefined ? sendAsUser : withKey(send, apiKey)
  const { auth, settled } = authMethods(authUrl, sendAuth, () => store)
  // only clients with the cookie of the browser share a session: two keychains or keys can be two
  // users
  const name = apiKey === undefined && session === undefined
    ? `finance ${base}`
    : `finance ${Math.random()}`
  const fetchToken = async () => (await auth.token()).token
  const fetchSession = async (): Promise<unknown> => {
    // a sign-in or a request for the session in progress sets the state
    await settled()
    if (store.current() !== undefined) return undefined
    // an API key has no session; its token names the user
    return apiKey === undefined ? auth.sessionStatus() : store.token()
  }
  const store = createSessionStore(name, fetchToken, fetchSession)
  const rows = createRowChanges(
    name,
    store,
    streamRequest(sendAuth, authUrl),
    () => (apiKey === undefined ? auth.getSession() : auth.token()),
    realClock,
  )
  const data = new PostgrestClient<Database>(dataUrl ?? `${base}/data`, {
    fetch: withToken(withChanges(send, rows), store) as typeof fetch,
  })
  const attachments = attachmentsOf(data, `${authUrl}/files`, send, customFetch, rows.watch)
  return {
    auth,
    data,
    onChange: store.onChange,
    onRows: rows.onRows,
    ...attachments,
    ...updateUnchangedOf(data),
  }
}
