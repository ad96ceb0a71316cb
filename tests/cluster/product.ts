/**
 * Starts the product in front of a cluster: two each of the auth service, realtime, PostgREST and
 * the edge, all with one address of the database.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { migrate } from '../../db/migrate.ts'
import { authDatabaseUrl, postgrestConnection } from '../../start/environment.ts'
import { freePort } from '../../start/ports.ts'
import { startPostgrest } from '../../start/postgrest.ts'
import { startEdgeProcess, type EdgeProcess } from '../edge/process.ts'
import { connection, execute, passwords, secret } from '../support/database.ts'
import { answers, until } from './cluster.ts'
import { mailSink, type MailSink } from '../support/mail-sink.ts'

export type Product = AsyncDisposable & {
  edges: [EdgeProcess, EdgeProcess]
  publicUrl: string
  secret: string
  mail: MailSink
  /** Connections of the owner, which the cluster may end. */
  sql: pg.Pool
  /** The URL of the database for the auth service. */
  authUrl: string
  /** The names of all processes that have ended by themselves. */
  ended: string[]
}

/** @param serverUrl the superuser's URL of the cluster */
export async function startProduct(serverUrl: string): Promise<Product> {
  await using starting = new AsyncDisposableStack()
  await execute(serverUrl, 'create database finance')
  const databaseUrl = connection(serverUrl, { database: 'finance' })
  const readyPort = await freePort()
  const publicUrl = 'http://localhost:3000'
  await migrate({
    databaseUrl,
    publicUrl,
    authServicePassword: passwords.authService,
    authenticatorPassword: passwords.authenticator,
  })
  const mail = await mailSink()
  starting.defer(() => mail.close())
  const sql = new pg.Pool({ connectionString: databaseUrl, max: 6 })
  sql.on('error', () => undefined)
  sql.on('connect', (client) => client.on('error', () => undefined))
  starting.defer(() => sql.end())
  const authUrl = authDatabaseUrl(databaseUrl, passwords.authService)
  const ended: string[] = []
  let isStopping = false

  const service = async (name: string, program: string, env: Record<string, string>) => {
    const port = await freePort()
    const child = spawn(process.execPath, [fileURLToPath(new URL(program, import.meta.url))], {
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        PUBLIC_URL: publicUrl,
        PORT: String(port),
        AUTH_DATABASE_URL: authUrl,
        BETTER_AUTH_SECRET: secret,
        TRUSTED_PROXIES: '127.0.0.1',
        RATE_LIMIT_ENABLED: 'false',
        LOG_LEVEL: 'error',
        ...env,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const exited = once(child, 'exit').then(() => isStopping || ended.push(name))
    starting.defer(async () => {
      child.kill('SIGKILL')
      await exited
    })
    const url = `http://127.0.0.1:${port}`
    await until(`ready ${name}`, () => answers(`${url}/readyz`))
    return url
  }
  const postgrest = async (host: string) => {
    const port = await freePort()
    const child = await startPostgrest({
      host,
      port,
      env: {
        ...postgrestConnection(databaseUrl, passwords.authenticator),
        PGRST_ADMIN_SERVER_PORT: String(readyPort),
      },
      log: () => undefined,
    })
    starting.defer(() => child.stop().then(() => undefined))
    return `http://${host}:${port}`
  }
  const mails = {
    RESEND_API_KEY: 'key',
    RESEND_BASE_URL: mail.url,
    MAIL_FROM: 'Money <money@example.org>',
    AUTH_SERVES_REALTIME: 'false',
  }
  const auth = [
    await service('auth', '../../auth/main.ts', mails),
    await service('auth', '../../auth/main.ts', mails),
  ]
  const realtime = [
    await service('realtime', '../support/realtime-worker.ts', {}),
    await service('realtime', '../support/realtime-worker.ts', {}),
  ]
  // both report at one port that they are ready, so each has its own address
  const data = [await postgrest('127.0.0.1'), await postgrest('127.0.0.2')]
  const edge = () =>
    startEdgeProcess({
      AUTH_UPSTREAM: auth.join(' '),
      REALTIME_UPSTREAM: realtime.join(' '),
      POSTGREST_UPSTREAM: data.join(' '),
      POSTGREST_READY_PORT: String(readyPort),
      EDGE_REPLICAS: '2',
      TRUSTED_PROXIES: '127.0.0.1',
    })
  const edges: [EdgeProcess, EdgeProcess] = [await edge(), await edge()]
  for (const one of edges) {
    starting.use(one)
    void one.ended.then(() => isStopping || ended.push('edge'))
  }
  const all = starting.move()
  return {
    edges,
    publicUrl,
    secret,
    mail,
    sql,
    authUrl,
    ended,
    [Symbol.asyncDispose]: () => {
      isStopping = true
      return all.disposeAsync()
    },
  }
}
