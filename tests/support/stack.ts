/** The running product for one test file or one test: a database of its own, and what the test asks for of all the rest. */
import pg from 'pg'
import { startAuth, type Service, type Witnesses } from '../../auth/main.ts'
import { authConfig } from '../../auth/config.ts'
import { readSettings } from '../../common/settings.ts'
import { createLog } from '../../auth/log.ts'
import { localEdge } from '../../edge/local.ts'
import { additions, withMailbox } from '../../infra/local/dev-server.ts'
import { mailbox } from '../../infra/local/mailbox.ts'
import { postgrestConnection } from '../../infra/local/environment.ts'
import { freePort } from '../../infra/local/ports.ts'
import { startPostgrest } from '../../infra/local/postgrest.ts'
import { freshDatabase, passwords } from './database.ts'
import { mailSink, type MailSink } from './mail-sink.ts'
import { program } from './postgrest-versions.ts'

export type Stack = AsyncDisposable & {
  /** base_url of the auth service, with the edge around it when PostgREST is there. */
  url: string
  /** PUBLIC_URL: `url`, unless a test says another. */
  publicUrl: string
  /** BETTER_AUTH_SECRET */
  secret: string
  /** data_url, when asked for. */
  dataUrl: string
  /** PostgREST's process, which has a number only where it is no container. */
  dataPid: () => number
  /** The owner's connection, to look at and prepare what no surface offers. */
  sql: pg.Pool
  ownerUrl: string
  mail: MailSink
  /** Every line the services logged. */
  logged: string[]
  /** Stops both services, as a restart does. @returns what starts them again, where they were */
  stop: () => Promise<() => Promise<void>>
  /** Starts one more auth service on the same database. @returns its base_url, with its own port */
  another: () => Promise<string>
  /** Starts one more PostgREST on the same database. */
  anotherData: () => Promise<{ url: string, stop: () => Promise<void> }>
  /** What `await using` does at the end of a block, for `afterAll`. */
  close: () => Promise<void>
}

export type StackOptions = {
  /** Variables of the run contract, on top of those every test needs. */
  env?: Record<string, string>
  /** Whether the auth service is started; it is unless told. */
  auth?: boolean
  /** Whether PostgREST is started; it is not unless told. */
  data?: boolean
  /** Whether /mail and what `npm start` has at / are there; mail is then not sent. It is not unless told. */
  local?: boolean
  /** What PostgREST is told beside its connection. */
  dataEnv?: Record<string, string>
  /** What is stored before anything runs on the database. */
  prepare?: (owner: pg.Pool) => Promise<void>
  /** How long a superseded key goes on verifying, in seconds. */
  retireAfterSeconds?: number
  /** Between two looks for what people are to be told by mail, in milliseconds. */
  noticePauseMs?: number
} & Parameters<typeof freshDatabase>[0]

const defaultSecret = 'a secret of the tests, long enough'

/** Starts the stack. Rate limits are off unless a test asks for them. */
export async function startStack(
  { env = {}, auth = true, data = false, local = false, dataEnv = {}, prepare = () => Promise.resolve(), retireAfterSeconds, noticePauseMs, ...origin }:
    StackOptions = {},
): Promise<Stack> {
  await using starting = new AsyncDisposableStack()
  const database = await freshDatabase(origin)
  starting.defer(database.drop)
  const mail = await mailSink()
  starting.defer(() => mail.close())
  const sql = new pg.Pool({ connectionString: database.ownerUrl, max: 5 })
  // dropping the database at the end ends its sessions
  sql.on('error', () => undefined)
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
  const startService = async (at: number) => {
    const settings = readSettings({
      PUBLIC_URL: `http://localhost:${port}`,
      AUTH_DATABASE_URL: database.authUrl,
      BETTER_AUTH_SECRET: defaultSecret,
      RATE_LIMIT_ENABLED: 'false',
      RESEND_API_KEY: local ? '' : 'key',
      RESEND_BASE_URL: mail.url,
      MAIL_FROM: 'Money <money@example.org>',
      ...env,
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
        noticePauseMs,
        ...(mails !== undefined &&
          { onUnsentMail: mails.add, additions: additions(settings, mails), around: ({ listener }: Service) => withMailbox(listener, mails) }),
        ...(data &&
          {
            around: (service: Service, witnesses: Witnesses) => localEdge(service, witnesses, { ...settings, postgrestUrl: `http://127.0.0.1:${dataPort}` }),
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
    secret: env['BETTER_AUTH_SECRET'] ?? defaultSecret,
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
    another: async () => {
      const at = await freePort()
      await startService(at)
      return `http://127.0.0.1:${at}`
    },
    anotherData: async () => {
      const at = await freePort()
      const child = await startData(at)
      return { url: `http://127.0.0.1:${at}`, stop: () => child.stop().then(() => undefined) }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
