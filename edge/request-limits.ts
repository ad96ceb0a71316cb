/**
 * Size limits of a request to the data surface. The edge checks them first, because PostgREST
 * parses a body before it checks the token, and plans every embedding of a URL. No I/O.
 */

/** Limits without a bearer token. Such a client can read and write no row. */
export const anonymous = { urlBytes: 2 * 1024, bodyBytes: 64 * 1024, csvBytes: 4 * 1024 }
/** Limits with a token. PostgREST turns CSV into JSON that grows with the square of its size. */
export const withBearer = { urlBytes: 8 * 1024, csvBytes: 16 * 1024 }
/** Largest body that costs PostgREST less than 20 MiB of memory, whatever its content. */
export const lightBytes = 64 * 1024

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
 * Returns true for a form. For an unknown field PostgREST searches a similar name at a cost that
 * grows with the square of its length.
 */
export const isForm = (contentType = ''): boolean =>
  /^application\/x-www-form-urlencoded/i.test(contentType)

export type RequestLimits = {
  /** Path and query as received, in bytes. */
  urlBytes: number
  bodyBytes: number
  /**
   * True if the request needs a heavy slot (upstreams.ts), because PostgREST may need much memory
   * for its body.
   */
  isHeavy: boolean
  /** True if the body may be too large for the memory of the edge. */
  isStreamed: boolean
}

const light = { isHeavy: false, isStreamed: false }

/**
 * Returns the limits of one request.
 * @param bodyLimit maximum body of a write with a token, in bytes
 */
export function requestLimits(request: RequestShape, bodyLimit: number): RequestLimits {
  // PostgREST treats another scheme, or a scheme without a token, as an anonymous request
  const hasBearer = /^bearer[ \t]+[^ \t]/i.test(request.authorization ?? '')
  const isCsv = /^text\/csv/i.test(request.contentType ?? '')
  if (!hasBearer)
    return {
      urlBytes: anonymous.urlBytes,
      bodyBytes: isCsv ? anonymous.csvBytes : anonymous.bodyBytes,
      ...light,
    }
  // other methods need no body, but PostgREST would read one
  const writes = ['POST', 'PATCH', 'PUT'].includes(request.method)
  if (!writes)
    return {
      urlBytes: withBearer.urlBytes,
      bodyBytes: isCsv ? anonymous.csvBytes : lightBytes,
      ...light,
    }
  if (isCsv)
    return {
      urlBytes: withBearer.urlBytes,
      bodyBytes: withBearer.csvBytes,
      isHeavy: true,
      isStreamed: false,
    }
  const isLarge = request.isChunked || (request.contentLength ?? 0) > lightBytes
  return {
    urlBytes: withBearer.urlBytes,
    bodyBytes: bodyLimit,
    isHeavy: isLarge,
    isStreamed: isLarge,
  }
}
