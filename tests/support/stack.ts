/** The running product for one test file: a database of its own, the auth service, a mail sink, and PostgREST on request. */
import pg from 'pg'
import { startAuth, type Fetch } from '../../auth/main.ts'
import { authConfig } from '../../auth/config.ts'
import { readSettings } from '../../infra/shared/settings.ts'
import { createLog } from '../../auth/log.ts'
import { edge } from '../../infra/local/edge.ts'
import { postgrestConnection } from '../../infra/local/environment.ts'
import { freePort } from '../../infra/local/ports.ts'
import { startPostgrest } from '../../infra/local/postgrest.ts'
import { freshDatabase, passwords } from './database.ts'
import { mailSink, type MailSink } from './mail-sink.ts'

export type Stack = {
  /** base_url of the auth service, with the edge around it when PostgREST is there. */
  url: string
  /** data_url, when asked for. */
  dataUrl: string
  /** PostgREST's process, which has a number only where it is no container. */
  dataPid: () => number
  /** The owner's connection, to look at and prepare what no surface offers. */
  sql: pg.Pool
  ownerUrl: string
  mail: MailSink
  /** Every line the auth service logged. */
  logged: string[]
  /** Starts one more auth service on the same database. @returns its base_url, with its own port */
  another: () => Promise<string>
  /** Starts one more PostgREST on the same database. */
  anotherData: () => Promise<{ url: string, stop: () => Promise<void> }>
  close(): Promise<void>
}

type StackOptions = {
  /** Variables of the run contract, on top of those every test needs. */
  env?: Record<string, string>
  /** Whether PostgREST is started too. */
  data?: boolean
  /** How long a superseded key goes on verifying, in seconds. */
  retireAfterSeconds?: number
}

/** Starts the stack. Rate limits are off unless a test asks for them. */
export async function startStack({ env = {}, data = false, ...tuning }: StackOptions = {}): Promise<Stack> {
  const database = await freshDatabase()
  const sql = new pg.Pool({ connectionString: database.ownerUrl, max: 5 })
  // dropping the database at the end ends its sessions
  sql.on('error', () => undefined)
  const mail = await mailSink()
  const logged: string[] = []
  const log = createLog('debug', { write: (line: string) => { logged.push(line) } })
  const [port, dataPort] = [await freePort(), await freePort()]
  const publicUrl = env['PUBLIC_URL'] ?? `http://localhost:${port}`
  await sql.query('update private.settings set public_url = $1', [publicUrl])
  const settings = (at: number) => readSettings({
    PUBLIC_URL: publicUrl, AUTH_DATABASE_URL: database.authUrl, BETTER_AUTH_SECRET: 'a secret of the tests, long enough',
    RATE_LIMIT_ENABLED: 'false', RESEND_API_KEY: 'key', RESEND_BASE_URL: mail.url, MAIL_FROM: 'Money <money@example.org>',
    ...env, PORT: String(at), DATA_PORT: String(dataPort),
  })
  const start = (at: number) => {
    const { DATA_BODY_LIMIT: bodyLimit, TRUSTED_PROXIES: trustedProxies } = settings(at)
    const around = { around: (app: Fetch) => edge(app, { url: `http://127.0.0.1:${dataPort}`, bodyLimit, trustedProxies }) }
    return startAuth(authConfig(settings(at)), log, { ...tuning, ...(data && around) })
  }
  const stops = [await start(port)]
  const startData = (at: number) => startPostgrest({
    host: '127.0.0.1', port: at, env: postgrestConnection(database.ownerUrl, passwords.authenticator), log: (line) => { logged.push(line) },
  })
  const dataProcesses = data ? [await startData(dataPort)] : []
  return {
    url: `http://127.0.0.1:${port}`, dataUrl: `http://127.0.0.1:${dataPort}`, dataPid: () => dataProcesses[0]?.process.pid ?? 0, sql, ownerUrl: database.ownerUrl, mail, logged,
    another: async () => {
      const at = await freePort()
      stops.push(await start(at))
      return `http://127.0.0.1:${at}`
    },
    anotherData: async () => {
      const at = await freePort()
      const child = await startData(at)
      dataProcesses.push(child)
      return { url: `http://127.0.0.1:${at}`, stop: () => child.stop().then(() => undefined) }
    },
    close: async () => {
      await Promise.all(stops.map((stop) => stop()))
      await Promise.all(dataProcesses.map((child) => child.stop()))
      await sql.end()
      await mail.close()
      await database.drop()
    },
  }
}
