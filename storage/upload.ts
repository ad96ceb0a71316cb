/** Receives the file of an attachment. At most two chunks of each upload are in memory. */
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { rejection, reject } from '../http/errors.ts'
import type { RouteContext } from '../http/route.ts'
import { chunkBytes } from './chunk-store.ts'
import { contentTypeOf, headBytes, isText, isTextType, type ContentType } from './content-type.ts'
import type { TicketFile } from './byte-store.ts'
import { fileOfTicket } from './tickets.ts'

/** Time that a client may send nothing, in milliseconds. */
const idleMs = 30_000

/**
 * Time in which a refused stranger may send the rest of the body, in milliseconds. Then the refusal
 * is sent anyway, because the upload holds a place of the edge.
 */
const strangerMs = 2_000

/** The slowest upload, in bytes per millisecond. A slower one would hold its slot for long. */
const leastRate = 32

/**
 * Bytes that are read and dropped before an early refusal, so that the client reads the refusal.
 * The edge lets fewer pass.
 */
const maxDiscardedBytes = 101 * 1024 * 1024

const notWhole = () => rejection('VALIDATION_ERROR', 'The request body did not arrive whole.')

/**
 * Reads the body. The connection stays open if the reader stops early, because a refusal is sent on
 * it.
 * @param size the number of bytes that are expected
 * @throws Rejection VALIDATION_ERROR if the client leaves, stops sending or is too slow
 */
async function* readBody(incoming: IncomingMessage, size: number): AsyncGenerator<Buffer, void> {
  const giveUp = () => incoming.destroy()
  let idle = setTimeout(giveUp, idleMs)
  const end = setTimeout(giveUp, idleMs + size / leastRate)
  try {
    for await (
      const part of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
    ) {
      // the time in which the service itself writes is not the client's
      clearTimeout(idle)
      yield part
      idle = setTimeout(giveUp, idleMs)
    }
  } catch (error) {
    throw incoming.destroyed && !incoming.complete ? notWhole() : error
  } finally {
    clearTimeout(idle)
    clearTimeout(end)
  }
}

/**
 * Drops the body. @param expected its time is that of an upload of this size; 0 for a stranger, who
 * must not hold a connection for long
 */
async function discardBody(incoming: IncomingMessage, expected: number): Promise<void> {
  let size = 0
  try {
    for await (const part of readBody(incoming, expected)) {
      size += part.length
      if (size > maxDiscardedBytes) return
    }
  } catch {
    // the client has left
  }
}

/**
 * Groups the parts of a body into chunks. It fills two buffers in turn: the next chunk arrives in
 * one while the other is written.
 */
async function* chunksOf(parts: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer, void> {
  const bufferBytes = Math.min(size, chunkBytes)
  let filling: Buffer = Buffer.allocUnsafeSlow(bufferBytes)
  let spare: Buffer | undefined
  let filled = 0
  for await (const part of parts) {
    for (let at = 0; at < part.length;) {
      const taken = part.copy(filling, filled, at)
      at += taken
      filled += taken
      if (filled < bufferBytes) continue
      yield filling
      filled = 0
      const next = spare ?? Buffer.allocUnsafeSlow(bufferBytes)
      spare = filling
      filling = next
    }
  }
  if (filled > 0) yield filling.subarray(0, filled)
}

/**
 * Reads the body in chunks and checks it. A chunk is passed on only after its check, and so is the
 * last one only if all bytes are those of the announced file.
 * @param onType called with the type before the first chunk
 * @throws Rejection VALIDATION_ERROR, UNSUPPORTED_MEDIA_TYPE
 */
async function* checkedBody(
  incoming: IncomingMessage,
  file: TicketFile,
  onType: (type: ContentType) => void,
): AsyncGenerator<Buffer, void> {
  const hash = createHash('sha256')
  let type: ContentType | undefined
  let received = 0
  for await (const chunk of chunksOf(readBody(incoming, file.size), file.size)) {
    const isFirst = received === 0
    received += chunk.length
    hash.update(chunk)
    type ??= contentTypeOf(chunk.subarray(0, headBytes))
    if (type === undefined || isTextType(type) && !isText(chunk)) {
      throw rejection(
        'UNSUPPORTED_MEDIA_TYPE',
        'A file must be a PDF, a JPEG, PNG, WebP or HEIC image, a text, an email or XML without active content.',
      )
    }
    if (isFirst) onType(type)
    if (received === file.size && hash.digest('hex') !== file.sha256) {
      throw rejection('VALIDATION_ERROR', 'The bytes are not those of the announced SHA-256.')
    }
    yield chunk
  }
  if (received !== file.size) throw notWhole()
}

/** Receives a file. The same file again is accepted and dropped. @throws Rejection */
export async function receiveFile(
  c: RouteContext,
  { ticket }: { ticket: string },
): Promise<Response> {
  const { incoming } = c.env
  const { files, uploadQueue } = c.var.services
  const stored = (contentType: string, changeId: string | null) =>
    Response.json(
      {
        id: file.attachmentId,
        name: file.name,
        content_type: contentType,
        size: file.size,
        sha256: file.sha256,
        status: 'ready',
      },
      changeId === null ? {} : { headers: { 'x-change-id': changeId } },
    )
  const file = await fileOfTicket(c, ticket, true).catch(async (error: unknown) => {
    await Promise.race([discardBody(incoming, 0), sleep(strangerMs, undefined, { ref: false })])
    throw error
  })
  if (incoming.headers['content-length'] !== String(file.size)) {
    await discardBody(incoming, file.size)
    throw rejection(
      'VALIDATION_ERROR',
      `The body and Content-Length must match the announced size of ${file.size} bytes.`,
    )
  }
  if (file.status === 'ready') {
    await discardBody(incoming, file.size)
    return stored(file.contentType ?? '', null)
  }
  const leave = await uploadQueue.enter(file.userId)
  let fileId: string | undefined
  try {
    if (leave === undefined) reject('SERVICE_BUSY', 5)
    fileId = await files.begin(file) ?? reject('NOT_FOUND')
    let type = ''
    await files.newFiles.write(
      file,
      fileId,
      checkedBody(incoming, file, (found) => {
        type = found
      }),
    )
    const { contentType, changeId } = await files.finish(file, fileId, type) ?? reject('NOT_FOUND')
    return stored(contentType, changeId)
  } catch (error) {
    if (fileId !== undefined) await files.discard(file, fileId).catch(() => undefined)
    await discardBody(incoming, file.size)
    throw error
  } finally {
    leave?.()
  }
}
