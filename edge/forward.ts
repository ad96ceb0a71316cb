/**
 * Forwards a request to an upstream and streams the response back: answer.ts.
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
  type ServerResponse,
} from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { endAtStop, hasBody } from '../common/http-server.ts'
import { createAnswer, sendResponse } from './answer.ts'
import { limited, withheldEnd, withoutMark } from './bodies.ts'
import type { Forwarded } from './request.ts'
import { Interrupted } from './translation.ts'
import { connectMs, maxHeaderSize, type Upstream, type Upstreams } from './upstreams.ts'

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

/** Returns a request without a body in the form of undici. */
const messageOf = ({ incoming, path, headers }: Forwarded): Dispatcher.DispatchOptions => ({
  path,
  method: incoming.method as Dispatcher.HttpMethod,
  headers: headers as IncomingHttpHeaders,
})

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
  const { outgoing, admit, isStream = false, isFile = false } = request
  const pool = isStream || isFile ? upstream.streams : upstream.pool
  return new Promise((resolve, reject) => {
    let requestController: Dispatcher.DispatchController | undefined
    const answer = createAnswer(request)
    let isWorking = false
    // a stop of the edge ends a live stream, which the upstream continues
    const abort = () =>
      outgoing.writableFinished && !isStream || isWorking ||
      requestController?.abort(new Error('The client disconnected.'))
    outgoing.once('close', abort)
    pool.dispatch(messageOf(request), {
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
          controller.abort(new Error('Another upstream responds.'))
          return
        }
        const received = (controller.rawHeaders as Buffer[]).map((part) => part.toString('latin1'))
        answer.begin({ status, received })
        if (isStream) endAtStop(outgoing)
      },
      onResponseData: (controller, chunk) => {
        if (outgoing.writableEnded || answer.write(chunk)) return
        controller.pause()
        outgoing.once('drain', () => controller.resume())
      },
      onResponseEnd: () => {
        try {
          answer.end()
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
