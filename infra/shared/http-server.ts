/** The HTTP server of every process: its timeouts, its start and its stop. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { configError } from './errors.ts'

/** Answers a request of Node's HTTP server. */
export type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void | Promise<void>

/**
 * Timeouts of a connection, in milliseconds. Node checks the first two at every interval, so a slow client may be cut off that
 * much later. An idle connection is kept longer than a proxy keeps it: a load balancer on AWS does for 60 s. The side that
 * sends must close first, or its request may meet a connection that is just closed.
 */
const timeouts = { headersTimeout: 15_000, requestTimeout: 30_000, connectionsCheckingInterval: 5_000, keepAliveTimeout: 75_000 }

/** Open connections at a time. More are closed at once, so that slow clients cannot fill the memory. */
const maxConnections = 2_000

/** Time that a stop gives a new connection for its request, in milliseconds. */
const idleMs = 250

/** Time that a stop waits for requests in progress, in milliseconds. */
const drainMs = 5_000

/** Resolves when the server listens. @throws ConfigError that names the setting */
function listening(server: Server, setting: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('listening', resolve)
    server.once('error', ({ code }: NodeJS.ErrnoException) => {
      reject(
        configError(
          code === 'EADDRINUSE' ? `${setting} ${port} is taken: set ${setting} to a free one.` : `${setting} ${port} cannot be used (${code}).`,
        ),
      )
    })
  })
}

/**
 * Starts a server.
 * @param setting name of the setting that has the port, for the message of an error
 * @param lameDuckMs time that a stop continues to serve, because proxies do not know of it yet
 * @returns the function that stops it. It calls `onStop` first, and then finishes the requests in progress.
 * @throws ConfigError if the port is taken or not allowed
 */
export async function startServer(
  listener: Listener,
  { host, port, setting, lameDuckMs = 0, onStop = () => undefined }: { host: string, port: number, setting: string, lameDuckMs?: number, onStop?: () => void },
): Promise<() => Promise<void>> {
  const server = createServer(timeouts, (incoming, outgoing) => void listener(incoming, outgoing))
  server.maxConnections = maxConnections
  server.listen(port, host)
  await listening(server, setting, port)
  return async () => {
    onStop()
    await sleep(lameDuckMs)
    // only the listener: Node counts a connection as idle until it has read its first request, and would reset one that has just come
    const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve))
    const idle = setInterval(() => server.closeIdleConnections(), idleMs)
    const giveUp = setTimeout(() => server.closeAllConnections(), drainMs)
    await closed
    clearInterval(idle)
    clearTimeout(giveUp)
  }
}
