/**
 * Requests to servers that are not ours: a provider of single sign-on, Resend, a collector of traces. Node's own `fetch` decodes
 * what the response says that it is, follows redirects and reads without a limit. This one does none of it. Oxlint refuses the
 * global `fetch` and Node's clients in the services, except in the edge's requests to its upstreams.
 */
import { request as plain, type IncomingMessage } from 'node:http'
import { request as encrypted } from 'node:https'

/** Time for a request with its whole response, in milliseconds. A signal of the caller's may end it earlier. */
const timeoutMs = 10_000
/** The largest body of a response, in bytes. */
const maxBytes = 1_048_576

/** A failure of a request, as `fetch` has it. The code may be logged, the message holds nothing of the response. */
const failure = (message: string, code: unknown, cause?: unknown) => Object.assign(new TypeError(message, { cause }), { code })

type Options = {
  method?: string
  headers?: RequestInit['headers'] | undefined
  body?: RequestInit['body'] | undefined
  signal?: AbortSignal | null | undefined
}

async function send(request: Request, signal: AbortSignal): Promise<IncomingMessage> {
  const body = Buffer.from(await request.arrayBuffer())
  const headers = { ...Object.fromEntries(request.headers), 'accept-encoding': 'identity' }
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const open = request.url.startsWith('https:') ? encrypted : plain
  // no kept connection, which the server may have closed
  const sent = open(request.url, { method: request.method, headers, signal, agent: false }, resolve).on('error', reject)
  sent.once('upgrade', (_response, socket) => {
    socket.destroy()
    reject(new Error('the server switches protocols'))
  })
  sent.end(body)
  return promise
}

/** Reads a body that was not encoded, up to the limit. */
async function read(response: IncomingMessage): Promise<Buffer> {
  const { statusCode = 0, headers } = response
  if (headers.location !== undefined && statusCode >= 300 && statusCode < 400) throw failure('the response is a redirect', 'OUTBOUND_REDIRECT')
  if (!/^(identity)?$/i.test(headers['content-encoding'] ?? '')) throw failure('the response is encoded', 'OUTBOUND_ENCODED')
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
 * Sends a request and reads the whole response.
 * @throws TypeError with a `code`; the signal's reason if that ended it
 */
export async function outboundFetch(url: string | URL, { method = 'GET', headers = {}, body = null, signal: given }: Options = {}): Promise<Response> {
  const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(given == null ? [] : [given])])
  let response: IncomingMessage | undefined
  try {
    signal.throwIfAborted()
    response = await send(new Request(url, { method, headers, body }), signal)
    const content = await read(response)
    const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = response
    const fields = new Headers()
    for (let at = 0; at + 1 < rawHeaders.length; at += 2) fields.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
    return new Response([204, 205, 304].includes(status) ? null : new Uint8Array(content), { status, statusText, headers: fields })
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw error instanceof TypeError && 'code' in error ? error : failure('the request failed', (error as NodeJS.ErrnoException).code, error)
  } finally {
    // a no-op for one that was read to its end
    response?.destroy()
  }
}
