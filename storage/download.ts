/**
 * Sends the file of an attachment, whole or a range of it, or the address of it in the object
 * storage.
 */
import { reject } from '../http/errors.ts'
import type { RouteContext } from '../http/route.ts'
import { inlineTypes } from './content-type.ts'
import type { Range } from './byte-store.ts'
import { fileOfTicket } from './tickets.ts'

/**
 * Returns the range of a header; undefined for the whole file, null if the file has no such bytes.
 * Several ranges are the whole file (RFC 9110, 14.2).
 */
function rangeOf(header: string | undefined, size: number): Range | null | undefined {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.trim() ?? '') ?? []
  if (from === '' && to === '') return undefined
  if (from === '')
    return to === '0'.repeat(to.length)
      ? null
      : { first: Math.max(0, size - Number(to)), last: size - 1 }
  const [first, last] = [Number(from), to === '' ? size - 1 : Math.min(Number(to), size - 1)]
  if (to !== '' && Number(to) < first) return undefined
  return first < size ? { first, last } : null
}

/**
 * Whether a list of entity tags contains the tag. @param isWeak whether weak tags match too (RFC
 * 9110, 8.8.3.2)
 */
const matches = (list: string, etag: string, isWeak: boolean): boolean =>
  list.trim() === '*' ||
  list.split(',').some((one) => (isWeak ? one.trim().replace(/^W\//, '') : one.trim()) === etag)

/**
 * Returns the header of a name that any browser reads. Another program sees the name without its
 * special characters. Older rows may have slashes in the name, and a program that writes the file
 * must not take them for folders.
 */
function disposition(stored: string, contentType: string): string {
  const name = stored.replace(/[/\\]/g, '_')
  const plain = name.replace(/[^\x20-\x7e]|["%]/g, '_')
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${
    inlineTypes.has(contentType) ? 'inline' : 'attachment'
  }; filename="${plain}"; filename*=UTF-8''${encoded}`
}

/**
 * Responds with the file of a ticket. @throws Rejection NOT_FOUND, PRECONDITION_FAILED,
 * SERVICE_BUSY
 */
export async function sendFile(c: RouteContext, { ticket }: { ticket: string }): Promise<Response> {
  const file = await fileOfTicket(c, ticket, false)
  const { size, contentType, fileId } = file
  if (fileId === null || contentType === null) reject('NOT_FOUND')
  const etag = `"${file.sha256}"`
  const dispositionOfFile = disposition(file.name, contentType)
  const headers: Record<string, string> = {
    etag,
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-store',
    'content-disposition': dispositionOfFile,
    'content-security-policy': "sandbox; default-src 'none'",
    // the ticket is the only credential, and an app of another origin may show an image
    'cross-origin-resource-policy': 'cross-origin',
  }
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch, 'if-range': ifRange, range: wanted } =
    c.req.header()
  if (ifMatch !== undefined && !matches(ifMatch, etag, false)) reject('PRECONDITION_FAILED')
  if (ifNoneMatch !== undefined && matches(ifNoneMatch, etag, true))
    return new Response(null, { status: 304, headers })
  const range = c.req.method === 'HEAD' || ifRange !== undefined && ifRange.trim() !== etag
    ? undefined
    : rangeOf(wanted, size)
  if (range === null)
    return new Response(null, {
      status: 416,
      headers: { ...headers, 'content-range': `bytes */${size}` },
    })
  const { first, last } = range ?? { first: 0, last: size - 1 }
  headers['content-type'] = contentType
  headers['content-length'] = String(last - first + 1)
  if (range !== undefined) headers['content-range'] = `bytes ${first}-${last}/${size}`
  if (c.req.method === 'HEAD') return new Response(null, { headers })
  return c.var.services.files.storeOf(file).send(file, fileId, {
    status: range === undefined ? 200 : 206,
    headers,
    contentType,
    disposition: dispositionOfFile,
    range: { first, last },
    cut: () => c.env.outgoing.destroy(),
  })
}
