/**
 * The credentials of requests: the only reader of `Authorization`. For native apps, the token of a
 * session takes the place of the cookie that better-auth reads, and the cookies of the response
 * become headers. All other code knows only cookies.
 */
import type { AuthContext } from 'better-auth'
import { apiKeyPrefix, tokenHeaders, transportHeader } from '../../common/contract.ts'
import { rejection } from '../../http/errors.ts'
import { isOfApp } from '../../http/origins.ts'
import { policyOf } from '../../http/policy.ts'
import { isRead, type Route, type RouteContext } from '../../http/route.ts'
import { expireOtherForms } from './cookies.ts'

/** The cookie of a pending sign-in, without better-auth's prefix. */
export const pendingCookie = 'two_factor'

const cookieNames = ({ authCookies, createAuthCookie }: AuthContext) => ({
  session: authCookies.sessionToken.name,
  pending: createAuthCookie(pendingCookie).name,
})

/**
 * The forms of our tokens. A token of the data surface has two dots, and an API key none and more
 * letters than a pending sign-in.
 */
const forms = {
  session: /^[\w-]{1,128}\.[A-Za-z0-9+/]{43}=$/,
  pending: /^[\w-]{32}$/,
  apiKey: new RegExp(`^${apiKeyPrefix}`, 'i'),
}

/**
 * Returns the bearer token, not yet verified, and its kind if the route takes it. Only a route that
 * completes a sign-in takes the token of a pending one.
 */
function bearerOf(
  c: RouteContext,
  row: Route,
): { kind?: 'session' | 'pending' | 'apiKey' | 'token', bearer: string } {
  const [, bearer] = /^bearer +(.*)$/i.exec(c.req.header('authorization') ?? '') ?? []
  if (bearer === undefined) return { bearer: '' }
  const { credentials, secondFactor } = policyOf(row)
  if (forms.session.test(bearer)) return { kind: 'session', bearer }
  if (secondFactor === 'verified' && forms.pending.test(bearer)) return { kind: 'pending', bearer }
  if (credentials.includes('apiKey') && forms.apiKey.test(bearer)) return { kind: 'apiKey', bearer }
  return credentials.includes('token') ? { kind: 'token', bearer } : { bearer }
}

/**
 * Sets the credentials of the request: `cookie` and `isApp`, `apiKey` or `token`. With the token of
 * a session, the request's own cookies do not count.
 * @throws Rejection FORBIDDEN for a web page, which must not hold such a token; VALIDATION_ERROR
 * for another transport
 */
export function readCredentials(c: RouteContext, row: Route): void {
  const { engine: { context }, config: { origins } } = c.var.services
  const transport = isRead(row) ? undefined : c.req.header(transportHeader)
  const { kind, bearer } = bearerOf(c, row)
  const cookieName = kind === 'session' || kind === 'pending'
    ? cookieNames(context)[kind]
    : undefined
  const isFromApp = isOfApp(c, origins)
  if (kind === 'apiKey' || kind === 'token') c.set(kind, bearer)
  c.set(
    'cookie',
    cookieName === undefined || !isFromApp
      ? c.req.header('cookie')
      : `${cookieName}=${encodeURIComponent(bearer)}`,
  )
  c.set('isApp', isFromApp && (cookieName !== undefined || transport !== undefined))
  if (transport !== undefined && transport !== 'token')
    throw rejection('VALIDATION_ERROR', 'X-Session-Transport must be token.')
  // A route that needs no session and changes nothing ignores the token of a page.
  const isPublic = row.method === 'GET' && policyOf(row).credentials.length === 0
  if (!isFromApp && (transport !== undefined || (cookieName !== undefined && !isPublic))) {
    throw rejection(
      'FORBIDDEN',
      'Only a native app may use the token of a session: a request without Origin, Referer and Sec-Fetch-Site, or from an app scheme in TRUSTED_ORIGINS. A page uses the cookie.',
    )
  }
}

/**
 * Adds the cookies to the response. A new or deleted session cookie also deletes the browser's
 * others of its name, which come first because a browser may see the same cookie in two of them. An
 * app receives the new tokens as headers instead.
 */
export function sendCookies(c: RouteContext, headers: Headers): void {
  const { engine: { context }, config: { publicUrl } } = c.var.services
  const names = cookieNames(context)
  if (!c.var.isApp) {
    const changesSession = c.var.cookies.some((cookie) => cookie.startsWith(`${names.session}=`))
    const others = changesSession
      ? expireOtherForms(context, publicUrl, c.req.header('cookie'))
      : []
    for (const cookie of [...others, ...c.var.cookies]) headers.append('set-cookie', cookie)
    return
  }
  for (const cookie of c.var.cookies) {
    const [, name, value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
    const token = decodeURIComponent(value)
    // A renewal sets the cookie again, but the app has its token already.
    if (token === '' || c.var.cookie?.includes(value) === true) continue
    if (name === names.session) headers.set(tokenHeaders.session, token)
    if (name === names.pending) headers.set(tokenHeaders.pending, token)
  }
}
