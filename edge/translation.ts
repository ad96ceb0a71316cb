/**
 * Translation between clients and PostgREST: requests of supabase-js, the media type for one object, and error codes of several
 * versions of PostgREST. Requests are translated before their limits are chosen, so a dropped token does not raise the limits. No I/O.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { apiKeyPrefix } from '../auth/config.ts'

/** A header value that is an API key, or names one after a scheme. */
const anyApiKey = new RegExp(`^(?:\\w+ +)?${apiKeyPrefix}`, 'i')

/**
 * Returns true if a request has an API key and no token. PostgREST would call it a malformed token, or without `Authorization` return `[]`.
 * @param headers as the client sent them
 */
export function hasApiKeyForToken({ authorization = '', apikey = '', 'x-api-key': xApiKey = '' }: IncomingHttpHeaders): boolean {
  return anyApiKey.test(authorization) || authorization === '' && [apikey, xApiKey].some((value) => anyApiKey.test(value.toString()))
}

/** The path prefix that supabase-js uses. Its own headers are dropped only below this prefix. */
const ofSupabase = '/rest/v1'

const interfaceObject = 'application/vnd.rest.object+json'
const postgrestObject = 'application/vnd.pgrst.object+json'
const anyInterfaceObject = /application\/vnd\.rest\.object\+json/gi

/** Returns true if the client accepts the interface's media type for one object, and not PostgREST's own. */
export const asksInterfaceObject = (accept: string | undefined): boolean =>
  accept !== undefined && accept.toLowerCase().includes(interfaceObject) && !accept.toLowerCase().includes(postgrestObject)

/**
 * Returns the request headers for PostgREST.
 *
 * supabase-js names the schema `public`, which is not exposed here. It sends its publishable key as `apikey`, and also as the bearer
 * while no user is signed in. Only a bearer that equals the key of the same request is dropped, so a client can lose only its own token.
 *
 * @param prefix the prefix of the data surface in the path
 */
export function headersForPostgrest(headers: IncomingHttpHeaders, prefix: string): IncomingHttpHeaders {
  const translated = { ...headers }
  if (prefix === ofSupabase) {
    for (const name of ['accept-profile', 'content-profile']) if (translated[name] === 'public') delete translated[name]
    if (translated['apikey'] !== undefined && translated.authorization === `Bearer ${translated['apikey'].toString()}`) delete translated.authorization
    delete translated['apikey']
  }
  // PostgREST 12.0 cannot combine the interface's media type with select=, nor 12.2 with a charset
  if (translated.accept !== undefined) translated.accept = translated.accept.replace(anyInterfaceObject, postgrestObject)
  return translated
}

/**
 * Returns the Content-Type for a client that accepts the interface's media type. It has no charset, like PostgREST's own.
 */
export const typeForInterface = (type: string): string => type.startsWith(postgrestObject) ? interfaceObject : type

/** Code of PostgREST 13 and later for a refused claim, such as an expired token, and the interface's code. */
const codeOfExpired = 'PGRST303'
const codeOfInterface = 'PGRST301'

/** Returns a response header with the interface's code: PostgREST 16 names the code in `Proxy-Status`. */
export const namedCode = (value: string): string => value.replace(codeOfExpired, codeOfInterface)

/** Correct statuses of errors that a request causes, by their code. PostgREST 12.2 and later answer them with 500. 12.0.2 has the second itself. */
const statusOfRequestError: Record<string, number> = { 21000: 400, 54001: 413 }

/**
 * Rewrites an error of PostgREST for the client. Returns undefined if it stays the same.
 * @param body the response body, a small JSON object
 */
export function mendError(status: number, body: Buffer): { status: number, body: Buffer } | undefined {
  const text = body.toString('utf8')
  if (status === 401) {
    const named = text.replace(`"${codeOfExpired}"`, `"${codeOfInterface}"`)
    return named === text ? undefined : { status, body: Buffer.from(named) }
  }
  const mended = statusOfRequestError[/"code":"(\w{5})"/.exec(text)?.[1] ?? '']
  return mended === undefined ? undefined : { status: mended, body }
}
