/**
 * The trusted origins: our own, those of TRUSTED_ORIGINS, and every origin on localhost if
 * PUBLIC_URL is there. No I/O.
 */
import type { Context } from 'hono'
import { isAppOrigin } from '../common/app-origins.ts'

/** The trusted origins. */
export type Origins = {
  /** Returns true for a trusted origin, as a browser writes it. `null` is never trusted. */
  trusts: (origin: string) => boolean
  /** Whether all origins on localhost are trusted. */
  onLocalhost: boolean
  /** The same set in better-auth's patterns, in which `*` stands for any letters. */
  patterns: string[]
}

/** Names that browsers resolve to their own machine. */
export const isLocal = (hostname: string): boolean =>
  ['localhost', '127.0.0.1', '[::1]'].includes(hostname) || hostname.endsWith('.localhost')

const localPatterns = ['http', 'https'].flatMap((scheme) =>
  ['localhost', '*.localhost', '127.0.0.1', '[::1]'].flatMap((
    host,
  ) => [`${scheme}://${host}`, `${scheme}://${host}:*`])
)

/**
 * @param publicUrl our own origin
 * @param named further origins
 */
export function originsOf(publicUrl: string, named: string[]): Origins {
  const trustedOrigins = new Set([publicUrl, ...named])
  const onLocalhost = isLocal(new URL(publicUrl).hostname)
  const isOfLocalhost = (origin: string): boolean => {
    if (!onLocalhost || !URL.canParse(origin)) return false
    const url = new URL(origin)
    return /^https?:$/.test(url.protocol) && url.origin === origin && isLocal(url.hostname)
  }
  return {
    trusts: (origin) => trustedOrigins.has(origin) || isOfLocalhost(origin),
    onLocalhost,
    patterns: onLocalhost ? [...trustedOrigins, ...localPatterns] : [...trustedOrigins],
  }
}

/**
 * Returns true if a mailed link or a sign-in may lead to a URL: one of our origin, of a trusted
 * origin, or below the path of APP_URL. Other paths of the app's origin may belong to another
 * tenant of that host.
 */
export function isTrustedUrl(
  { appUrl, origins }: { appUrl: string, origins: Origins },
  url: string,
): boolean {
  const app = new URL(`${appUrl}/`)
  if (!URL.canParse(url, app.href)) return false
  const { origin, username, protocol, pathname } = new URL(url, app)
  const isOutsideApp = origin === app.origin && !`${pathname}/`.startsWith(app.pathname)
  return /^https?:$/.test(protocol) && username === '' && origins.trusts(origin) && !isOutsideApp
}

/**
 * Returns true if no web page can have sent the request: it has none of the headers that tell where
 * a browser's request comes from, or a trusted origin of a native app.
 */
export function isOfApp(context: Context, { trusts }: Origins): boolean {
  const origin = context.req.header('origin')
  if (origin !== undefined) return isAppOrigin(origin) && trusts(origin)
  return ['referer', 'sec-fetch-site'].every((name) => context.req.header(name) === undefined)
}

/** Returns the origin that a browser sends; undefined for other clients. */
export function originOf(context: Context): string | undefined {
  const origin = context.req.header('origin')
  if (origin !== undefined) return origin
  const referer = context.req.header('referer')
  if (referer !== undefined) return URL.canParse(referer) ? new URL(referer).origin : 'null'
  return ['cross-site', 'same-site'].includes(context.req.header('sec-fetch-site') ?? '')
    ? 'null'
    : undefined
}
