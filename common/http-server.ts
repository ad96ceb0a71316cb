/** The HTTP server that every service uses: timeouts, limits, start and graceful stop. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { clientAddress, clientNetwork, isFromTrustedProxy } from './client-address.ts'
import { configError } from './errors.ts'
import type { AddressRange } from './settings.ts'
import { sharedSlots } from './shared-slots.ts'

/** Whether the client is a browser that navigates and so expects a page. */
export const acceptsHtml = (request: Request): boolean =>
  /(^|,)\s*text\/html\b/.test(request.headers.get('accept') ?? '')

/**
 * The Content-Security-Policy of each response that is no page. If a browser opens it as a page, or
 * in a frame, it runs and loads nothing.
 */
export const policyOfData =
  "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * Options of Hono's listener: the host of a request by HTTP/1.0 without one, as simple health
 * checks send.
 */
export const defaultHost = { hostname: 'localhost' }

/** A request listener of Node's HTTP server. */
export type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void | Promise<void>

/**
 * Timeouts of a connection, in milliseconds. Node checks the first two once per interval, so it may
 * disconnect a slow client that much later. The second one is for files, which a slow client may
 * send for long; `bodyMs` is for all others. The keep-alive timeout exceeds that of proxies (60 s
 * on AWS): the proxy must close an idle connection first. Otherwise a request may arrive on a
 * connection that the server has just closed.
 */
const timeouts = {
  headersTimeout: 15_000,
  requestTimeout: 900_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 75_000,
}

/** Time in which a body must arrive, in milliseconds. */
const bodyMs = 30_000

/** Whether a request has a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

/**
 * Returns true if the headers of a body name another charset than UTF-8, or a compression. No
 * surface decodes such a body.
 */
export const isOtherEncoding = (contentType = '', contentEncoding = ''): boolean =>
  /charset *= *(?!"?(utf-?8|us-ascii)\b)/i.test(contentType) ||
  !/^(identity)?$/i.test(contentEncoding)

/**
 * Ends a connection with a status line, because no surface has seen the request. Sends nothing if a
 * response has begun.
 */
export function endConnection(
  { socket }: IncomingMessage,
  outgoing: ServerResponse,
  status: '408 Request Timeout' | '429 Too Many Requests',
): void {
  if (outgoing.headersSent) socket.destroy()
  else socket.end(
      `HTTP/1.1 ${status}\r\nConnection: close\r\n${
        status.startsWith('429') ? 'Retry-After: 30\r\n' : ''
      }\r\n`,
      () => socket.destroy(),
    )
}

/** Closes the connection of a client that sends its body too slowly. */
function limitBody(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const timer = setTimeout(() => endConnection(incoming, outgoing, '408 Request Timeout'), bodyMs)
  const clear = () => clearTimeout(timer)
  incoming.once('end', clear).once('close', clear)
}

/** Maximum open connections of a server, in addition to its live streams. */
export const maxRequestConnections = 1_000

/**
 * Maximum requests in progress on one connection. Browsers and proxies do not pipeline, so only an
 * attacker exceeds it.
 */
const maxPipelined = 16

/** During a stop, the time that a new connection has to send its request, in milliseconds. */
const idleMs = 250

/**
 * During a stop, the time that requests in progress have to finish, in milliseconds. `docker
 * compose up` starts the new edge after the old one has ended, and Caddy waits 20 s for it. So a
 * longer time would fail more requests than it saves.
 */
const drainMs = 5_000

/**
 * Waits for a turn of the event loop that takes less than half a millisecond, at most a second.
 * Each turn accepts all new connections. So hardly one arrives between the last turn and the end of
 * the listener, when the system would reset it.
 */
async function quietTurn(): Promise<void> {
  const since = performance.now()
  for (let begun = since; begun < since + 1_000; begun = performance.now()) {
    await nextTurn()
    if (performance.now() - begun < 0.5) return
  }
}

/** Resolves when the server listens. @throws ConfigError that names the setting */
function listening(server: Server, setting: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('listening', resolve)
    server.once('error', ({ code }: NodeJS.ErrnoException) => {
      reject(
        configError(
          code === 'EADDRINUSE'
            ? `${setting} ${port} is taken: set ${setting} to a free one.`
            : `${setting} ${port} cannot be used (${code}).`,
        ),
      )
    })
  })
}

/** Responses that last as long as their clients wish. */
const endless = new WeakSet<ServerResponse>()

/** Returns true for a response that usually ends because its client leaves. */
export const isEndless = (outgoing: ServerResponse): boolean => endless.has(outgoing)

/** Marks a response that a stop of the server ends instead of waiting for it. */
export function endAtStop(outgoing: ServerResponse): void {
  endless.add(outgoing)
}

type ServerOptions = {
  host: string
  port: number
  maxStreams?: number
  setting: string
  lameDuckMs?: number
  onStop?: () => void
  onError?: (error: unknown) => void
  hasSlowBody?: (incoming: IncomingMessage) => boolean
  trustedProxies?: AddressRange[]
}

/**
 * Limits the open connections, so that slow clients cannot exhaust memory. At the limit a new
 * connection closes the idle ones. One client network has half of them at most. Those of a trusted
 * proxy count only in all.
 */
function limitConnections(
  server: Server,
  maxConnections: number,
  trustedProxies: AddressRange[],
): void {
  const connections = sharedSlots(maxConnections)
  server.maxConnections = maxConnections
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? ''
    if (isFromTrustedProxy(address, trustedProxies)) return
    const release = connections.take(clientNetwork(address))
    if (release !== undefined) {
      socket.once('close', release)
      return
    }
    // its next connection finds room
    server.closeIdleConnections()
    socket.destroy()
  })
  server.on('drop', () => server.closeIdleConnections())
}

/**
 * Gives the body of a request one of the slots of its client's network until the body is there. One
 * client network has half of them at most, also behind a trusted proxy.
 * @returns false if all are taken
 */
function takeBodySlot(
  bodies: ReturnType<typeof sharedSlots>,
  incoming: IncomingMessage,
  trustedProxies: AddressRange[],
): boolean {
  const address = clientAddress(
    incoming.socket.remoteAddress ?? '',
    incoming.headers['x-forwarded-for']?.toString(),
    trustedProxies,
  )
  const release = bodies.take(clientNetwork(address))
  if (release === undefined) return false
  incoming.once('end', release).once('close', release)
  return true
}

/** Ends the listener, and then the connections, as their requests finish or after the timeout. */
async function drain(server: Server, responses: Set<ServerResponse>): Promise<void> {
  // stop only the listener: Server.close() also resets idle connections, and a new connection
  // counts as idle until its first request
  const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve))
  for (const outgoing of responses) if (endless.has(outgoing)) outgoing.end()
  const idle = setInterval(() => server.closeIdleConnections(), idleMs)
  const giveUp = setTimeout(() => server.closeAllConnections(), drainMs)
  await closed
  clearInterval(idle)
  clearTimeout(giveUp)
}

/**
 * Starts a server.
 * @param setting name of the setting that holds the port, for error messages
 * @param maxStreams maximum number of responses that last as long as their clients wish
 * @param lameDuckMs time that the server continues to accept requests after a stop begins, until
 * proxies notice the stop
 * @param hasSlowBody returns true for a request whose body may take 15 minutes; its handler limits
 * the time without progress
 * @param trustedProxies proxies whose connections belong to many clients
 * @param onError receives an error that the listener throws; the server then closes the connection
 * @returns the function that stops the server. It calls `onStop` first, then finishes the requests
 * in progress.
 * @throws ConfigError if another process uses the port or the system refuses it
 */
export async function startServer(
  listener: Listener,
  {
    host,
    port,
    setting,
    maxStreams = 0,
    lameDuckMs = 0,
    onStop = () => undefined,
    onError = () => undefined,
    hasSlowBody = () => false,
    trustedProxies = [],
  }: ServerOptions,
): Promise<() => Promise<void>> {
  const maxConnections = maxRequestConnections + maxStreams
  const bodies = sharedSlots(maxConnections)
  const inProgress = new WeakMap<Socket, number>()
  const responses = new Set<ServerResponse>()
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { socket } = incoming
    const count = (inProgress.get(socket) ?? 0) + 1
    if (count > maxPipelined) {
      socket.destroy()
      return
    }
    inProgress.set(socket, count)
    responses.add(outgoing)
    outgoing.once('close', () => {
      inProgress.set(socket, (inProgress.get(socket) ?? 1) - 1)
      responses.delete(outgoing)
    })
    if (hasBody(incoming)) {
      if (!takeBodySlot(bodies, incoming, trustedProxies))
        return endConnection(incoming, outgoing, '429 Too Many Requests')
      if (!hasSlowBody(incoming)) limitBody(incoming, outgoing)
    }
    try {
      await listener(incoming, outgoing)
    } catch (error) {
      onError(error)
      socket.destroy()
    }
  }
  const server = createServer(timeouts, (incoming, outgoing) => void handle(incoming, outgoing))
  limitConnections(server, maxConnections, trustedProxies)
  server.listen(port, host)
  await listening(server, setting, port)
  return async () => {
    onStop()
    await sleep(lameDuckMs)
    await quietTurn()
    await drain(server, responses)
  }
}
