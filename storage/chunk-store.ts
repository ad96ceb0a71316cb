/**
 * The bytes of files in the database: chunks of 256 KiB, each written and read by a statement of
 * its own.
 */
import type { FairQueue } from '../common/fair-queue.ts'
import { describeError, type Log } from '../common/log.ts'
import type { ObjectStorage } from '../common/object-storage.ts'
import { reject } from '../http/errors.ts'
import type { RunStatement } from './statements.ts'
import type { FileStore, Range, TicketFile } from './byte-store.ts'

/** The size of each chunk but the last, in bytes. */
export const chunkBytes = 262_144

/**
 * Returns a stream of parts. A part is requested when the client has received the one before.
 * @param leave called at the end
 * @param onError called if a part cannot be read; it closes the connection, which cancels the
 * stream
 */
function streamOf(
  parts: AsyncGenerator<Buffer, void>,
  leave: () => void,
  onError: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { value, done } = await parts.next()
        if (done !== true) return controller.enqueue(value)
        controller.close()
        leave()
      } catch (error) {
        leave()
        onError(error)
      }
    },
    cancel: async () => {
      leave()
      await parts.return()
    },
  }, { highWaterMark: 0 })
}

/** Writes one chunk. @throws Rejection NOT_FOUND if the database does not store it */
async function writeChunk(
  run: RunStatement,
  file: TicketFile,
  fileId: string,
  number: number,
  bytes: Buffer,
): Promise<void> {
  const row = await run<{ stored: boolean }>(
    file,
    'write-chunk',
    'select private.write_chunk($1, $2, $3, $4) as stored',
    [fileId, number, bytes],
  )
  if (row?.stored !== true) reject('NOT_FOUND')
}

/**
 * Returns the function that reads a range of a file. The next chunk is read while the client
 * receives the one before.
 */
function chunkReader(run: RunStatement, objects: ObjectStorage | undefined) {
  const read = (file: TicketFile, fileId: string, number: number) => {
    // base64 takes two thirds of the time of the hexadecimal digits that pg reads
    const reading = run<{ bytes: string | null }>(
      file,
      'read-chunk',
      `select encode(private.read_chunk($1, $2, $3), 'base64') as bytes`,
      [fileId, number],
    )
    reading.catch(() => undefined)
    return reading
  }
  /**
   * Reads from the object storage. @throws an error if the access to the file has ended, so that
   * the client sees an incomplete response
   */
  async function* movedBytes(file: TicketFile, fileId: string, { first, last }: Range) {
    const row = await run<{ moved: boolean }>(
      file,
      'is-file-moved',
      'select private.is_file_external($1, $2) as moved',
      [fileId],
    )
    if (row?.moved !== true || objects === undefined)
      throw new Error('A request for a file has lost its access.')
    let left = last - first + 1
    for await (const part of objects.get(fileId, first)) {
      yield part.subarray(0, left)
      left -= part.length
      if (left <= 0) return
    }
  }
  return async function* bytesOf(
    file: TicketFile,
    fileId: string,
    { first, last }: Range,
  ): AsyncGenerator<Buffer, void> {
    const lastNumber = Math.floor(last / chunkBytes)
    let next = read(file, fileId, Math.floor(first / chunkBytes))
    for (let number = Math.floor(first / chunkBytes); number <= lastNumber; number += 1) {
      const begins = number * chunkBytes
      const encoded = (await next)?.bytes ?? undefined
      if (encoded === undefined) {
        yield* movedBytes(file, fileId, { first: Math.max(first, begins), last })
        return
      }
      if (number < lastNumber) next = read(file, fileId, number + 1)
      yield Buffer.from(encoded, 'base64').subarray(Math.max(0, first - begins), last - begins + 1)
    }
  }
}

/**
 * @param downloads limits the downloads
 * @param objects the object storage, to which a file may move during its download
 */
export function createChunkStore(
  run: RunStatement,
  downloads: Pick<FairQueue, 'enter'>,
  objects: ObjectStorage | undefined,
  log: Log,
): FileStore {
  const bytesOf = chunkReader(run, objects)
  return {
    isExternal: false,
    write: async (file, fileId, body) => {
      let writing: Promise<unknown> = Promise.resolve()
      let number = 0
      for await (const chunk of body) {
        // the next chunk arrives while this one is written
        await writing
        writing = writeChunk(run, file, fileId, number, chunk)
        writing.catch(() => undefined)
        number += 1
      }
      await writing
    },
    send: async (file, fileId, { status, headers, range, cut }) => {
      const leave = await downloads.enter(file.userId) ?? reject('SERVICE_BUSY', 5)
      const onError = (error: unknown) => {
        log.warn(
          { attachment_id: file.attachmentId, error: describeError(error) },
          'a download was cut off',
        )
        cut()
      }
      return new Response(streamOf(bytesOf(file, fileId, range), leave, onError), {
        status,
        headers,
      })
    },
  }
}
