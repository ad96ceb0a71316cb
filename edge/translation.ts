/**
 * What the edge changes of a request for PostgREST and of its answer, so that clients which were made for another server
 * work as they are. It comes before anything else looks at the fields: what is dropped here is neither counted as a token
 * nor allowed a token's limits. No I/O.
 */
import type { IncomingHttpHeaders } from 'node:http'

/** Where supabase-js looks; what it adds is dropped here and nowhere else. */
const ofSupabase = '/rest/v1'

const interfaceObject = 'application/vnd.rest.object+json'
const postgrestObject = 'application/vnd.pgrst.object+json'
const anyInterfaceObject = /application\/vnd\.rest\.object\+json/gi

/** Whether the interface's media type for one object is asked for. Where PostgREST's own is too, the answer keeps its name. */
export const asksInterfaceObject = (accept: string | undefined): boolean =>
  accept !== undefined && accept.toLowerCase().includes(interfaceObject) && !accept.toLowerCase().includes(postgrestObject)

/**
 * The fields of a request as PostgREST is to get them.
 *
 * supabase-js names the schema `public`, of which PostgREST here knows nothing, and sends its publishable key, which opens
 * nothing here, as `apikey` and, while nobody is signed in, as the bearer too. Only a bearer that is the key in the same
 * request is dropped, so that all a client can lose by it is its own token.
 *
 * @param prefix the part of the path that is the edge's
 */
export function headersForPostgrest(headers: IncomingHttpHeaders, prefix: string): IncomingHttpHeaders {
  const fields = { ...headers }
  if (prefix === ofSupabase) {
    for (const name of ['accept-profile', 'content-profile']) if (fields[name] === 'public') delete fields[name]
    if (fields['apikey'] !== undefined && fields.authorization === `Bearer ${fields['apikey'].toString()}`) delete fields.authorization
    delete fields['apikey']
  }
  // PostgREST 12.0 cannot give the interface's together with select=, and 12.2 not with a charset
  if (fields.accept !== undefined) fields.accept = fields.accept.replace(anyInterfaceObject, postgrestObject)
  return fields
}

/**
 * The Content-Type of an answer to who asked for the interface's media type: PostgREST's own by the interface's name, without
 * a charset, which is the form that PostgREST gives by itself. It sends two where it refuses, of which the first is true.
 */
export const typeForInterface = (type: string): string => type.startsWith(postgrestObject) ? interfaceObject : type

/** PostgREST 13 and later name a refused claim, an expired token for one, differently than the interface does. */
const codeOfExpired = 'PGRST303'
const codeOfInterface = 'PGRST301'

/** Returns a response header with the interface's code: PostgREST 16 names the code in `Proxy-Status`. */
export const namedCode = (value: string): string => value.replace(codeOfExpired, codeOfInterface)

/** Statuses of errors that a request causes and that PostgREST 12.2 and later answer with 500. 12.0.2 has the second itself. */
const statusOfRequestError: Record<string, number> = { 21000: 400, 54001: 413 }

/**
 * Returns the client's form of an error of PostgREST's, or undefined if it stays as it is.
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
