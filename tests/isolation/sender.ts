/**
 * Sends requests to PostgREST over kept connections, with exactly the given method, path and
 * headers.
 */
import { Agent, request as httpRequest } from 'node:http'

/** A header with several values is sent as several fields. */
export type Request = {
  method: string
  path: string
  body?: string
  headers: Record<string, string | string[]>
}
export type Answer = { status: number, text: string, headers: string, contentRange: string }
export type Sender = {
  send: (token: string | undefined, request: Request) => Promise<Answer>
  close: () => void
}

/** @param concurrency the maximum number of concurrent requests. Others wait */
export function sender(dataUrl: string, concurrency: number): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency })
  const { hostname, port } = new URL(dataUrl)
  const send: Sender['send'] = (token, { method, path, body, headers }) =>
    new Promise((resolve, reject) => {
      const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
      const { pathname, search } = new URL(path, dataUrl)
      const outgoing = httpRequest(
        {
          agent,
          hostname,
          port,
          method,
          path: pathname + search,
          headers: { ...authorization, ...length, ...headers },
        },
        (incoming) => {
          const chunks: Buffer[] = []
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
          incoming.on('error', reject)
          incoming.on('end', () =>
            resolve({
              status: incoming.statusCode ?? 0,
              text: Buffer.concat(chunks).toString(),
              headers: incoming.rawHeaders.join('\n'),
              contentRange: incoming.headers['content-range'] ?? '',
            }))
        },
      )
      outgoing.on('error', reject)
      outgoing.end(body)
    })
  return { send, close: () => agent.destroy() }
}
