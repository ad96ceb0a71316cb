/**
 * The operator's environment of the product: names, certificates, a proxy that ends TLS, and a
 * server of the app.
 */
import { createReadStream } from 'node:fs'
import {
  createServer as createHttpServer,
  request,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { certificate } from '../support/certificate.ts'

/** The files of the built app. */
export const appDirectory = join(import.meta.dirname, 'app')

/** Serves the app's files, and its document for every route. */
const app: RequestListener = (incoming, response) => {
  const [file, type] = incoming.url?.startsWith('/assets/') === true
    ? ['assets/app-9fK2x_0b.js', 'text/javascript']
    : ['index.html', 'text/html; charset=utf-8']
  response.setHeader('content-type', type)
  createReadStream(join(appDirectory, file)).pipe(response)
}

/** Forwards a request to the product, with the client's address. */
export const handOn = (to: string, incoming: IncomingMessage, response: ServerResponse): void => {
  const headers = { ...incoming.headers, 'x-forwarded-for': incoming.socket.remoteAddress }
  const going = request(to, { method: incoming.method, path: incoming.url, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  going.on('error', () => response.destroy())
  incoming.pipe(going)
}

export type Sites = { port: number, close: () => Promise<void> }

/**
 * Listens for all names, with TLS or without. @param routes by host name: the product's address, or
 * a handler. Every other name has the app
 */
export async function sites(
  routes: Record<string, string | RequestListener> = {},
  tls = true,
): Promise<Sites> {
  const listener: RequestListener = (incoming, response) => {
    const route = routes[incoming.headers.host?.split(':')[0] ?? ''] ?? app
    if (typeof route === 'string') handOn(route, incoming, response)
    else route(incoming, response)
  }
  const server = tls ? createServer(certificate(), listener) : createHttpServer(listener)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
