/** The bodies of requests: whole in memory, or as streams that limit, repair and withhold them. */
import type { IncomingMessage } from 'node:http'
import { Transform } from 'node:stream'

const byteOrderMark = Buffer.from('\ufeff')

/** Returns a body with a replacement of the byte order mark at its start, if it has one. */
export const replaceMark = (body: Buffer, replacement: string): Buffer =>
  body.subarray(0, byteOrderMark.length).equals(byteOrderMark)
    ? Buffer.concat([Buffer.from(replacement), body.subarray(byteOrderMark.length)])
    : body

/**
 * Reads a message from its start. @returns undefined if it has more bytes; all of them can still be
 * read if `isKept`
 */
export async function readWhole(
  message: IncomingMessage,
  bytes: number,
  isKept = false,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size <= bytes) continue
    if (isKept) message.unshift(Buffer.concat(chunks))
    return undefined
  }
  return Buffer.concat(chunks)
}

/** Returns a stream that fails after this number of bytes. */
export function limited(bytes: number): Transform {
  let size = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, next) {
      size += chunk.length
      if (size > bytes) next(new Error('The body is too large.'))
      else next(null, chunk)
    },
  })
}

/** Returns a stream that replaces a byte order mark at its start. */
export function withoutMark(replacement: string): Transform {
  let start: Buffer | undefined = Buffer.alloc(0)
  return new Transform({
    transform(chunk: Buffer, _encoding, next) {
      if (start === undefined) return next(null, chunk)
      const begun = Buffer.concat([start, chunk])
      start = begun.length < byteOrderMark.length ? begun : undefined
      if (start !== undefined) return next()
      next(null, replaceMark(begun, replacement))
    },
    flush: (next) => next(null, start),
  })
}

/**
 * Returns a stream that keeps back the last part of a body until `mayEnd` resolves. It fails if
 * that is false.
 */
export function withheldEnd(mayEnd: () => Promise<boolean>): Transform {
  let last: Buffer | undefined
  return new Transform({
    transform(chunk: Buffer, _encoding, next) {
      next(null, last)
      last = chunk
    },
    async flush(next) {
      if (await mayEnd()) next(null, last)
      else next(new Error('The request is not admitted.'))
    },
  })
}
