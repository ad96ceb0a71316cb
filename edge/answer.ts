/**
 * The answer to a forwarded request, as the client receives it. Only a small error is buffered,
 * which `rewrite` may rewrite.
 */
import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { readWhole } from './bodies.ts'
import { endAnswer } from './reject.ts'
import type { Forwarded } from './request.ts'

/**
 * Status and headers of a response. The edge sends its own reason phrase: PostgREST's is the text
 * of an error.
 */
type Head = { status: number, received: string[] }

/** Largest error body that `rewrite` reads, in bytes. */
const rewrittenBytes = 16 * 1024

const isRewritten = ({ rewrite }: Forwarded, status: number) =>
  rewrite !== undefined && status >= 400

/**
 * Sends status and headers of a buffered error, as `rewrite` rewrites them. @returns the body to
 * send
 */
function sendHead(
  { outgoing, answerHeaders, rewrite }: Forwarded,
  { status, received }: Head,
  body: Buffer,
): Buffer {
  const rewritten = rewrite?.(status, body)
  const headers = answerHeaders(received, rewritten?.status ?? status)
  if (rewritten === undefined) {
    outgoing.writeHead(status, headers)
    return body
  }
  const kept = headers.flatMap((
    name,
    at,
  ) => (at % 2 === 0 && !/^content-length$/i.test(name) ? [name, headers[at + 1] ?? ''] : []))
  outgoing.writeHead(rewritten.status, [...kept, 'content-length', String(rewritten.body.length)])
  return rewritten.body
}

/** Makes the answer, which `begin` begins. */
export function createAnswer(request: Forwarded) {
  const { outgoing, answerHeaders } = request
  let buffered: { head: Head, chunks: Buffer[], bytes: number } | undefined
  return {
    begin: (head: Head): void => {
      if (isRewritten(request, head.status)) buffered = { head, chunks: [], bytes: 0 }
      else outgoing.writeHead(head.status, answerHeaders(head.received, head.status))
    },
    /** @returns false if the client must read before it can receive more */
    write: (chunk: Buffer): boolean => {
      let data = chunk
      if (buffered !== undefined) {
        buffered.chunks.push(chunk)
        buffered.bytes += chunk.length
        if (buffered.bytes <= rewrittenBytes) return true
        outgoing.writeHead(
          buffered.head.status,
          answerHeaders(buffered.head.received, buffered.head.status),
        )
        data = Buffer.concat(buffered.chunks)
        buffered = undefined
      }
      return outgoing.write(data)
    },
    end: (): void => {
      if (buffered === undefined) outgoing.end()
      else outgoing.end(sendHead(request, buffered.head, Buffer.concat(buffered.chunks)))
    },
  }
}

/** Sends a whole response of Node's client. */
export async function sendResponse(response: IncomingMessage, request: Forwarded): Promise<void> {
  const { incoming, outgoing } = request
  const head = { status: response.statusCode ?? 502, received: response.rawHeaders }
  const body = isRewritten(request, head.status)
    ? await readWhole(response, rewrittenBytes, true)
    : undefined
  if (body !== undefined) outgoing.write(sendHead(request, head, body))
  else {
    outgoing.writeHead(head.status, request.answerHeaders(head.received, head.status))
    await pipeline(response, outgoing, { end: false })
  }
  await endAnswer(incoming, outgoing)
}
