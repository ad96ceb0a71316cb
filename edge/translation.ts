/**
 * Translation between clients and PostgREST: requests of supabase-js, the media type for one
 * object, and error codes of several versions of PostgREST. Requests are translated before their
 * limits are chosen, so a dropped token does not raise the limits. No I/O.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { apiKeyPrefix } from '../common/contract.ts'
import { pageHeader } from './lists.ts'

/** A header value that is an API key, or names one after a scheme. */
const anyApiKey = new RegExp(`^(?:\\w+ +)?${apiKeyPrefix}`, 'i')

/**
 * Returns true if a request has an API key and no token. PostgREST would call it a malformed token,
 * or without `Authorization` return `[]`.
 * @param headers as the client sent them
 */
export function hasApiKeyForToken(
  { authorization = '', apikey = '', 'x-api-key': xApiKey = '' }: IncomingHttpHeaders,
): boolean {
  return anyApiKey.test(authorization) ||
    authorization === '' && [apikey, xApiKey].some((value) => anyApiKey.test(value.toString()))
}

/**
 * Returns true if `Authorization` has no bearer scheme, such as a bare token. PostgREST would treat
 * the request as anonymous and return `[]`.
 * @param headers for PostgREST
 */
export const hasOtherScheme = ({ authorization = '' }: IncomingHttpHeaders): boolean =>
  !/^(bearer([ \t]|$)|$)/i.test(authorization)

/** The path prefix that supabase-js uses. Its own headers are dropped only below this prefix. */
const ofSupabase = '/rest/v1'

const interfaceObject = 'application/vnd.rest.object+json'
const postgrestObject = 'application/vnd.pgrst.object+json'
const anyInterfaceObject = /application\/vnd\.rest\.object\+json/gi

/**
 * Returns true if the client accepts the interface's media type for one object, and not PostgREST's
 * own.
 */
export const asksInterfaceObject = (accept: string | undefined): boolean =>
  accept !== undefined && accept.toLowerCase().includes(interfaceObject) &&
  !accept.toLowerCase().includes(postgrestObject)

/**
 * Returns the request headers for PostgREST.
 *
 * supabase-js names the schema `public`, which is not exposed here. It sends its publishable key as
 * `apikey`, and also as the bearer while no user is signed in. Only a bearer that equals the key of
 * the same request is dropped, so a client can lose only its own token.
 *
 * @param prefix the prefix of the data surface in the path
 */
export function headersForPostgrest(
  headers: IncomingHttpHeaders,
  prefix: string,
): IncomingHttpHeaders {
  const translated = { ...headers }
  delete translated[pageHeader]
  // PostgREST passes all headers to the database, which needs no credentials of the auth surface
  delete translated.cookie
  delete translated['x-api-key']
  if (prefix === ofSupabase) {
    for (const name of ['accept-profile', 'content-profile'])
      if (translated[name] === 'public') delete translated[name]
    if (
      translated['apikey'] !== undefined &&
      translated.authorization === `Bearer ${translated['apikey'].toString()}`
    ) delete translated.authorization
  }
  delete translated['apikey']
  // PostgREST compares media types with regard to case. A header has one character per byte, so
  // only ASCII letters change.
  if (translated['content-type'] !== undefined)
    translated['content-type'] = translated['content-type'].replace(
      /[A-Z]/g,
      (letter) => letter.toLowerCase(),
    )
  // PostgREST 12.0 cannot combine the interface's media type with select=, nor 12.2 with a charset
  if (translated.accept !== undefined)
    translated.accept = translated.accept.replace(anyInterfaceObject, postgrestObject)
  return translated
}

/**
 * Returns the text that replaces a byte order mark at the start of a body, or undefined for other
 * bodies. PostgREST would take the mark for a part of JSON or of the first column's name. Blanks
 * keep the length of JSON, which is streamed. CSV gets no blanks, and must be UTF-8.
 */
export function markReplacement(contentType = 'application/json'): '' | '   ' | undefined {
  if (/^text\/csv/i.test(contentType)) return ''
  return /^application\/(json|vnd\.pgrst\.)/i.test(contentType) ? '   ' : undefined
}

/**
 * Returns the Content-Type for a client that accepts the interface's media type. It has no charset,
 * like PostgREST's own.
 */
export const typeForInterface = (type: string): string =>
  type.startsWith(postgrestObject) ? interfaceObject : type

/**
 * Code of PostgREST 13 and later for a refused claim, such as an expired token, and the interface's
 * code.
 */
const codeOfExpired = 'PGRST303'
const codeOfInterface = 'PGRST301'

/**
 * Returns a response header with the interface's code: PostgREST 16 names the code in
 * `Proxy-Status`.
 */
export const namedCode = (value: string): string => value.replace(codeOfExpired, codeOfInterface)

/**
 * Correct statuses of errors that a request causes, by their code. PostgREST 12.2 and later answer
 * them with 500. 12.0.2 has the second itself.
 */
const statusOfRequestError: Record<string, number> = { 21000: 400, 54001: 413 }

/**
 * The upstream lost its database during a request, or has none. `isUnseen` is true if the database
 * has surely stored nothing.
 */
export class Interrupted extends Error {
  readonly isUnseen: boolean
  constructor(isUnseen: boolean) {
    super('The upstream lost its database.')
    this.isUnseen = isUnseen
  }
}

/**
 * Codes of a database that went away during a request. The request may be stored: a connection can
 * be lost while its transaction commits. PostgREST has no code if it received none.
 */
const interrupted = /^(57P0[1245]|08\w{3}|PGRST001|)$/

/**
 * Codes of a request that the database has not run: no connection, no free one, no schema, no keys,
 * or a server that starts. Also of one that it has rolled back, because a longer request, such as
 * the deletion of an organization, holds a lock.
 */
const unseen = /^(40001|40P01|55P03|57P03|PGRST00[023]|PGRST300)$/

/** Code of a write at a server that has become a standby. */
const readOnly = '25006'

/** The same if the server is already a standby when PostgREST begins the transaction. */
const beganOnStandby = '"cannot set transaction read-write mode during recovery"'

/**
 * Rewrites an error of PostgREST for the client. Returns undefined if it stays the same.
 * @param body the response body, a small JSON object
 * @param isRead true for a GET, in which a function that writes is the client's mistake
 * @throws Interrupted if PostgREST has lost its database. Its own error would name hosts and states
 * of servers.
 */
export function rewriteError(
  status: number,
  body: Buffer,
  isRead: boolean,
): { status: number, body: Buffer } | undefined {
  const text = body.toString('utf8')
  const code = /"code":"(\w{0,9})"/.exec(text)?.[1]
  if (code === undefined) return undefined
  if (status === 401) {
    const named = text.replace(`"${codeOfExpired}"`, `"${codeOfInterface}"`)
    return named === text ? undefined : { status, body: Buffer.from(named) }
  }
  const isStandby = code === readOnly || code === '0A000' && text.includes(beganOnStandby)
  const isUnseen = unseen.test(code) || isStandby && !isRead
  if (isUnseen || interrupted.test(code)) throw new Interrupted(isUnseen)
  const rewritten = statusOfRequestError[code]
  return rewritten === undefined || status !== 500 ? undefined : { status: rewritten, body }
}
