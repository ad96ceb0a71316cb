/**
 * The upstreams of a surface: finds their addresses, checks if each is ready, and chooses the least
 * busy one.
 */
import { lookup } from 'node:dns/promises'
import { Agent as HttpAgent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, Pool, request } from 'undici'
import { fairQueue, type FairQueue } from '../common/fair-queue.ts'

/**
 * Maximum number of large bodies that one PostgREST reads at a time.
 * docs/decisions/edge.md#each-postgrest-gets-2048-mib-and-two-large-bodies-at-a-time has the
 * figures.
 */
const heavySlots = 2
/** Maximum number of requests that wait for such a slot, and their timeout in milliseconds. */
const heavyQueueLength = 64
const heavyTimeoutMs = 10_000

/** Interval of DNS lookups and of readiness checks, in milliseconds. */
const lookupMs = 1_000
const readinessMs = 250

/** Number of failed readiness checks after which `onProblem` is called: about ten seconds. */
const reportedChecks = 40

/**
 * Number of failed readiness checks after which a read of the database counts instead: about four
 * seconds, longer than a load of the schema.
 */
const patientChecks = 16

/**
 * Timeout of a connect and of a readiness check, in milliseconds. A removed container refuses
 * nothing and does not respond.
 */
export const connectMs = 1_000

/**
 * Maximum connections to one upstream, separately for reads and for requests with a body. Further
 * requests wait for a connection.
 */
const maxConnections = 512

/**
 * Idle connections close before the upstream closes them: PostgREST does after 30 s, the auth
 * service after 75 s.
 */
const keepAliveMs = 10_000

/**
 * Maximum size of response headers. PostgREST repeats the encoded query in one of them: up to three
 * times the URL's length.
 */
export const maxHeaderSize = 64 * 1024

export type Upstream = {
  host: string
  port: number
  /** Connections for requests without a body. */
  pool: Pool
  /** Connections for requests with a body. */
  agent: HttpAgent
  /**
   * Connections for live streams and for reads of files. Their number has no limit here, and other
   * requests never wait for them.
   */
  streams: Pool
  /** Slots for large bodies. */
  heavy: FairQueue
  /**
   * Requests in progress: those without a large body, and those that hold a heavy slot or wait for
   * one.
   */
  active: number
  heavyActive: number
  isReady: boolean
  /** True if this process has been ready. It has then loaded its keys and its schema. */
  wasReady: boolean
}

export type Upstreams = {
  list: () => Upstream[]
  /**
   * Returns the least busy upstream that is ready, and waits for one until the deadline.
   * @param load the number that is compared
   * @param avoid an upstream that has just failed; taken only if no other is ready
   * @param isGone returns true if the client has disconnected
   * @returns undefined if none became ready
   */
  next: (
    deadline: number,
    load: 'active' | 'heavyActive',
    avoid: Upstream | undefined,
    isGone: () => boolean,
  ) => Promise<Upstream | undefined>
  close: () => Promise<void>
}

/** Returns the origin of an address. IPv6 addresses get brackets. */
const originOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`

/** Returns host and port of an origin. IPv6 addresses lose their brackets. */
function addressOf(url: string): { host: string, port: number } {
  const { hostname, port } = new URL(url)
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) }
}

function connectTo(host: string, port: number, isReady: boolean): Upstream {
  const options = {
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    maxHeaderSize,
    connect: { timeout: connectMs },
  }
  return {
    host,
    port,
    pool: new Pool(originOf(host, port), {
      ...options,
      connections: maxConnections,
      headersTimeout: 0,
      bodyTimeout: 0,
    }),
    streams: new Pool(originOf(host, port), { ...options, headersTimeout: 0, bodyTimeout: 0 }),
    agent: new HttpAgent({ keepAlive: true, timeout: keepAliveMs, maxSockets: maxConnections }),
    heavy: fairQueue(heavySlots, heavyQueueLength, heavyTimeoutMs),
    active: 0,
    heavyActive: 0,
    isReady,
    wasReady: isReady,
  }
}

async function disconnect({ pool, streams, agent }: Upstream): Promise<void> {
  agent.destroy()
  await Promise.all([pool.close(), streams.close()])
}

/** Disconnects an upstream that gets no new requests, after its requests in progress. */
async function retire(upstream: Upstream): Promise<void> {
  while (upstream.active + upstream.heavyActive > 0) await sleep(50, undefined, { ref: false })
  await disconnect(upstream)
}

/** Returns the function that chooses an upstream. Equally busy upstreams take turns. */
function choose(list: () => Upstream[]): Upstreams['next'] {
  let turn = 0
  return async (deadline, load, avoid, isGone) => {
    for (;;) {
      const ready = list().filter((upstream) => upstream.isReady)
      const others = ready.filter((upstream) => upstream !== avoid)
      const candidates = others.length > 0 ? others : ready
      if (candidates.length > 0) {
        turn += 1
        const rotated = candidates.map((_, at) => candidates[(at + turn) % candidates.length]!)
        return rotated.reduce((
          least,
          upstream,
        ) => (upstream[load] < least[load] ? upstream : least))
      }
      if (Date.now() > deadline || isGone()) return undefined
      await sleep(50)
    }
  }
}

/** One upstream at a fixed address, which counts as ready. */
export function fixedUpstream(url: string): Upstreams {
  const { host, port } = addressOf(url)
  const upstream = connectTo(host, port, true)
  return {
    list: () => [upstream],
    next: () => Promise.resolve(upstream),
    close: () => disconnect(upstream),
  }
}

/** Error codes of a lookup for a name without an address. All other codes mean that DNS failed. */
const unknownHost = new Set(['ENOTFOUND', 'ENODATA'])

async function addressesOfHost(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true, ...(!host.includes(':') && { family: 4 }) })
  return found.map(({ address }) => address)
}

/** A port and a read by which upstreams are checked: discoveredUpstreams(). */
type Readiness = { port: number, read?: string | undefined }

type OnProblem = (name: string, problem: string) => void

/**
 * Returns the checks of upstreams.
 * @param upstreamsByKey the upstreams that are not removed
 * @param signal ends the checks
 */
function readinessChecks(
  upstreamsByKey: ReadonlyMap<string, Upstream>,
  readiness: Readiness | undefined,
  onProblem: OnProblem,
  signal: AbortSignal,
) {
  const checks = new Agent({
    connect: { timeout: connectMs },
    headersTimeout: connectMs,
    bodyTimeout: connectMs,
  })
  // An upstream that stops closes the connection of its checks. The next check may hang, so the
  // upstream counts as not ready at once.
  checks.on('disconnect', (origin) => {
    for (const upstream of upstreamsByKey.values()) {
      if (new URL(origin).host === new URL(originOf(upstream.host, readiness?.port ?? 0)).host)
        [upstream.isReady, upstream.wasReady] = [false, false]
    }
  })

  const succeeds = (url: string): Promise<boolean> =>
    request(url, { dispatcher: checks, signal }).then(async ({ statusCode, body }) => {
      await body.dump()
      return statusCode === 200
    }, () => false)
  /** Checks one upstream until it is removed. */
  const watch = async (
    key: string,
    upstream: Upstream,
    { port, read }: Readiness,
  ): Promise<void> => {
    for (let failed = 0; upstreamsByKey.get(key) === upstream && !signal.aborted;) {
      const isReady = await succeeds(`${originOf(upstream.host, port)}/ready`)
      failed = isReady ? 0 : failed + 1
      upstream.wasReady ||= isReady
      const reads = failed > patientChecks && upstream.wasReady && read !== undefined &&
        await succeeds(originOf(upstream.host, upstream.port) + read)
      upstream.isReady = isReady || reads
      if (failed === reportedChecks)
        onProblem(
          `${upstream.host}:${upstream.port}`,
          `an upstream does not say at port ${port} that it is ready`,
        )
      await sleep(readinessMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }
  return { watch, close: () => checks.close() }
}

/**
 * Returns the function that looks up the addresses of an upstream, each with its port: the last
 * known ones while DNS fails.
 */
function addressLookup(
  onProblem: OnProblem,
  resolve: (host: string) => Promise<string[]>,
): (url: string) => Promise<string[]> {
  const unknown = new Set<string>()
  const last = new Map<string, string[]>()
  return async (url) => {
    const { host, port } = addressOf(url)
    const addresses = await resolve(host).catch((error: unknown) =>
      unknownHost.has((error as NodeJS.ErrnoException).code ?? '') ? [] : last.get(host) ?? []
    )
    last.set(host, addresses)
    if (addresses.length === 0 && !unknown.has(host)) onProblem(host, 'a host name has no address')
    if (addresses.length === 0) unknown.add(host)
    else unknown.delete(host)
    return addresses.map((address) => `${address} ${port}`)
  }
}

/**
 * Upstreams at every address of some host names. A DNS lookup each second finds new and removed
 * replicas.
 * @param urls such as `http://auth:3000`
 * @param readiness.port port at which `GET /ready` responds with 200 if an upstream is ready;
 * without `readiness` each address counts as ready
 * @param readiness.read path of a read. If it succeeds, a process that was ready before still
 * counts as ready. After an outage of the database PostgREST serves again at once, but its own next
 * connection, which `/ready` waits for, can take 32 seconds.
 * @param onProblem called once when a host name begins to have no address, and when an address is
 * not ready for ten seconds
 * @param resolve looks up the addresses of a host name
 */
export function discoveredUpstreams(
  urls: string[],
  readiness: Readiness | undefined,
  onProblem: OnProblem,
  resolve: (host: string) => Promise<string[]> = addressesOfHost,
): Upstreams {
  const upstreamsByKey = new Map<string, Upstream>()
  const stopped = new AbortController()
  const { signal } = stopped
  const checks = readinessChecks(upstreamsByKey, readiness, onProblem, signal)
  const addressesOf = addressLookup(onProblem, resolve)
  const discover = async (): Promise<void> => {
    const found = new Set((await Promise.all(urls.map(addressesOf))).flat())
    for (const [key, upstream] of upstreamsByKey) {
      if (found.has(key)) continue
      upstreamsByKey.delete(key)
      void retire(upstream)
    }
    for (const key of found) {
      if (upstreamsByKey.has(key)) continue
      const [host = '', port] = key.split(' ')
      const upstream = connectTo(host, Number(port), readiness === undefined)
      upstreamsByKey.set(key, upstream)
      if (readiness !== undefined) void checks.watch(key, upstream, readiness)
    }
  }
  const discovering = (async () => {
    while (!signal.aborted) {
      await discover()
      await sleep(lookupMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
  })()

  const list = () => [...upstreamsByKey.values()]
  return {
    list,
    next: choose(list),
    close: async () => {
      stopped.abort()
      await discovering
      await Promise.all([checks.close(), ...list().map(disconnect)])
    },
  }
}

/** Returns true if any upstream answers a request with success within three seconds. */
export async function anyAnswers(
  upstreams: Upstreams,
  { method, path }: { method: 'GET' | 'OPTIONS', path: string },
): Promise<boolean> {
  const answers = upstreams.list().filter(({ isReady }) => isReady).map(async ({ pool }) => {
    const { statusCode, body } = await pool.request({
      method,
      path,
      headersTimeout: 3_000,
      signal: AbortSignal.timeout(3_000),
    })
    await body.dump()
    if (statusCode >= 300) throw new Error(`status ${statusCode}`)
  })
  return Promise.any(answers).then(() => true, () => false)
}
