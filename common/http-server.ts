/** The HTTP server of every process: its timeouts, its start and its stop. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
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

/** Open connections at a time, so that slow clients cannot fill the memory. At the limit a new one closes those that are idle. */
const maxConnections = 2_000

/** Requests in progress on one connection. No browser and no proxy sends its next request before the response. */
const maxPipelined = 16

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

type ServerOptions = { host: string, port: number, setting: string, lameDuckMs?: number, onStop?: () => void, onError?: (error: unknown) => void }

/**
 * Starts a server.
 * @param setting name of the setting that has the port, for the message of an error
 * @param lameDuckMs time that a stop continues to serve, because proxies do not know of it yet
 * @param onError called with an error of the listener; its request is cut off
 * @returns the function that stops it. It calls `onStop` first, and then finishes the requests in progress.
 * @throws ConfigError if the port is taken or not allowed
 */
export async function startServer(
  listener: Listener,
  { host, port, setting, lameDuckMs = 0, onStop = () => undefined, onError = () => undefined }: ServerOptions,
): Promise<() => Promise<void>> {
  const inProgress = new WeakMap<Socket, number>()
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { socket } = incoming
    const count = (inProgress.get(socket) ?? 0) + 1
    if (count > maxPipelined) {
      socket.destroy()
      return
    }
    inProgress.set(socket, count)
    outgoing.once('close', () => inProgress.set(socket, (inProgress.get(socket) ?? 1) - 1))
    try {
      await listener(incoming, outgoing)
    } catch (error) {
      onError(error)
      socket.destroy()
    }
  }
  const server = createServer(timeouts, (incoming, outgoing) => void handle(incoming, outgoing))
  server.maxConnections = maxConnections
  server.on('drop', () => server.closeIdleConnections())
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
