/**
 * Forwards a request to an upstream and streams the response back. Of the responses only a small
 * error is buffered, which `rewrite` may rewrite.
 *
 * Requests without a body use undici, which costs half of Node's own client. Requests with a body
 * use Node's client, because undici cannot wait for `100 Continue`: PostgREST asks for a body only
 * after it has accepted the token.
 */
import { once } from 'node:events'
import {
  request as httpRequest,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { defaultHost, endAtStop, hasBody } from '../common/http-server.ts'
import { requestIdHeader } from '../common/request-id.ts'
import { limited, readWhole, withheldEnd, withoutMark } from './bodies.ts'
import { endAnswer } from './reject.ts'
import { Interrupted } from './translation.ts'
import { connectMs, maxHeaderSize, type Upstream, type Upstreams } from './upstreams.ts'

/** A request at the edge. */
export type EdgeRequest = {
  id: string
  /** The client's address, which the client cannot choose. */
  client: string
  incoming: IncomingMessage
  outgoing: ServerResponse
}

/**
 * A request with its path and headers for the upstream, and the functions that adapt the response
 * for the client.
 */
export type Forwarded = EdgeRequest & {
  path: string
  headers: OutgoingHttpHeaders
  bodyLimit: number
  /** The whole body, if the surface has read it. Otherwise it is streamed. */
  body?: Buffer | undefined
  /**
   * Waits until the upstream may work on the request. A streamed body goes to the upstream before
   * that, except its end. An admitted request continues until the response begins, also if the
   * client leaves, because the upstream does not stop its work.
   * @returns the function to call when the response begins; undefined if the request is refused
   */
  admit?: ((upstream: Upstream) => Promise<(() => void) | undefined>) | undefined
  /**
   * Whether the response is a live stream. It has a connection of its own, and ends when the edge
   * stops.
   */
  isStream?: boolean
  /**
   * Whether the request sends or reads a file, which may take long. It has a connection of its own.
   */
  isFile?: boolean
  /**
   * The text that replaces a byte order mark at the start of a streamed body. It has the length of
   * the mark.
   */
  markReplacement?: string | undefined
  /**
   * Returns the response headers for the client. @param received alternating names and values, as
   * the upstream sent them
   */
  answerHeaders: (received: readonly string[], status: number) => string[]
  /**
   * Returns a status and a body to send in place of an error of the upstream, or undefined.
   * @throws Interrupted if the surface itself must answer, because the upstream lost its database
   */
  rewrite?: (status: number, body: Buffer) => { status: number, body: Buffer } | undefined
}

/**
 * The outcome of a forwarded request: the response was sent, no upstream was there, each refused
 * the connect, `admit` refused, or the body is too large or not UTF-8.
 */
export type Outcome =
  | 'answered'
  | 'unavailable'
  | 'rejected'
  | 'not-admitted'
  | 'too-large'
  | 'not-text'

/**
 * Headers that belong to a connection (RFC 9110, 7.6.1). `expect` is among them, because the edge
 * answers it.
 */
const ofConnection = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * Returns the request headers for an upstream. Node has joined repeated headers (RFC 9110, 5.3). A
 * header that `Connection` names is kept: otherwise a client could have its token dropped after the
 * edge has counted it.
 */
export function forwardedHeaders(
  { id, client, incoming }: EdgeRequest,
  headers: IncomingHttpHeaders,
  traceparent: string | undefined,
): OutgoingHttpHeaders {
  const forwarded: OutgoingHttpHeaders = {}
  for (const name in headers) if (!ofConnection.has(name)) forwarded[name] = headers[name]
  // a request by HTTP/1.0 may have none, and is forwarded by HTTP/1.1
  forwarded['host'] ??= defaultHost.hostname
  forwarded['x-forwarded-for'] = client
  forwarded[requestIdHeader] = id
  if (traceparent !== undefined) forwarded['traceparent'] = traceparent
  if (incoming.headers['transfer-encoding'] !== undefined)
    forwarded['transfer-encoding'] = 'chunked'
  return forwarded
}

/**
 * Returns true for a response header that the client receives. The edge sends the request id
 * itself.
 */
export const isForClient = (name: string): boolean =>
  !ofConnection.has(name) && name !== requestIdHeader

const readMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Returns true for a request that may be sent twice. */
export const isRead = (incoming: IncomingMessage): boolean =>
  readMethods.has(incoming.method ?? '') && !hasBody(incoming)

/** Error codes of a failed connect: the upstream has not seen the request. */
const rejectedCodes = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CONNECT_TIMEOUT',
])

/** Error codes of a connection that the upstream closed during a request. */
const cutCodes = new Set([
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_DESTROYED',
  'UND_ERR_CLOSED',
])

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ''

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

/**
 * Status and headers of a response. The edge sends its own reason phrase: PostgREST's is the text
 * of an error.
 */
type Head = { status: number, received: string[] }

/**
 * Does the work of a request when the upstream admits it. @param work receives the function to call
 * when the response begins
 */
export async function whenAdmitted<Result>(
  upstream: Upstream,
  { admit, outgoing }: Forwarded,
  work: (onResponse: () => void) => Promise<Result>,
): Promise<Result | 'not-admitted'> {
  if (admit === undefined) return work(() => undefined)
  const release = outgoing.destroyed ? undefined : await admit(upstream)
  if (release === undefined) return 'not-admitted'
  try {
    return await work(release)
  } finally {
    release()
  }
}

/**
 * Sends a request without a body and streams the response.
 * @param onResponse called when the response begins
 * @param accepts returns false for a status that another upstream must answer; nothing has been
 * sent then
 * @returns false if the status was not accepted
 * @throws if there is no response, or only a part of it
 */
export function read(
  upstream: Upstream,
  request: Forwarded,
  onResponse: () => void,
  accepts: (status: number) => boolean = () => true,
): Promise<boolean> {
  const {
    incoming,
    outgoing,
    path,
    headers,
    answerHeaders,
    admit,
    isStream = false,
    isFile = false,
  } = request
  const pool = isStream || isFile ? upstream.streams : upstream.pool
  return new Promise((resolve, reject) => {
    let requestController: Dispatcher.DispatchController | undefined
    let buffered: { head: Head, chunks: Buffer[], bytes: number } | undefined
    let isWorking = false
    // a stop of the edge ends a live stream, which the upstream continues
    const abort = () =>
      outgoing.writableFinished && !isStream || isWorking ||
      requestController?.abort(new Error('The client is gone.'))
    outgoing.once('close', abort)
    pool.dispatch({
      path,
      method: incoming.method as Dispatcher.HttpMethod,
      headers: headers as IncomingHttpHeaders,
    }, {
      onRequestStart: (controller) => {
        requestController = controller
        if (outgoing.destroyed) abort()
        isWorking = admit !== undefined
      },
      onResponseStart: (controller, status) => {
        onResponse()
        isWorking = false
        if (outgoing.destroyed) return abort()
        if (!accepts(status)) {
          outgoing.off('close', abort)
          resolve(false)
          controller.abort(new Error('Another upstream answers.'))
          return
        }
        const received = (controller.rawHeaders as Buffer[]).map((part) => part.toString('latin1'))
        if (isRewritten(request, status))
          buffered = { head: { status, received }, chunks: [], bytes: 0 }
        else outgoing.writeHead(status, answerHeaders(received, status))
        if (isStream) endAtStop(outgoing)
      },
      onResponseData: (controller, chunk) => {
        if (outgoing.writableEnded) return
        let data = chunk
        if (buffered !== undefined) {
          buffered.chunks.push(chunk)
          buffered.bytes += chunk.length
          if (buffered.bytes <= rewrittenBytes) return
          outgoing.writeHead(
            buffered.head.status,
            answerHeaders(buffered.head.received, buffered.head.status),
          )
          data = Buffer.concat(buffered.chunks)
          buffered = undefined
        }
        if (outgoing.write(data)) return
        controller.pause()
        outgoing.once('drain', () => controller.resume())
      },
      onResponseEnd: () => {
        try {
          if (buffered === undefined) outgoing.end()
          else outgoing.end(sendHead(request, buffered.head, Buffer.concat(buffered.chunks)))
          resolve(true)
        } catch (error) {
          reject(error)
        }
      },
      onResponseError: (_controller, error) => {
        outgoing.off('close', abort)
        reject(error)
      },
    })
  })
}

async function sendResponse(response: IncomingMessage, request: Forwarded): Promise<void> {
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

/** Sets a timeout for the connect, which Node's client lacks. */
function limitConnect(request: ClientRequest): void {
  const timer = setTimeout(
    () =>
      request.destroy(
        Object.assign(new Error('The connect took too long.'), { code: 'CONNECT_TIMEOUT' }),
      ),
    connectMs,
  )
  const clear = () => clearTimeout(timer)
  request.once('close', clear).once(
    'socket',
    (socket) => (socket.connecting ? socket.once('connect', clear) : clear()),
  )
}

/**
 * Opens a request at an upstream. The upstream asks for its body (`100 Continue`) after it has
 * checked the token. Until then nothing of the body is sent, and a request that the upstream has
 * not seen can be opened again.
 * @param onSent called when the whole request is sent
 * @returns also whether the upstream asks for the body; otherwise it answers without it
 */
async function open(
  { host, port, agent }: Upstream,
  { incoming, path, headers, isFile = false }: Forwarded,
  signal: AbortSignal,
  onSent: () => void,
) {
  const withBody = hasBody(incoming)
  const request = httpRequest({
    hostname: host,
    port,
    path,
    method: incoming.method,
    setHost: false,
    signal,
    maxHeaderSize,
    headers: { ...headers, ...(withBody && { expect: '100-continue' }) },
    // a new connection: an upstream may close an idle one during a request, and a change without a
    // body cannot be sent again
    agent: withBody && !isFile ? agent : false,
  })
  limitConnect(request)
  request.once('finish', onSent)
  // without a listener Node closes the connection and reports nothing
  request.once('upgrade', (_response, socket) => {
    socket.destroy()
    request.emit('error', new Error('The upstream switches protocols.'))
  })
  // `answered` reports the error; without a listener it would end the process
  request.on('error', () => undefined)
  const answered = once(request, 'response').then(([response]) => response as IncomingMessage)
  answered.catch(() => undefined)
  if (!withBody) request.end()
  let wantsBody = false
  request.once('continue', () => {
    wantsBody = true
  })
  try {
    await (withBody ? Promise.race([once(request, 'continue'), answered]) : answered)
  } catch (error) {
    const code = codeOf(error)
    throw rejectedCodes.has(code) || (request.reusedSocket && cutCodes.has(code))
      ? new RetryableError(error)
      : error
  }
  return { request, answered, wantsBody }
}

/**
 * A failure before the upstream has seen the request, or of a read: the request may be sent again.
 */
class RetryableError extends Error {
  constructor(cause: unknown) {
    super('The upstream has not seen the request.', { cause })
  }
}

/**
 * Sends a request and its body, and the response to the client.
 * @param onResponse called when the upstream reads no more of the body: its response begins, or the
 * request is refused
 * @param mayEnd resolves when the end of a streamed body may be sent, with false if it must not
 */
async function exchange(
  upstream: Upstream,
  forwarded: Forwarded,
  onResponse: () => void,
  mayEnd?: () => Promise<boolean>,
): Promise<'answered' | 'not-admitted' | 'too-large'> {
  const { incoming, outgoing, admit, body, bodyLimit, markReplacement } = forwarded
  const clientGone = new AbortController()
  let isWorking = false
  const leave = () => outgoing.writableFinished || isWorking || clientGone.abort()
  outgoing.once('close', leave)
  // The client may have left while the request waited. The request would then keep its slot while
  // the upstream waits for a body.
  if (outgoing.destroyed) clientGone.abort()
  try {
    const { request, answered, wantsBody } = await open(
      upstream,
      forwarded,
      clientGone.signal,
      () => {
        isWorking = admit !== undefined
      },
    )
    const counter = limited(bodyLimit)
    const checks = [
      ...(markReplacement === undefined ? [] : [withoutMark(markReplacement)]),
      ...(mayEnd === undefined ? [] : [withheldEnd(mayEnd)]),
    ]
    const rejected = new Promise<'too-large' | 'not-admitted'>((resolve) => {
      counter.once('error', () => resolve('too-large'))
      checks.at(-1)?.once('error', () => resolve('not-admitted'))
    })
    if (wantsBody && body !== undefined) request.end(body)
    else if (wantsBody)
      checks.reduce<NodeJS.ReadableStream>(
        (source, check) => source.pipe(check),
        incoming.pipe(counter),
      ).pipe(request)
    const response = await Promise.race([answered, rejected])
    incoming.unpipe(counter)
    onResponse()
    if (typeof response === 'string') {
      request.destroy()
      return response
    }
    try {
      if (!outgoing.destroyed) await sendResponse(response, forwarded)
    } finally {
      // The upstream answered without the body, and still waits for it on this connection. Or the
      // client has left, and reads no response.
      if (!request.writableEnded || !response.complete) request.destroy()
    }
    return 'answered'
  } finally {
    outgoing.off('close', leave)
  }
}

/**
 * Sends a request that is not repeated.
 * @param onResponse called when the upstream reads no more of the body: its response begins, or the
 * request is refused
 */
export async function change(
  upstream: Upstream,
  forwarded: Forwarded,
  onResponse = () => {},
): Promise<'answered' | 'not-admitted' | 'too-large'> {
  const { admit, body, incoming } = forwarded
  const isStreamed = body === undefined && hasBody(incoming)
  if (admit === undefined || !isStreamed) {
    return whenAdmitted(upstream, forwarded, (release) =>
      exchange(upstream, forwarded, () => {
        release()
        onResponse()
      }))
  }
  // a slow client must not keep others waiting, so the end of its body waits, and not its beginning
  let release: (() => void) | undefined
  let isOver = false
  const end = () => {
    isOver = true
    release?.()
  }
  const mayEnd = async () => {
    release = await admit(upstream)
    // the upstream may have answered in the meantime
    if (isOver) release?.()
    return release !== undefined
  }
  try {
    return await exchange(upstream, forwarded, () => {
      end()
      onResponse()
    }, mayEnd)
  } finally {
    end()
  }
}

/**
 * Returns an attempt for onUpstream() that reads. The upstream may close an idle connection during
 * the request, so the first such failure is repeated.
 */
export function repeatedRead(forwarded: Forwarded): (upstream: Upstream) => Promise<Outcome> {
  let wasCut = false
  return async (upstream) => {
    try {
      return await whenAdmitted(upstream, forwarded, async (onResponse) => {
        await read(upstream, forwarded, onResponse)
        return 'answered' as const
      })
    } catch (error) {
      const code = codeOf(error)
      const isCut = cutCodes.has(code) && !wasCut
      wasCut ||= isCut
      const { headersSent, destroyed } = forwarded.outgoing
      throw !headersSent && !destroyed && (isCut || rejectedCodes.has(code))
        ? new RetryableError(error)
        : error
    }
  }
}

/**
 * Makes an attempt on the least busy upstream, and repeats it while no upstream has seen the
 * request.
 * @param timeoutMs time to wait for an upstream
 * @param load the counter by which upstreams are compared; this attempt counts in it
 */
export async function onUpstream(
  upstreams: Upstreams,
  timeoutMs: number,
  outgoing: ServerResponse,
  attempt: (upstream: Upstream) => Promise<Outcome>,
  load: 'active' | 'heavyActive' = 'active',
): Promise<Outcome> {
  let deadline = Date.now() + timeoutMs
  let failed: Upstream | undefined
  for (;;) {
    const upstream = await upstreams.next(deadline, load, failed, () => outgoing.destroyed)
    if (upstream === undefined) return 'unavailable'
    upstream[load] += 1
    try {
      return await attempt(upstream)
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error
      // the request may have waited for its turn before it failed
      if (failed === undefined) deadline = Date.now() + timeoutMs
      if (Date.now() > deadline || outgoing.destroyed) return 'rejected'
      failed = upstream
      await sleep(50)
    } finally {
      upstream[load] -= 1
    }
  }
}

/**
 * Waits for a forwarded request, and refuses it if it was not answered.
 * @param refuse sends the surface's own error: no upstream, a body that is too large, a connection
 * that the upstream cut off, or a database that the upstream lost
 */
export async function orReject(
  outgoing: ServerResponse,
  forwarding: Promise<Outcome>,
  reject: (failure: Exclude<Outcome, 'answered'> | 'cut' | 'interrupted') => Promise<void>,
): Promise<void> {
  try {
    const outcome = await forwarding
    if (outcome !== 'answered') await reject(outcome)
  } catch (error) {
    // the closed connection shows the client that the response is incomplete
    if (outgoing.headersSent) outgoing.destroy()
    else if (error instanceof Interrupted)
      await reject(error.isUnseen ? 'unavailable' : 'interrupted')
    else await reject('cut')
  }
}
