/** An empty page with an origin of its own, as a single-page app has. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type TrustedPage = { origin: string, close: () => Promise<void> }

export async function trustedPage(): Promise<TrustedPage> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>App</title>')
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
