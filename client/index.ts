/** The finance backend for front-ends: `createClient`, and what its parts are called. */
import { PostgrestClient } from '@supabase/postgrest-js'
import { authMethods, type Send } from './auth.ts'
import type { Database } from './database.ts'
import { FinanceError } from './errors.ts'
import type { Auth } from './routes.ts'
import { type Change, sessionKeeper, type SessionKeeper } from './session.ts'

export type * from './database.ts'
export { FinanceError, financeError, unwrap } from './errors.ts'
export { createPasskey, signInWithPasskey, supportsPasskeys } from './passkeys.ts'
export type * from './routes.ts'
export type { Change, Session as SessionState } from './session.ts'

export type ClientOptions = {
  /** base_url: the origin that has `/api/auth`. */
  baseUrl: string
  /** data_url; `{baseUrl}/data` unless told. */
  dataUrl?: string
  /** Of a script, in place of a session: `data` has the rows of the key's context, and `auth` is for nobody. */
  apiKey?: string
  /** Takes the place of `fetch`: in Node one that keeps cookies, for one person. */
  fetch?: Send
}

export type Client = {
  /** A method for each route of the auth surface. @throws FinanceError */
  auth: Auth
  /** The tables and functions, with a token that is there when it is needed. */
  data: PostgrestClient<Database>
  /**
   * Calls the listener with the first state, `signed-in` or `signed-out`, and then with every change of the session and its organization,
   * also with one that happened in another tab. The first state is asked for if no other request finds it out.
   * @returns a function that ends it
   */
  onChange: (listener: (change: Change) => void) => () => void
}

/**
 * Data requests with the token of the session.
 *
 * Without a session the answer is made here, in PostgREST's shape: nobody's rows are for everybody, so that asking without a
 * token would get `[]`, which reads like "you have none".
 */
const withToken = (send: Send, keeper: SessionKeeper) => {
  /** A token that the data surface refused although it was new: another would be refused as well. */
  let hopeless: string | undefined
  const answer = async (url: string, init: RequestInit): Promise<Response> => {
    const ask = async (token: string) => {
      const response = await send(url, { ...init, headers: { ...init.headers as Record<string, string>, authorization: `Bearer ${token}` } })
      if (response.status !== 401) hopeless = undefined
      return response
    }
    const token = await keeper.token()
    if (token === null) throw signInFirst()
    const response = await ask(token.value)
    if (response.status !== 401 || token.value === hopeless) return response
    const next = await keeper.token(token.value)
    if (next === null) throw signInFirst()
    const second = await ask(next.value)
    if (second.status === 401) hopeless = next.value
    return second
  }
  // what the auth surface answered is said in the words of the data surface; without any answer it is as any request that fails
  return (url: string, init: RequestInit): Promise<Response> =>
    answer(url, init).catch((error: unknown) => {
      if (!(error instanceof FinanceError) || error.status === 0) throw error
      const { status, code, message, details, hint } = error
      return Response.json({ code, message, details, hint }, { status })
    })
}

/** The auth surface asked with a key, and never with a cookie that may be there too. */
const withKey = (send: Send, apiKey: string): Send => (url, init) =>
  send(url, { ...init, credentials: 'omit', headers: { ...init.headers as Record<string, string>, authorization: `Bearer ${apiKey}` } })

const signInFirst = () => new FinanceError(401, { code: 'UNAUTHORIZED', message: 'Sign in first.' })

/**
 * Builds a client. One a page is enough: what it knows is shared with the other tabs.
 *
 * @example
 * const finance = createClient({ baseUrl: location.origin })
 * const rows = await unwrap(finance.data.from('transactions').select('name, amount'))
 */
export function createClient({ baseUrl, dataUrl, apiKey, fetch: own }: ClientOptions): Client {
  const base = baseUrl.replace(/\/+$/, '')
  const send: Send = own ?? ((url, init) => fetch(url, init))
  const { auth, settled } = authMethods(`${base}/api/auth`, apiKey === undefined ? send : withKey(send, apiKey), () => keeper)
  // what a key opens is shared with nobody, and two keys are two callers
  const name = apiKey === undefined ? `finance ${base}` : `finance key ${crypto.randomUUID()}`
  const fetchToken = async () => (await auth.token()).token
  const fetchSession = async (): Promise<unknown> => {
    // a sign-in that is under way tells the state
    await settled()
    if (keeper.current() !== undefined) return undefined
    // a key has no session, and its token says whose it is
    return apiKey === undefined ? auth.getSession() : keeper.token()
  }
  const keeper = sessionKeeper(name, fetchToken, fetchSession)
  const data = new PostgrestClient<Database>(dataUrl ?? `${base}/data`, { fetch: withToken(send, keeper) as typeof fetch })
  return { auth, data, onChange: keeper.onChange }
}
