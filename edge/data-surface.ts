/**
 * Hands a request on to PostgREST as it came, and the answer back as it came; neither is ever held whole. What the
 * request may cost is decided before PostgREST sees a byte of it.
 *
 * Reads go by undici, which costs half of what Node's own client does. Changes go by Node's own, because undici cannot wait
 * for `100 Continue`: PostgREST asks for a body only after it has accepted the token.
 */
import { once } from 'node:events'
import {
  Agent,
  request as httpRequest,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool, type Dispatcher } from 'undici'
import { clientNetwork } from '../infra/shared/client-address.ts'
import { fairQueue } from '../infra/shared/fair-queue.ts'
import { requestIdHeader } from '../infra/shared/request-id.ts'
import { allowance, type Allowance } from './allowance.ts'
import { isText, judge } from './query.ts'
import { endAnswer, headersOfData, refuse as sendRefusal, type RefusalCode } from './refuse.ts'
import { asksInterfaceObject, fieldsForPostgrest, typeForInterface } from './translation.ts'

export type DataSurface = {
  /** Where PostgREST listens. */
  url: string
  /** The largest body of all, in bytes. */
  bodyLimit: number
  /** How long a PostgREST that does not listen is waited for, in milliseconds. */
  patienceMs?: number
  /** Told of each refusal that is the edge's own. */
  onRefusal?: (code: RefusalCode) => void
}

/** A request with its id, and where its answer goes. */
export type EdgeRequest = {
  id: string
  /** The client's address, which it cannot choose. */
  client: string
  /** Whether a trusted proxy sends the request. */
  isTrusted: boolean
  incoming: IncomingMessage
  outgoing: ServerResponse
}

/** A request to the data surface: the part of its path that is the edge's, and the rest. */
export type Exchange = EdgeRequest & {
  prefix: string
  path: string
  /** Where the request belongs in a trace. */
  traceparent?: string | undefined
}

/** An exchange with the fields as PostgREST is to get them. */
type Translated = Exchange & { fields: IncomingHttpHeaders }

/** So many heavy bodies are read at once, so many wait, and so long, in milliseconds: docs/decisions/infrastructure.md has the figures. */
const heavyPlaces = 2
const heavyQueue = 64
const heavyPatienceMs = 10_000

/** What says where a request belongs in a trace; a client could join its own to somebody else's. */
const ofTrace = new Set(['traceparent', 'tracestate'])

/** Fields that belong to a connection and not to the message. `expect` is among them, because Node has answered it. */
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

/** PostgREST answers with the query, encoded, in a field: up to three times as long as the URL. */
const maxHeaderSize = 64 * 1024

/**
 * The request's fields for PostgREST. Node has joined those that were repeated (RFC 9110, 5.3), and kept the first of
 * those that may not be. What `Connection` names goes on too: a client could else have its token dropped after it was counted.
 */
function forwardedFields({ id, client, isTrusted, incoming, fields, traceparent }: Translated): OutgoingHttpHeaders {
  const forwarded: OutgoingHttpHeaders = {}
  for (const name in fields) if (!ofConnection.has(name) && (isTrusted || !ofTrace.has(name))) forwarded[name] = fields[name]
  forwarded['x-forwarded-for'] = client
  forwarded[requestIdHeader] = id
  if (traceparent !== undefined) forwarded['traceparent'] = traceparent
  // the only field that PostgREST writes into its log
  forwarded['user-agent'] = `${incoming.headers['user-agent'] ?? ''} request-id/${id}`.trimStart()
  if (incoming.headers['transfer-encoding'] !== undefined) forwarded['transfer-encoding'] = 'chunked'
  return forwarded
}

const hasBody = ({ headers }: IncomingMessage) => (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined

/** Whether PostgREST has not seen a request that failed: it listens no longer, or closed a kept connection at this very moment. */
const isUnseen = (error: NodeJS.ErrnoException, request: ClientRequest): boolean =>
  error.code === 'ECONNREFUSED' || (request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE'))

/** What undici says of a connection that PostgREST closed under a request. */
const cut = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

const readMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Lets so many bytes through, and fails at the next one. */
function limited(bytes: number): Transform {
  let size = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, next) {
      size += chunk.length
      if (size > bytes) next(new Error('The body is too large.'))
      else next(null, chunk)
    },
  })
}

/** A field of PostgREST's answer as its client is to see it. */
function fieldValue(name: string, value: string, prefix: string): string {
  if (name === 'location') return value.replace(/^\//, `${prefix}/`)
  return name === 'access-control-expose-headers' ? `${value}, X-Request-Id` : value
}

/**
 * The fields of PostgREST's answer as its client is to see them; a path in them gets the prefix under which the client knows it.
 * @param received names and values in turn
 */
function answerFields(received: readonly string[], { id, incoming, prefix }: Exchange): string[] {
  const wantsObject = asksInterfaceObject(incoming.headers.accept)
  const fields = [requestIdHeader, id]
  const names: string[] = []
  let hasType = false
  for (let at = 0; at < received.length; at += 2) {
    const name = received[at] ?? ''
    const value = received[at + 1] ?? ''
    const lower = name.toLowerCase()
    names.push(lower)
    // PostgREST repeats the id it was given
    if (ofConnection.has(lower) || lower === requestIdHeader) continue
    // of two types the first is true
    if (lower === 'content-type' && wantsObject) {
      if (!hasType) fields.push(name, typeForInterface(value))
      hasType = true
    } else fields.push(name, fieldValue(lower, value, prefix))
  }
  for (const [name, value] of Object.entries(headersOfData)) if (!names.includes(name)) fields.push(name, value)
  return fields
}

/** Sends PostgREST's answer. */
async function passOn(response: IncomingMessage, exchange: Exchange): Promise<void> {
  const { incoming, outgoing } = exchange
  outgoing.writeHead(response.statusCode ?? 502, response.statusMessage, answerFields(response.rawHeaders, exchange))
  await pipeline(response, outgoing, { end: false })
  await endAnswer(incoming, outgoing)
}

/** Asks PostgREST once and sends its answer on. Rejects where there is none, or not all of it. */
function read(pool: Pool, exchange: Translated): Promise<void> {
  const { incoming, outgoing, path } = exchange
  return new Promise((resolve, reject) => {
    let asking: Dispatcher.DispatchController | undefined
    const abort = () => outgoing.writableFinished || asking?.abort(new Error('The client is gone.'))
    outgoing.once('close', abort)
    pool.dispatch({ path, method: incoming.method as Dispatcher.HttpMethod, headers: forwardedFields(exchange) as IncomingHttpHeaders }, {
      onRequestStart: (controller) => {
        asking = controller
        if (outgoing.destroyed) abort()
      },
      onResponseStart: ({ rawHeaders }, status, _headers, message) => {
        const received = (rawHeaders as Buffer[]).map((part) => part.toString('latin1'))
        outgoing.writeHead(status, message, answerFields(received, exchange))
      },
      onResponseData: (controller, chunk) => {
        if (outgoing.write(chunk)) return
        controller.pause()
        outgoing.once('drain', () => controller.resume())
      },
      onResponseEnd: () => {
        outgoing.end()
        resolve()
      },
      onResponseError: (_controller, error) => {
        outgoing.off('close', abort)
        reject(error)
      },
    })
  })
}

/** @returns a function that hands one request on, and resolves when its answer has been sent; it never rejects */
export function dataSurface({ url, bodyLimit, patienceMs = 2_000, onRefusal }: DataSurface): (exchange: Exchange) => Promise<void> {
  const { hostname, port } = new URL(url)
  // PostgREST closes what has been idle for 30 s
  const kept = new Agent({ keepAlive: true, timeout: 10_000 })
  const pool = new Pool(url, { keepAliveTimeout: 10_000, keepAliveMaxTimeout: 10_000, maxHeaderSize })
  const heavy = fairQueue(heavyPlaces, heavyQueue, heavyPatienceMs)
  const refuse = ({ id, incoming, outgoing }: Exchange, code: RefusalCode) => {
    onRefusal?.(code)
    return sendRefusal(incoming, outgoing, code, id)
  }

  /**
   * Opens a request. Its body is asked for by PostgREST (`100 Continue`), which checks the token first: up to then nothing
   * of it is read, a refused token costs no more than its header, and a request that was not seen can be opened again.
   */
  async function open(exchange: Translated, signal: AbortSignal): Promise<{ request: ClientRequest, answered: Promise<IncomingMessage> }> {
    const { incoming, path } = exchange
    const deadline = Date.now() + patienceMs
    const withBody = hasBody(incoming)
    for (;;) {
      const request = httpRequest({
        hostname,
        port,
        path,
        method: incoming.method,
        setHost: false,
        signal,
        maxHeaderSize,
        headers: { ...forwardedFields(exchange), ...(withBody && { expect: '100-continue' }) },
        // PostgREST may close a kept connection under a request, and a change without a body cannot be sent again
        agent: withBody ? kept : false,
      })
      // whoever waits for the answer is told by its promise
      request.on('error', () => undefined)
      const answered = once(request, 'response').then(([response]) => response as IncomingMessage)
      answered.catch(() => undefined)
      if (!withBody) request.end()
      try {
        await (withBody ? Promise.race([once(request, 'continue'), answered]) : answered)
        return { request, answered }
      } catch (error) {
        if (signal.aborted || Date.now() > deadline || !isUnseen(error as NodeJS.ErrnoException, request)) throw error
        await sleep(50, undefined, { signal })
      }
    }
  }

  /** Reads, and waits for a PostgREST that restarts. One that closes a connection is asked once more, because it may have been a kept one. */
  async function forwardRead(exchange: Translated): Promise<void> {
    const { outgoing } = exchange
    const deadline = Date.now() + patienceMs
    let wasCut = false
    for (;;) {
      try {
        return await read(pool, exchange)
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code ?? ''
        const isCut: boolean = cut.has(code) && !wasCut
        if (outgoing.headersSent || outgoing.destroyed || Date.now() > deadline || !isCut && code !== 'ECONNREFUSED') throw error
        wasCut ||= isCut
        if (!isCut) await sleep(50)
      }
    }
  }

  /** @param done called as soon as PostgREST has nothing more to read */
  async function forward(exchange: Translated, { bodyBytes, isHeavy }: Allowance, done: () => void): Promise<void> {
    const { incoming, outgoing } = exchange
    const clientGone = new AbortController()
    let isWhole = false
    outgoing.once('close', () => outgoing.writableFinished || isWhole || clientGone.abort())
    const { request, answered } = await open(exchange, clientGone.signal)
    // PostgREST works on a whole body whether anybody waits or not; until it has answered, the place is taken
    request.once('finish', () => {
      isWhole = isHeavy
    })
    const counter = limited(bodyBytes)
    const tooLarge = new Promise<undefined>((resolve) => {
      counter.once('error', () => resolve(undefined))
    })
    if (!request.writableEnded) incoming.pipe(counter).pipe(request)
    const response = await Promise.race([answered, tooLarge])
    incoming.unpipe(counter)
    if (response === undefined) request.destroy()
    done()
    await (response === undefined ? refuse(exchange, 'PAYLOAD_TOO_LARGE') : passOn(response, exchange))
    // answered without its body, so PostgREST still waits for one on this connection
    if (!request.writableEnded) request.destroy()
  }

  return async (given) => {
    const { incoming, outgoing, prefix } = given
    const fields = fieldsForPostgrest(incoming.headers, prefix)
    const exchange = { ...given, fields }
    const length = fields['content-length']
    const contentLength = length === undefined ? undefined : Number(length)
    const allowed = allowance({
      method: incoming.method ?? '',
      authorization: fields.authorization,
      contentType: fields['content-type'],
      contentLength,
      isChunked: incoming.headers['transfer-encoding'] !== undefined,
    }, bodyLimit)
    if (Buffer.byteLength(incoming.url ?? '', 'latin1') > allowed.urlBytes) return refuse(exchange, 'URI_TOO_LONG')
    // PostgREST tells the database of every field, as text
    if (!isText(incoming.rawHeaders.join('\n'))) return refuse(exchange, 'INVALID_ENCODING')
    const refusal = judge(incoming.method ?? '', incoming.url ?? '')
    if (refusal !== undefined) return refuse(exchange, refusal)
    if ((contentLength ?? 0) > allowed.bodyBytes) return refuse(exchange, 'PAYLOAD_TOO_LARGE')
    const leave = allowed.isHeavy ? await heavy.enter(clientNetwork(given.client)) : () => undefined
    if (leave === undefined) return refuse(exchange, 'SERVICE_BUSY')
    try {
      await (readMethods.has(incoming.method ?? '') && !hasBody(incoming) ? forwardRead(exchange) : forward(exchange, allowed, leave))
    } catch {
      // who has had a part of the answer learns from the cut connection that it is not whole
      if (outgoing.headersSent) outgoing.destroy()
      else await refuse(exchange, 'BAD_GATEWAY')
    } finally {
      leave()
    }
  }
}
