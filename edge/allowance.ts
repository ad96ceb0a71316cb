/**
 * Size limits of a request to the data surface. The edge checks them first, because PostgREST parses a body before it checks the
 * token, and plans every embedding of a URL. No I/O.
 */

/** Limits without a bearer token. Such a client can read and write no row. */
const anonymous = { urlBytes: 2 * 1024, bodyBytes: 64 * 1024, csvBytes: 4 * 1024 }
/** Limits with a token. PostgREST turns CSV into JSON that grows with the square of its size. */
const withBearer = { urlBytes: 8 * 1024, csvBytes: 16 * 1024 }
/** Largest body that costs PostgREST less than 20 MiB of memory, whatever its content. */
const lightBytes = 64 * 1024

/** The properties of a request that decide its limits. PostgREST must receive the same headers. */
export type RequestShape = {
  method: string
  authorization: string | undefined
  contentType: string | undefined
  /** In bytes; undefined for a chunked body or none. */
  contentLength: number | undefined
  isChunked: boolean
}

/**
 * Returns true for a body that PostgREST would misread: it ignores `Content-Encoding` and every `charset`, and for an unknown field of a form it searches
 * a similar name at a cost that grows with the square of its length.
 */
export const isMisread = (contentType = '', contentEncoding = ''): boolean =>
  /^application\/x-www-form-urlencoded/i.test(contentType) || /charset *= *(?!"?(utf-?8|us-ascii)\b)/i.test(contentType)
  || !/^(identity)?$/i.test(contentEncoding)

export type Allowance = {
  /** Path and query as received, in bytes. */
  urlBytes: number
  bodyBytes: number
  /** True if the request needs a heavy slot (upstreams.ts), because PostgREST may need much memory for its body. */
  isHeavy: boolean
}

/**
 * Returns the limits of one request.
 * @param bodyLimit maximum body of a write with a token, in bytes
 */
export function allowance(request: RequestShape, bodyLimit: number): Allowance {
  // PostgREST treats another scheme, or a scheme without a token, as an anonymous request
  const hasBearer = /^bearer[ \t]+[^ \t]/i.test(request.authorization ?? '')
  const isCsv = /^text\/csv/i.test(request.contentType ?? '')
  if (!hasBearer) return { urlBytes: anonymous.urlBytes, bodyBytes: isCsv ? anonymous.csvBytes : anonymous.bodyBytes, isHeavy: false }
  // other methods need no body, but PostgREST would read one
  const writes = ['POST', 'PATCH', 'PUT'].includes(request.method)
  if (!writes) return { urlBytes: withBearer.urlBytes, bodyBytes: isCsv ? anonymous.csvBytes : lightBytes, isHeavy: false }
  return {
    urlBytes: withBearer.urlBytes,
    bodyBytes: isCsv ? withBearer.csvBytes : bodyLimit,
    isHeavy: isCsv || request.isChunked || (request.contentLength ?? 0) > lightBytes,
  }
}
