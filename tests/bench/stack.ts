/**
 * Starts the data surface for benchmarks: an embedded PostgreSQL with a migrated database, users
 * with sessions, and PostgREST.
 */
import { spawn } from 'node:child_process'
import { Agent, createServer, request } from 'node:http'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { exportJWK } from 'jose'
import pg from 'pg'
import { migrate } from '../../db/migrate.ts'
import { postgrestConnection } from '../../start/environment.ts'
import { freePort } from '../../start/ports.ts'
import { startPostgres } from '../../start/postgres.ts'
import { startPostgrest } from '../../start/postgrest.ts'
import type { DatasetCaller } from '../support/large-dataset.ts'
import { tokenSigner } from '../support/signer.ts'

const publicUrl = 'http://localhost:3000'
const authServicePassword = 'auth-service'

/** A response: its status, and its time in milliseconds. */
export type Timed = { status: number, ms: number }
/** Sends a request to one PostgREST as one user: a GET, or with `body` a POST of JSON. */
export type Ask = (path: string, body?: unknown, headers?: Record<string, string>) => Promise<Timed>

export type BenchStack = AsyncDisposable & {
  /** A connection of the database owner, and its URL. */
  owner: pg.Client
  url: string
  /** PUBLIC_URL of the service. */
  publicUrl: string
  authServicePassword: string
  /**
   * Starts a PostgREST for other HTTP clients. @returns its ports, and a function that signs tokens
   */
  dataSurface: () => Promise<
    { port: number, readyPort: number, tokenOf: (who: DatasetCaller) => Promise<string> }
  >
  /**
   * Starts an edge before a PostgREST, as a process. Instead of an auth service it has only its
   * public keys. @returns its port
   */
  edge: (postgrest: { port: number, readyPort: number }) => Promise<number>
  /**
   * Returns the function that sends requests as a user. @param prefix the beginning of each path,
   * such as `/data`
   */
  askAt: (port: number, prefix?: string) => (who: DatasetCaller | undefined) => Promise<Ask>
  /** Starts a PostgREST. @param env additional settings, such as PGRST_DB_POOL */
  postgrest: (
    env?: Record<string, string>,
  ) => Promise<(who: DatasetCaller | undefined) => Promise<Ask>>
}

/** Creates the users `user-1`, `user-2` and so on, each with a session. */
export const people = (count: number) => async (owner: pg.Client): Promise<void> => {
  await owner.query(`
    insert into auth.users (id, name, email) select 'user-' || i, '', 'user-' || i || '@example.org' from generate_series(1, ${count}) i;
    insert into auth.sessions (id, token, user_id, expires_at) select 'session-' || i, 'token-' || i, 'user-' || i, now() + interval '1 day' from generate_series(1, ${count}) i`)
}

/** Returns one of these users. */
export const person = (number: number): DatasetCaller => ({
  user: `user-${number}`,
  session: `session-${number}`,
})

/** Waits until a proxy of the data surface answers. */
export async function isUp(port: number): Promise<void> {
  while (
    !await fetch(`http://127.0.0.1:${port}/data/`, { method: 'OPTIONS' }).then(
      ({ ok }) => ok,
      () => false,
    )
  ) await sleep(50)
}

/** @param prepare stores the data of the benchmark */
export async function benchStack(
  prepare: (owner: pg.Client) => Promise<void>,
): Promise<BenchStack> {
  const resources = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'finance-bench-'))
  resources.defer(() => rm(directory, { recursive: true, force: true }))
  await chmod(directory, 0o755)
  const server = await startPostgres({ directory, password: 'owner-of-the-bench' })
  resources.defer(() => server.stop())
  await migrate({
    databaseUrl: server.url,
    publicUrl,
    authServicePassword,
    authenticatorPassword: 'authenticator',
  })
  const owner = new pg.Client({ connectionString: server.url })
  await owner.connect()
  resources.defer(() => owner.end())
  await prepare(owner)
  const { sign, kid, publicKey } = await tokenSigner(owner, publicUrl)
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity })
  resources.defer(() => agent.destroy())

  const tokenOf = ({ user, session, organization, role = 'owner' }: DatasetCaller) =>
    sign({
      id: user,
      email: `${user}@example.org`,
      sessionId: session,
      ...(organization === undefined ? {} : { organization: { id: organization, role } }),
    })

  const start = async (env: Record<string, string>): Promise<number> => {
    const port = await freePort()
    const child = await startPostgrest({
      host: '127.0.0.1',
      port,
      env: { ...postgrestConnection(server.url, 'authenticator'), ...env },
      log: () => undefined,
    })
    resources.defer(() => child.stop())
    return port
  }

  const askAt: BenchStack['askAt'] = (port, prefix = '') => async (who) => {
    const authorization = who === undefined ? {} : { authorization: `Bearer ${await tokenOf(who)}` }
    return (path, body, further = {}) =>
      new Promise((resolve, reject) => {
        const started = performance.now()
        const headers = {
          ...authorization,
          ...further,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        }
        request({
          host: '127.0.0.1',
          port,
          path: prefix + path,
          agent,
          headers,
          method: body === undefined ? 'GET' : 'POST',
        }, (response) => {
          response.resume().on('end', () =>
            resolve({ status: response.statusCode ?? 0, ms: performance.now() - started }))
        }).on('error', reject).end(body === undefined ? undefined : JSON.stringify(body))
      })
  }
  /** Serves the public key at every path. @returns its port */
  const serveKeys = async (): Promise<number> => {
    const keys = [{ ...await exportJWK(publicKey), kid, alg: 'RS256' }]
    const keyServer = createServer((_, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(
        JSON.stringify({ keys }),
      )
    )
    keyServer.listen(0, '127.0.0.1')
    await once(keyServer, 'listening')
    resources.defer(() => void keyServer.close())
    return (keyServer.address() as AddressInfo).port
  }

  return {
    owner,
    url: server.url,
    publicUrl,
    authServicePassword,
    dataSurface: async () => {
      const readyPort = await freePort()
      return {
        port: await start({ PGRST_ADMIN_SERVER_PORT: String(readyPort) }),
        readyPort,
        tokenOf,
      }
    },
    edge: async ({ port: postgrest, readyPort }) => {
      const [port, adminPort, keysPort] = [await freePort(), await freePort(), await serveKeys()]
      const child = spawn(process.execPath, ['edge/main.ts'], {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: {
          ...process.env,
          PORT: String(port),
          EDGE_ADMIN_PORT: String(adminPort),
          AUTH_UPSTREAM: `http://127.0.0.1:${keysPort}`,
          POSTGREST_UPSTREAM: `http://127.0.0.1:${postgrest}`,
          POSTGREST_READY_PORT: String(readyPort),
          APP_DIR: 'none',
        },
      })
      resources.defer(() => void child.kill())
      await isUp(port)
      return port
    },
    askAt,
    postgrest: async (env = {}) => askAt(await start(env)),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Returns a quantile; `part` 0.5 is the median. NaN without values. */
export const quantile = (values: number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ??
    Number.NaN
