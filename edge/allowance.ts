/**
 * What a request to the data surface may cost before PostgREST has read it. PostgREST parses a body before it asks who
 * sends it, and plans every embedding that a URL asks for. No I/O.
 */

/** A body or URL of a client without a bearer token, which may read nothing and write nothing. */
const anonymous = { urlBytes: 2 * 1024, bodyBytes: 64 * 1024, csvBytes: 4 * 1024 }
/** A longer URL is refused from everybody; PostgREST makes of CSV a JSON text that grows with the square of its size. */
const withBearer = { urlBytes: 8 * 1024, csvBytes: 16 * 1024 }
/** Up to here a body costs PostgREST less than 20 MiB of memory, whatever is in it. */
const lightBytes = 64 * 1024

/** What is asked of a request; a field that is repeated arrives as PostgREST gets it. */
export type Asked = {
  method: string
  authorization: string | undefined
  contentType: string | undefined
  /** In bytes; undefined when the body is sent in chunks, or there is none. */
  contentLength: number | undefined
  isChunked: boolean
}

export type Allowance = {
  /** Path and query as received, in bytes. */
  urlBytes: number
  bodyBytes: number
  /** Whether the body may take so much of PostgREST's memory that only a few are let in at a time. */
  isHeavy: boolean
}

/**
 * What one request is allowed.
 * @param bodyLimit the largest body of all, in bytes
 */
export function allowance(asked: Asked, bodyLimit: number): Allowance {
  // another scheme, or no token after it, is an anonymous request to PostgREST
  const hasBearer = /^bearer[ \t]+[^ \t]/i.test(asked.authorization ?? '')
  const isCsv = /^text\/csv/i.test(asked.contentType ?? '')
  if (!hasBearer) return { urlBytes: anonymous.urlBytes, bodyBytes: isCsv ? anonymous.csvBytes : anonymous.bodyBytes, isHeavy: false }
  // the others need no body, but PostgREST would read one
  const writes = ['POST', 'PATCH', 'PUT'].includes(asked.method)
  if (!writes) return { urlBytes: withBearer.urlBytes, bodyBytes: isCsv ? anonymous.csvBytes : lightBytes, isHeavy: false }
  return {
    urlBytes: withBearer.urlBytes,
    bodyBytes: isCsv ? withBearer.csvBytes : bodyLimit,
    isHeavy: isCsv || asked.isChunked || (asked.contentLength ?? 0) > lightBytes,
  }
}
