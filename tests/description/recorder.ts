/** A proxy in front of an HTTP server that records requests. */
import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Sent = { method: string, path: string, headers: IncomingHttpHeaders, body: string }
export type Recorder = { url: string, sent: Sent[], close: () => void }

/**
 * Starts the proxy. It removes the media type of responses to HEAD, because Prism fails to parse
 * their empty body as JSON.
 */
export async function recorder(upstream: string): Promise<Recorder> {
  const { hostname, port } = new URL(upstream)
  const sent: Sent[] = []
  const server = createServer((incoming, outgoing) => {
    const { method = '', url: path = '', headers } = incoming
    const one: Sent = { method, path, headers, body: '' }
    sent.push(one)
    const forwarded = httpRequest({ hostname, port, method, path, headers }, (answer) => {
      const isKept = (at: number) =>
        method !== 'HEAD' || answer.rawHeaders[at - at % 2]?.toLowerCase() !== 'content-type'
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders.filter((_, at) => isKept(at)))
      answer.pipe(outgoing)
    })
    forwarded.on('error', () => outgoing.destroy())
    incoming.on('data', (part: Buffer) => {
      one.body += part.toString('utf8')
    })
    incoming.pipe(forwarded)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    close: () => server.close(),
  }
}
