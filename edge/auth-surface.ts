/** The auth surface behind an edge that is a process of its own. */
import { catalogue, type ErrorCode, type WireError } from '../auth/errors.ts'
import { change, forwardedHeaders, isForClient, isRead, onUpstream, repeatedRead, type EdgeRequest, type Forwarded } from './forward.ts'
import { endAnswer } from './refuse.ts'
import type { Upstreams } from './upstreams.ts'

/** Time to wait for an auth service, in milliseconds: `docker compose up` stops the old one before it migrates and starts the new one. */
const timeoutMs = 20_000

/** Largest body that the edge forwards, in bytes. The auth service refuses far smaller ones. */
const bodyLimit = 16 * 1024 * 1024

/** Answers in the auth surface's shape. */
export async function refuseAuth({ id, incoming, outgoing }: EdgeRequest, code: ErrorCode): Promise<void> {
  if (outgoing.destroyed) return
  const [status, message] = catalogue[code]
  const body = JSON.stringify({ error: code, message } satisfies WireError)
  outgoing.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': id,
    ...(code === 'SERVICE_BUSY' && { 'retry-after': '5' }),
  })
  outgoing.write(body)
  await endAnswer(incoming, outgoing)
}

const answerHeaders = (id: string): Forwarded['answerHeaders'] => (received) => {
  const headers = ['x-request-id', id]
  for (let at = 0; at < received.length; at += 2) {
    const name = received[at] ?? ''
    if (isForClient(name.toLowerCase())) headers.push(name, received[at + 1] ?? '')
  }
  return headers
}

/** Returns a function that forwards one request to an auth service. It never rejects. */
export const remoteAuth = (upstreams: Upstreams) => async (request: EdgeRequest, traceparent: string | undefined): Promise<void> => {
  const { id, incoming, outgoing } = request
  const forwarded: Forwarded = {
    ...request,
    path: incoming.url ?? '/',
    headers: forwardedHeaders(request, incoming.headers, traceparent),
    bodyLimit,
    answerHeaders: answerHeaders(id),
  }
  try {
    const outcome = await onUpstream(
      upstreams,
      timeoutMs,
      outgoing,
      isRead(incoming) ? repeatedRead(forwarded) : (upstream) => change(upstream, forwarded),
    )
    if (outcome === 'unavailable') await refuseAuth(request, 'SERVICE_BUSY')
    if (outcome === 'too-large') await refuseAuth(request, 'PAYLOAD_TOO_LARGE')
  } catch {
    // a client that has a part of the response learns from the cut connection that it is not whole
    if (outgoing.headersSent) outgoing.destroy()
    else await refuseAuth(request, 'INTERNAL_ERROR')
  }
}
