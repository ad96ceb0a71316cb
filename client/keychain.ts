/** Sessions of native apps: the app keeps one token in its keychain instead of a cookie. */
import type { Fetch } from './auth.ts'
import { sessionEffects } from './routes.ts'

/** The keychain of a native app. It holds one text, the token of the session. */
export type SessionStorage = {
  /** Returns the stored token, or null. Called before the first request, and again if it fails. */
  load: () => string | null | Promise<string | null>
  /** Stores a new token, and deletes it for null. Each call waits for the one before. */
  save: (token: string | null) => unknown
}

/** The routes that take the token of a pending sign-in. */
const completesSignIn = /^\/two-factor\/verify-/

/**
 * Sends the token of the session with each request, and stores each new one. A failed request
 * leaves it: a restored backup of the service may have its session.
 * @param url the address of the auth surface
 */
export function withStoredSession(send: Fetch, url: string, { load, save }: SessionStorage): Fetch {
  let loading: Promise<void> | undefined
  let saving: Promise<unknown> = Promise.resolve()
  let token: string | null = null
  let pending: string | null = null
  const store = (next: string | null): Promise<unknown> => {
    token = next
    pending = null
    const before = saving
    saving = (async () => {
      await before.catch(() => undefined)
      await save(next)
    })()
    return saving
  }
  return async (address, init) => {
    loading ??= (async () => {
      token = await load()
    })().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    await loading
    const path = address.slice(url.length).split('?', 1)[0] ?? ''
    const bearer = completesSignIn.test(path) ? pending ?? token : token
    const response = await send(address, {
      ...init,
      credentials: 'omit',
      headers: {
        ...init.headers as Record<string, string>,
        'x-session-transport': 'token',
        ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
      },
    })
    const next = response.headers.get('set-auth-token')
    pending = response.headers.get('set-two-factor-token') ?? pending
    if (next !== null) await store(next)
    else if (response.ok && (sessionEffects as Readonly<Record<string, string>>)[path] === 'ends')
      await store(null)
    return response
  }
}
