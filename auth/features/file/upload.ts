/** Receives the file of an attachment. At most two chunks of each upload are in memory. */
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { refusal, refuse } from '../../errors.ts'
import type { RouteContext } from '../../route.ts'
import { chunkBytes, type Chunks, type TicketFile } from './chunks.ts'
import { contentTypeOf, headBytes, isText, isTextType, type ContentType } from './content-type.ts'
import { fileOfTicket } from './tickets.ts'

/** Time that a client may send nothing, in milliseconds. */
const idleMs = 30_000

/** The slowest upload, in bytes per millisecond. A slower one would hold its slot for long. */
const leastRate = 32

/** A body of up to this size is read and dropped before an early refusal, so that the client reads the refusal instead of a broken pipe. */
const maxDiscardedBytes = 16 * 1024 * 1024

const notWhole = () => refusal('VALIDATION_ERROR', 'The request body did not arrive whole.')

/**
 * Reads the body and calls `use` with each part.
 * @param size the number of bytes that are expected
 * @throws Refusal VALIDATION_ERROR if the client leaves, stops sending or is too slow
 */
async function readBody(incoming: IncomingMessage, size: number, use: (part: Buffer) => Promise<void>): Promise<void> {
  const idle = setTimeout(() => incoming.destroy(), idleMs)
  const end = setTimeout(() => incoming.destroy(), idleMs + size / leastRate)
  try {
    // a refusal must not close the connection, on which it is sent
    for await (const part of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      await use(part)
      idle.refresh()
    }
  } catch (error) {
    if (incoming.destroyed && !incoming.complete) throw notWhole()
    throw error
  } finally {
    clearTimeout(idle)
    clearTimeout(end)
  }
}

async function discardBody(incoming: IncomingMessage): Promise<void> {
  const size = Number(incoming.headers['content-length'] ?? Infinity)
  if (size > maxDiscardedBytes) return
  await readBody(incoming, size, () => Promise.resolve()).catch(() => undefined)
}

/**
 * Stores the body as chunks. It fills two buffers in turn: the next chunk arrives in one while the other is written.
 * @returns the type of the file
 * @throws Refusal if it is not the announced file, or not of an allowed type
 */
async function storeChunks(incoming: IncomingMessage, chunks: Chunks, file: TicketFile, fileId: string): Promise<ContentType> {
  const hash = createHash('sha256')
  const bufferBytes = Math.min(file.size, chunkBytes)
  let filling: Buffer = Buffer.allocUnsafeSlow(bufferBytes)
  let spare: Buffer | undefined
  let filled = 0
  let number = 0
  let received = 0
  let type: ContentType | undefined
  let writing: Promise<unknown> = Promise.resolve()
  const flush = async () => {
    const chunk = filling.subarray(0, filled)
    type ??= contentTypeOf(chunk.subarray(0, headBytes))
    if (type === undefined || isTextType(type) && !isText(chunk)) {
      throw refusal('UNSUPPORTED_MEDIA_TYPE', 'A file must be a PDF, a JPEG, PNG, WebP or HEIC image, a text, a mail or XML without active content.')
    }
    await writing
    writing = chunks.write(file, fileId, number, chunk).then((isStored) => isStored || refuse('NOT_FOUND'))
    // the next flush or the end throws the failure
    writing.catch(() => undefined)
    number += 1
    filled = 0
    const next = spare ?? Buffer.allocUnsafeSlow(bufferBytes)
    spare = filling
    filling = next
  }
  try {
    await readBody(incoming, file.size, async (part) => {
      received += part.length
      hash.update(part)
      for (let at = 0; at < part.length;) {
        const taken = part.copy(filling, filled, at)
        at += taken
        filled += taken
        if (filled === bufferBytes) await flush()
      }
    })
    if (filled > 0) await flush()
  } finally {
    await writing
  }
  if (received !== file.size || hash.digest('hex') !== file.sha256 || type === undefined) {
    throw refusal('VALIDATION_ERROR', 'The bytes are not those of the announced SHA-256.')
  }
  return type
}

/** Receives a file. The same file again is accepted and dropped. @throws Refusal */
export async function receiveFile(c: RouteContext, { ticket }: { ticket: string }): Promise<Response> {
  const { incoming } = c.env
  const { chunks, uploadQueue } = c.var.services
  const stored = (contentType: string, changeId: string | null) =>
    Response.json(
      { id: file.attachmentId, name: file.name, content_type: contentType, size: file.size, sha256: file.sha256, status: 'ready' },
      changeId === null ? {} : { headers: { 'x-change-id': changeId } },
    )
  const file = await fileOfTicket(c, ticket, true).catch(async (error: unknown) => {
    await discardBody(incoming)
    throw error
  })
  if (incoming.headers['content-length'] !== String(file.size)) {
    await discardBody(incoming)
    throw refusal('VALIDATION_ERROR', `The body must have the announced ${file.size} bytes, and Content-Length must say so.`)
  }
  if (file.status === 'ready') {
    await discardBody(incoming)
    return stored(file.contentType ?? '', null)
  }
  const leave = await uploadQueue.enter(file.userId) ?? refuse('SERVICE_BUSY', 5)
  let fileId: string | undefined
  try {
    fileId = await chunks.begin(file, false) ?? refuse('NOT_FOUND')
    const type = await storeChunks(incoming, chunks, file, fileId)
    const { contentType, changeId } = await chunks.finish(file, fileId, type) ?? refuse('NOT_FOUND')
    return stored(contentType, changeId)
  } catch (error) {
    if (fileId !== undefined) await chunks.discard(file, fileId).catch(() => undefined)
    await discardBody(incoming)
    throw error
  } finally {
    leave()
  }
}
