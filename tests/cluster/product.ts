/**
 * Starts the product in front of a cluster: two each of the auth service, realtime, PostgREST and
 * the edge, all with one address of the database.
 */
import pg from 'pg'
import { migrate } from '../../db/migrate.ts'
import { postgrestConnection } from '../../start/environment.ts'
import { freePort } from '../../start/ports.ts'
import { startPostgrest } from '../../start/postgrest.ts'
import { startEdgeProcess, type EdgeProcess } from '../edge/process.ts'
import { connection, execute, passwords, publicUrl, secret } from '../support/database.ts'
import { mailSink, type MailSink } from '../support/mail-sink.ts'
import { serviceProcess } from '../support/service-process.ts'

export type Product = AsyncDisposable & {
  edges: [EdgeProcess, EdgeProcess]
  mail: MailSink
  /** Connections of the owner, which the cluster may end. */
  sql: pg.Pool
  /** Returns the names of the processes that have ended by themselves. */
  ended: () => string[]
}

/** @param serverUrl the superuser's URL of the cluster */
export async function startProduct(serverUrl: string): Promise<Product> {
  await using starting = new AsyncDisposableStack()
  await execute(serverUrl, 'create database finance')
  const ownerUrl = connection(serverUrl, { database: 'finance' })
  await migrate({
    databaseUrl: ownerUrl,
    publicUrl,
    authServicePassword: passwords.authService,
    authenticatorPassword: passwords.authenticator,
  })
  const mail = await mailSink()
  starting.defer(() => mail.close())
  const sql = new pg.Pool({ connectionString: ownerUrl, max: 6 })
  sql.on('error', () => undefined)
  sql.on('connect', (client) => client.on('error', () => undefined))
  starting.defer(() => sql.end())
  const running: { name: string, isRunning: () => boolean }[] = []
  const service = async (name: string, program: string, env: Record<string, string> = {}) => {
    const started = starting.use(
      await serviceProcess(program, { publicUrl, secret, ownerUrl }, {
        TRUSTED_PROXIES: '127.0.0.1',
        RATE_LIMIT_ENABLED: 'false',
        ...env,
      }),
    )
    await started.start()
    running.push({ name, isRunning: started.isRunning })
    return started.url
  }
  const readyPort = await freePort()
  const postgrest = async (host: string) => {
    const port = await freePort()
    const child = await startPostgrest({
      host,
      port,
      env: {
        ...postgrestConnection(ownerUrl, passwords.authenticator),
        PGRST_ADMIN_SERVER_PORT: String(readyPort),
      },
      log: () => undefined,
    })
    starting.defer(() => child.stop().then(() => undefined))
    running.push({ name: 'PostgREST', isRunning: () => !child.hasExited() })
    return `http://${host}:${port}`
  }
  const mails = {
    RESEND_API_KEY: 'key',
    RESEND_BASE_URL: mail.url,
    MAIL_FROM: 'Money <money@example.org>',
    AUTH_SERVES_REALTIME: 'false',
  }
  const auth = [
    await service('auth', 'auth/main.ts', mails),
    await service('auth', 'auth/main.ts', mails),
  ]
  const realtime = [
    await service('realtime', 'tests/support/realtime-worker.ts'),
    await service('realtime', 'tests/support/realtime-worker.ts'),
  ]
  // both report at one port that they are ready, so each has its own address
  const data = [await postgrest('127.0.0.1'), await postgrest('127.0.0.2')]
  const edge = async () => {
    const started = starting.use(
      await startEdgeProcess({
        AUTH_UPSTREAM: auth.join(' '),
        REALTIME_UPSTREAM: realtime.join(' '),
        POSTGREST_UPSTREAM: data.join(' '),
        POSTGREST_READY_PORT: String(readyPort),
        EDGE_REPLICAS: '2',
        TRUSTED_PROXIES: '127.0.0.1',
      }),
    )
    let isRunning = true
    void started.ended.finally(() => {
      isRunning = false
    })
    running.push({ name: 'edge', isRunning: () => isRunning })
    return started
  }
  const edges: [EdgeProcess, EdgeProcess] = [await edge(), await edge()]
  const all = starting.move()
  return {
    edges,
    mail,
    sql,
    ended: () => running.filter(({ isRunning }) => !isRunning()).map(({ name }) => name),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}
