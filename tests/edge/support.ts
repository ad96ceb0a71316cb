/** HTTP clients below the level of fetch, a fake PostgREST, and an edge for tests. */
import { once } from 'node:events'
import { createServer, request, type RequestListener, type Server } from 'node:http'
import { createConnection, type AddressInfo } from 'node:net'
import { Registry } from 'prom-client'
import { createLog } from '../../common/log.ts'
import type { Service } from '../../common/service.ts'
import { onTestFinished } from 'vitest'
import { connectionShares } from '../../edge/connection-shares.ts'
import { localEdge } from '../../edge/local.ts'
import { readSettings } from '../../common/settings.ts'

/**
 * Writes exactly these bytes to a new connection. @returns the response until the other side closes
 * it, or fails to read on
 */
export function raw(url: string, ...parts: (string | Buffer)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({
      host: new URL(url).hostname,
      port: Number(new URL(url).port),
    })
    let answer = ''
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1')
    })
    // A connection that is closed while the test still writes has often received a response.
    socket.once('error', (error) => answer === '' ? reject(error) : resolve(answer)).once(
      'close',
      () => resolve(answer),
    )
    for (const part of parts) socket.write(part)
  })
}

export type Streamed = { status: number, body: string }

/** Sends a chunked body with backpressure. An endless body is sent until a response arrives. */
export function stream(
  url: string,
  headers: Record<string, string>,
  chunks: Iterable<string | Buffer>,
): Promise<Streamed> {
  return new Promise((resolve, reject) => {
    const sending = request(url, { method: 'POST', headers, agent: false }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text
      }).once('end', () => resolve({ status: response.statusCode ?? 0, body })).once(
        'error',
        reject,
      )
    })
    sending.once('error', reject)
    const rest = chunks[Symbol.iterator]()
    const send = (): void => {
      for (;;) {
        const { value, done } = rest.next()
        if (done === true) return void sending.end()
        if (!sending.write(value)) return void sending.once('drain', send)
      }
    }
    send()
  })
}

/** Waits until a server listens. @returns its address, and a function that closes it */
async function listening(server: Server): Promise<{ url: string, close: () => void }> {
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Waits until a server listens, and closes it after the test. @returns its address */
async function forThisTest(server: Server): Promise<string> {
  const { url, close } = await listening(server)
  onTestFinished(close)
  return url
}

/** Starts a fake PostgREST for one test. @returns its address */
export const fakePostgrest = (listener: RequestListener, port = 0): Promise<string> =>
  forThisTest(createServer(listener).listen(port, '127.0.0.1'))

/**
 * Returns the shares of an edge that knows no keys, so that its callers share the connections by
 * their networks.
 */
export const sharesWithoutKeys = () => ({
  readCaller: () => Promise.resolve(undefined),
  shares: connectionShares(12),
})

/** The parts of an edge for tests that differ: the keys of its auth service, and its settings. */
type Differing = { publicKeys?: Service['publicKeys'], env?: Record<string, string> }

/** Creates the server of an edge, with an auth surface that returns a fixed text. */
function edgeServer(
  url: string,
  timeoutMs: number,
  logged: string[],
  { publicKeys = () => Promise.resolve({ keys: [] }), env = {} }: Differing = {},
  registry = new Registry(),
): Server {
  const auth: Service = {
    listener: (_incoming, outgoing) => void outgoing.end('the auth surface'),
    isReady: () => Promise.resolve(true),
    publicKeys,
  }
  const log = createLog('info', {
    write: (line: string) => {
      logged.push(line)
    },
  })
  const listener = localEdge(auth, { log, registry, tracing: undefined }, {
    ...readSettings(env),
    postgrestUrl: url,
    timeoutMs,
  })
  return createServer((incoming, outgoing) => void listener(incoming, outgoing)).listen(
    0,
    '127.0.0.1',
  )
}

/** Starts an edge that runs until it is closed. */
export const startEdge = (url: string) => listening(edgeServer(url, 2_000, []))

/**
 * Starts an edge for one test. @param logged collects its log lines @param app a folder with an app
 * @returns its address
 */
export const edgeForTest = (
  url: string,
  timeoutMs = 2_000,
  logged: string[] = [],
  app?: string,
): Promise<string> =>
  forThisTest(
    edgeServer(url, timeoutMs, logged, { ...(app !== undefined && { env: { APP_DIR: app } }) }),
  )

/** Starts an edge for one test. @returns its address, and a function that reads its metrics */
export async function sharingEdge(
  url: string,
  differing: Differing,
): Promise<{ url: string, metrics: () => Promise<string> }> {
  const registry = new Registry()
  return {
    url: await forThisTest(edgeServer(url, 2_000, [], differing, registry)),
    metrics: () => registry.metrics(),
  }
}
