/**
 * Cookies of one name. A browser keeps one for each domain and partition, so it sends several after
 * a change of COOKIE_DOMAIN or COOKIE_SAME_SITE, the oldest first. A reader must try each: an
 * expired one would otherwise hide the valid one.
 */
import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import type { AuthContext } from 'better-auth'

/**
 * Maximum values of one name that are read, because each signed one costs a query. A browser has at
 * most one for each form.
 */
const maxValues = 20

const pairsOf = (header: string | undefined): string[] =>
  (header ?? '').split(';').map((pair) => pair.trim())

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/** Returns the different values of a cookie, as received. */
export const cookieValues = (header: string | undefined, name: string): string[] => {
  const values = pairsOf(header).filter((pair) => pair.startsWith(`${name}=`)).map((pair) =>
    pair.slice(name.length + 1)
  )
  return [...new Set(values)].slice(0, maxValues)
}

/** Returns the header once for each value of a cookie, without the other values. */
export function headerForEachValue(header: string, name: string): string[] {
  const values = cookieValues(header, name)
  if (values.length === 0) return [header]
  const others = pairsOf(header).filter((pair) => !pair.startsWith(`${name}=`))
  return values.map((value) => [`${name}=${value}`, ...others].join('; '))
}

/** Returns the text that a cookie's value signs. Undefined if the signature is not ours. */
export function signedText(value: string, secret: KeyObject | string): string | undefined {
  const [, text, signature] = /^"?([\w-]{1,128})\.([A-Za-z0-9+/]{43}=)"?$/.exec(decoded(value)) ??
    []
  if (text === undefined || signature === undefined) return undefined
  return timingSafeEqual(
      Buffer.from(signature, 'base64'),
      createHmac('sha256', secret).update(text).digest(),
    )
    ? text
    : undefined
}

/** Returns the signed texts of all cookies with this name. */
export const signedTexts = (header: string | undefined, name: string, secret: string): string[] =>
  cookieValues(header, name).map((value) => signedText(value, secret)).filter((text) =>
    text !== undefined
  )

/**
 * Returns the names of the session cookie: the current one, and the one from before PUBLIC_URL
 * began with https.
 */
const sessionNames = (
  { authCookies: { sessionToken: { name } } }: AuthContext,
): string[] => [...new Set([name, name.replace(/^__Secure-/, '')])]

/** Returns the tokens of all sessions whose cookie a request sends. */
export const sentSessionTokens = (auth: AuthContext, header: string | undefined): string[] =>
  sessionNames(auth).flatMap((name) => signedTexts(header, name, auth.secret))

/**
 * Returns lines for `Set-Cookie` that delete the session cookies which the request sends, in each
 * form that the current settings do not write: of the host, of each domain above it, and of both
 * kinds of partition. A request does not tell the form of a cookie. So there are no such lines if a
 * value lacks our signature: it may belong to another deployment, at a domain above.
 */
export function expireOtherForms(
  auth: AuthContext,
  publicUrl: string,
  header: string | undefined,
): string[] {
  const { name: current, attributes: { domain = '', partitioned = false } } =
    auth.authCookies.sessionToken
  const { hostname, protocol } = new URL(publicUrl)
  const labels = isIP(hostname) === 0 ? hostname.split('.') : []
  const domains = ['', ...labels.slice(0, -1).map((_, at) => labels.slice(at).join('.'))]
  const partitions = protocol === 'https:' ? [false, true] : [false]
  const isCurrent = (name: string, of: string, isPartitioned: boolean) =>
    name === current && of === domain.replace(/^\./, '').toLowerCase() &&
    isPartitioned === partitioned
  const areOurs = (values: string[]) =>
    values.length > 0 && values.every((value) => signedText(value, auth.secret) !== undefined)
  return sessionNames(auth).filter((name) => areOurs(cookieValues(header, name))).flatMap((name) =>
    domains.flatMap((of) =>
      partitions.filter((isPartitioned) => !isCurrent(name, of, isPartitioned))
        .map((isPartitioned) =>
          `${name}=; Max-Age=0${of && `; Domain=${of}`}; Path=/; HttpOnly${
            protocol === 'https:' ? '; Secure; SameSite=None' : ''
          }${isPartitioned ? '; Partitioned' : ''}`
        )
    )
  )
}
