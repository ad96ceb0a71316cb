/**
 * Requests to servers of third parties: the single sign-on provider, Resend, the trace collector,
 * the server of exchange rates, receivers of webhooks, the object storage. Unlike the global
 * `fetch`, these do not decompress, follow no redirect and limit the size of a body or stream it.
 * Oxlint refuses the global `fetch` and Node's HTTP clients in the services. The only exception is
 * the edge's requests to its upstreams.
 */
import { request as plain, type IncomingMessage } from 'node:http'
import { request as encrypted } from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isAllowedTarget, lookupIn, notAllowed, type Network } from './network.ts'

/**
 * Usual timeout for a request and its complete response, in milliseconds. The caller's signal may
 * abort earlier.
 */
const usualTimeoutMs = 10_000
/** Usual maximum body of a response, in bytes. */
const usualMaxBytes = 1_048_576

/**
 * The error of a failed request, a TypeError as from `fetch`. Code and message may be logged: they
 * contain nothing of the response.
 */
const failure = (message: string, code: unknown, cause?: unknown) =>
  Object.assign(new TypeError(message, { cause }), { code })

type Options = {
  method?: string
  headers?: RequestInit['headers'] | undefined
  body?: RequestInit['body'] | undefined
  signal?: AbortSignal | null | undefined
  timeoutMs?: number
  maxBytes?: number
  /**
   * Whether to read the body of the response. Default: true. Without it the response has only a
   * status and headers.
   */
  readsBody?: boolean
  /**
   * The addresses that the request may connect to. Undefined allows all: the URL is then a setting
   * of the operator.
   */
  network?: Network | undefined
}

async function send(
  request: Request,
  signal: AbortSignal,
  network: Network | undefined,
): Promise<IncomingMessage> {
  const body = Buffer.from(await request.arrayBuffer())
  const headers = { ...Object.fromEntries(request.headers), 'accept-encoding': 'identity' }
  // Node looks up names only, so an address in the URL is checked here
  if (network !== undefined && !isAllowedTarget(network, new URL(request.url).hostname))
    throw failure('the address is not allowed', notAllowed)
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const open = request.url.startsWith('https:') ? encrypted : plain
  // no connection pool: the server may have closed a pooled connection
  const sent = open(
    request.url,
    {
      method: request.method,
      headers,
      signal,
      agent: false,
      ...(network !== undefined && { lookup: lookupIn(network) }),
    },
    resolve,
  ).on('error', reject)
  sent.once('upgrade', (_response, socket) => {
    socket.destroy()
    reject(new Error('the server switches protocols'))
  })
  sent.end(body)
  return promise
}

/** Reads the body. @throws TypeError if the response is a redirect, compressed or too large */
async function read(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const { statusCode = 0, headers } = response
  if (headers.location !== undefined && statusCode >= 300 && statusCode < 400)
    throw failure('the response is a redirect', 'OUTBOUND_REDIRECT')
  if (!/^(identity)?$/i.test(headers['content-encoding'] ?? ''))
    throw failure('the response is encoded', 'OUTBOUND_ENCODED')
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw failure('the response is too large', 'OUTBOUND_TOO_LARGE')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * Sends a request and reads the complete response.
 * @throws TypeError with a `code`; the signal's reason if the signal aborted the request
 */
export async function outboundFetch(
  url: string | URL,
  {
    method = 'GET',
    headers = {},
    body = null,
    signal: callerSignal,
    timeoutMs = usualTimeoutMs,
    maxBytes = usualMaxBytes,
    readsBody = true,
    network,
  }: Options = {},
): Promise<Response> {
  const signal = AbortSignal.any([
    AbortSignal.timeout(timeoutMs),
    ...(callerSignal == null ? [] : [callerSignal]),
  ])
  let response: IncomingMessage | undefined
  try {
    signal.throwIfAborted()
    response = await send(new Request(url, { method, headers, body }), signal, network)
    const content = readsBody ? await read(response, maxBytes) : null
    const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = response
    const fields = new Headers()
    for (let at = 0; at + 1 < rawHeaders.length; at += 2)
      fields.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
    return new Response(
      content === null || [204, 205, 304].includes(status) ? null : new Uint8Array(content),
      { status, statusText, headers: fields },
    )
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw error instanceof TypeError && 'code' in error
      ? error
      : failure('the request failed', (error as NodeJS.ErrnoException).code, error)
  } finally {
    // without effect if the body was read to its end
    response?.destroy()
  }
}

/** Time in which neither side of a streamed request may be silent, in milliseconds. */
const silentMs = 30_000

/**
 * Sends a request, and streams its body and that of the response. No connection is reused, as
 * above.
 * @param options.headers with the content-length of the body
 * @returns the response; the caller reads it to its end or destroys it
 * @throws the error of the body as it is; TypeError with a `code` if the request fails
 */
export async function outboundStream(
  url: URL,
  { method, headers, body }: {
    method: string
    headers: Record<string, string>
    body?: AsyncIterable<Uint8Array> | undefined
  },
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  let bodyError: unknown
  async function* watched(parts: AsyncIterable<Uint8Array>) {
    try {
      yield* parts
    } catch (error) {
      bodyError = error
      throw error
    }
  }
  const fail = (error: unknown) =>
    reject(bodyError ?? failure('the request failed', (error as NodeJS.ErrnoException).code, error))
  const open = url.protocol === 'https:' ? encrypted : plain
  const sent = open(url, {
    method,
    headers: { ...headers, 'accept-encoding': 'identity' },
    agent: false,
  }, resolve)
  sent.on('error', fail)
  sent.setTimeout(silentMs, () => sent.destroy(failure('the server is silent', 'OUTBOUND_SILENT')))
  if (body === undefined) sent.end()
  // a response before the end of the body closes the request, and then this error means nothing
  else pipeline(Readable.from(watched(body), { objectMode: false }), sent).catch(fail)
  return promise
}
