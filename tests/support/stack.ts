/**
 * Starts the product for a test file or a test: a new database, and the services that the options
 * select.
 */
import pg from 'pg'
import { startAuth } from '../../auth/main.ts'
import type { Observers, Service } from '../../common/service.ts'
import type { Receivers } from '../../realtime/webhooks/sender.ts'
import { authConfig } from '../../auth/config.ts'
import { readSettings } from '../../common/settings.ts'
import { createLog } from '../../common/log.ts'
import { localEdge } from '../../edge/local.ts'
import { additions, withMailbox } from '../../start/dev-server.ts'
import { mailbox } from '../../start/mailbox.ts'
import { postgrestConnection } from '../../start/environment.ts'
import { freePort } from '../../start/ports.ts'
import { startPostgrest } from '../../start/postgrest.ts'
import { freshDatabase, passwords, secret, startedDatabase, templateDatabase } from './database.ts'
import { mailSink, type MailSink } from './mail-sink.ts'
import { program } from './postgrest-versions.ts'
import { rememberHashes } from './remember-hashes.ts'

export type Stack = AsyncDisposable & {
  /** URL of the auth service. If PostgREST runs, the edge serves both surfaces here. */
  url: string
  /** PUBLIC_URL of the auth service. */
  publicUrl: string
  /** BETTER_AUTH_SECRET */
  secret: string
  /** URL of PostgREST, if it runs. */
  dataUrl: string
  /** Returns PostgREST's process id, or 0 if it runs in a container. */
  dataPid: () => number
  /** Connections of the database owner, for preparations and checks beyond the two surfaces. */
  sql: pg.Pool
  ownerUrl: string
  mail: MailSink
  /** All log lines of the services. */
  logged: string[]
  /** Stops both services. @returns a function that starts them again on the same ports */
  stop: () => Promise<() => Promise<void>>
  /**
   * Starts another auth service on the same database. @param more settings in addition @returns its
   * URL
   */
  startAnotherAuth: (more?: Record<string, string>) => Promise<string>
  /** Starts another PostgREST on the same database. */
  startAnotherPostgrest: () => Promise<{ url: string, stop: () => Promise<void> }>
  /** Stops everything, like the end of `await using`; for `afterAll`. */
  close: () => Promise<void>
}

export type StackOptions = {
  /** Settings in addition to those of every test. */
  env?: Record<string, string>
  /** Whether to start the auth service. Default: true. */
  auth?: boolean
  /** Whether to start PostgREST. Default: false. */
  data?: boolean
  /**
   * Whether to serve the mailbox and the pages of `npm start` instead of sending mail. Default:
   * false.
   */
  local?: boolean
  /** Additional settings of PostgREST. */
  dataEnv?: Record<string, string>
  /** Prepares the database before the services start. */
  prepare?: (owner: pg.Pool) => Promise<void>
  /** The time for which a replaced signing key stays published, in seconds. */
  retireAfterSeconds?: number
  /** Pause between two rounds of webhooks, in milliseconds. */
  webhookPauseMs?: number
  /** The servers that may receive webhooks. Default: as in production. */
  receivers?: Receivers
  /** Whether to hash each password once. Default: true. */
  hashesOnce?: boolean
} & Parameters<typeof freshDatabase>[0]

/** Starts the stack. Rate limits are off by default. */
export async function startStack(
  {
    env = {},
    auth = true,
    data = false,
    local = false,
    dataEnv = {},
    prepare = () => Promise.resolve(),
    retireAfterSeconds,
    webhookPauseMs,
    receivers,
    hashesOnce = true,
    ...origin
  }: StackOptions = {},
): Promise<Stack> {
  await using starting = new AsyncDisposableStack()
  const database = await freshDatabase({
    template: auth ? startedDatabase : templateDatabase,
    ...origin,
  })
  starting.defer(database.drop)
  const mail = await mailSink()
  starting.defer(() => mail.close())
  const sql = new pg.Pool({ connectionString: database.ownerUrl, max: 5 })
  // Dropping the database at the end closes these connections.
  sql.on('error', () => undefined)
  // so does a connection that the pool has already begun to close
  sql.on('connect', (client) => client.on('error', () => undefined))
  starting.defer(() => sql.end())
  const logged: string[] = []
  const [port, dataPort] = [await freePort(), await freePort()]

  const startData = async (at: number) => {
    const child = await startPostgrest({
      program,
      host: '127.0.0.1',
      port: at,
      env: { ...postgrestConnection(database.ownerUrl, passwords.authenticator), ...dataEnv },
      log: (line) => {
        logged.push(line)
      },
    })
    running.defer(() => child.stop().then(() => undefined))
    return child
  }
  const startService = async (at: number, more: Record<string, string> = {}) => {
    const settings = readSettings({
      PUBLIC_URL: `http://localhost:${port}`,
      AUTH_DATABASE_URL: database.authUrl,
      BETTER_AUTH_SECRET: secret,
      RATE_LIMIT_ENABLED: 'false',
      RESEND_API_KEY: local ? '' : 'key',
      RESEND_BASE_URL: mail.url,
      MAIL_FROM: 'Money <money@example.org>',
      ...env,
      ...more,
      PORT: String(at),
      DATA_PORT: String(dataPort),
    })
    await sql.query('update private.settings set public_url = $1', [settings.PUBLIC_URL])
    const mails = local ? mailbox(settings) : undefined
    const end = await startAuth(
      authConfig(settings),
      createLog('debug', {
        write: (line: string) => {
          logged.push(line)
        },
      }),
      {
        ...(retireAfterSeconds !== undefined && { retireAfterSeconds }),
        webhookPauseMs,
        receivers,
        ...(hashesOnce && { wrapPasswords: rememberHashes }),
        ...(mails !== undefined &&
          {
            onUnsentMail: mails.add,
            additions: additions(settings, mails),
            wrapListener: ({ listener }: Service) => withMailbox(listener, mails),
          }),
        ...(data &&
          {
            wrapListener: (service: Service, observers: Observers) =>
              localEdge(service, observers, {
                ...settings,
                postgrestUrl: `http://127.0.0.1:${dataPort}`,
              }),
          }),
      },
    )
    running.defer(end)
    return end
  }
  const running = starting.use(new AsyncDisposableStack())
  await prepare(sql)
  let endAuth = auth ? await startService(port) : undefined
  let postgrest = data ? await startData(dataPort) : undefined

  const all = starting.move()
  const close = () => all.disposeAsync()
  return {
    url: `http://127.0.0.1:${port}`,
    publicUrl: env['PUBLIC_URL'] ?? `http://localhost:${port}`,
    secret: env['BETTER_AUTH_SECRET'] ?? secret,
    dataUrl: `http://127.0.0.1:${dataPort}`,
    dataPid: () => postgrest?.process.pid ?? 0,
    sql,
    ownerUrl: database.ownerUrl,
    mail,
    logged,
    stop: async () => {
      await endAuth?.()
      await postgrest?.stop()
      return async () => {
        postgrest = data ? await startData(dataPort) : undefined
        endAuth = auth ? await startService(port) : undefined
      }
    },
    startAnotherAuth: async (more) => {
      const at = await freePort()
      await startService(at, more)
      return `http://127.0.0.1:${at}`
    },
    startAnotherPostgrest: async () => {
      const at = await freePort()
      const child = await startData(at)
      return { url: `http://127.0.0.1:${at}`, stop: () => child.stop().then(() => undefined) }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
