/**
 * `npm start`: runs the database, its migrations, PostgREST and the auth service in the foreground.
 * This process starts them in that order. On Ctrl-C, on SIGTERM or if one of them exits, it stops
 * them in reverse order. `npm run dev` adds `--watch`: edits of the services and below db/ take
 * effect without a restart.
 */
import { once } from 'node:events'
import { watch } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { authConfig, type MailTransport } from '../auth/config.ts'
import { checkSecret } from '../auth/keys/signing-keys.ts'
import { migrate, type MigrateOptions } from '../db/migrate.ts'
import { configError, oneLine } from '../common/errors.ts'
import { fileLimitsOf, readSecretFiles, readSettings, type Settings } from '../common/settings.ts'
import { needApp, policyOfApp } from '../edge/app-files.ts'
import { startAuth } from './auth.ts'
import type { Child } from './child-process.ts'
import { checkDatabase } from './database.ts'
import { edgeUrl } from './dev-server.ts'
import { authEnvironment, postgrestEnvironment } from './environment.ts'
import { reportFloors, serviceNode } from './floors.ts'
import { mayShowMails } from './mailbox.ts'
import { needFreePort } from './ports.ts'
import { referenceApp } from './reference-app.ts'
import { findPostgres } from './find-postgres.ts'
import { startPostgres } from './postgres.ts'
import { startPostgrest } from './postgrest.ts'
import { describeProgram, findPostgrest, type Program } from './find-postgrest.ts'
import { makeDataDirectory, readSecrets, type Secrets } from './secrets.ts'

const isWatching = process.argv.includes('--watch')

const checkout = join(import.meta.dirname, '..')

/** Running processes, in shutdown order. */
type Running = Child[]

/**
 * Returns the timeout of the connection: a start with a wrong setting must end within 5 s, minus
 * one second as a margin.
 */
const connectTimeoutMs = () => Math.max(1000, 4000 - process.uptime() * 1000)

/**
 * Checks settings, ports and database before anything starts. Returns the mail transport. @throws
 * ConfigError
 */
async function check(
  settings: Settings,
  secrets: Secrets,
  env: NodeJS.ProcessEnv,
): Promise<MailTransport> {
  if (settings.DATABASE_URL === undefined && settings.AUTH_DATABASE_URL !== undefined) {
    throw configError(
      'AUTH_DATABASE_URL is set and DATABASE_URL is not. Set both to use your own server, or neither.',
    )
  }
  const databaseUrl = settings.DATABASE_URL ?? 'postgresql://localhost'
  const { mail } = authConfig(readSettings(authEnvironment(settings, secrets, databaseUrl, env)))
  if (settings.APP_DIR !== undefined) await needApp(settings.APP_DIR)
  await needFreePort('PORT', settings.HOST, settings.PORT)
  await needFreePort('DATA_PORT', settings.HOST, settings.DATA_PORT)
  if (settings.DATABASE_URL !== undefined)
    await checkDatabase(settings.DATABASE_URL, { patienceMs: 0, timeoutMs: connectTimeoutMs() })
  return mail.transport
}

/** Starts a database unless DATABASE_URL is set. Returns the owner's connection. */
async function startDatabase(
  settings: Settings,
  secrets: Secrets,
  running: Running,
  signal: AbortSignal,
): Promise<string> {
  if (settings.DATABASE_URL !== undefined) return settings.DATABASE_URL
  const directory = await makeDataDirectory(settings)
  const programs = await findPostgres(settings, directory)
  const server = await startPostgres({
    directory,
    password: secrets.ownerPassword,
    programs,
    signal,
  })
  running.unshift(server)
  console.log(`db    PostgreSQL ${programs.version}, ${programs.where}`)
  return server.url
}

/**
 * Delay after the first change of a file, in milliseconds, because an editor may write a file in
 * several steps.
 */
const settleMs = 100

/**
 * Calls `apply` after each change of an SQL file below db/, one call at a time, until the signal
 * aborts.
 * @param apply must not reject
 */
async function onSqlChange(apply: () => Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    for await (const { filename } of watch(join(checkout, 'db'), { recursive: true, signal })) {
      if (filename?.endsWith('.sql') !== true) continue
      await sleep(settleMs, undefined, { signal })
      await apply()
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** Returns the settings with the reference app, in the folder of its build. */
const withApp = async (settings: Settings, env: NodeJS.ProcessEnv, app: string) =>
  readSettings({
    APP_CSP: await policyOfApp(app, settings.FILES_URL),
    ...env,
    APP_DIR: app,
  })

/** Returns the options of the migration. */
const migrationOf = (
  settings: Settings,
  secrets: Secrets,
  databaseUrl: string,
): MigrateOptions => ({
  databaseUrl,
  publicUrl: settings.PUBLIC_URL,
  authServicePassword: secrets.logins.authService,
  authenticatorPassword: secrets.logins.authenticator,
  fileLimits: fileLimitsOf(settings),
  beforeMigrating: (client) => checkSecret(client, secrets.betterAuthSecret),
})

/** Reports the programs below their floors. */
async function reportPrograms(
  settings: Settings,
  databaseUrl: string,
  program: Program,
): Promise<void> {
  // An old Node is no risk here: no service decompresses what other servers send. The embedded
  // PostgreSQL runs if this machine has none at its floor, and npm has no newer one. `admin status`
  // names both.
  const isOwnServer = settings.DATABASE_URL !== undefined ||
    ![undefined, 'embedded'].includes(settings.POSTGRES_BIN)
  await reportFloors(databaseUrl, {
    postgrest: program.version,
    ...!isOwnServer && { postgresql: null },
  })
}

/** Prints the addresses. */
function printAddresses(settings: Settings, program: Program, mail: MailTransport): void {
  if (settings.APP_DIR !== undefined) console.log(`app   ${settings.PUBLIC_URL}`)
  console.log(`auth  ${settings.PUBLIC_URL}/api/auth`)
  console.log(`data  ${settings.DATA_URL}`)
  const edge = edgeUrl(settings)
  if (edge !== undefined) console.log(`edge  ${edge}`)
  console.log(`rest  ${describeProgram(program)}`)
  if (mail.kind === 'log') {
    const mailbox = mayShowMails(settings) ? `is shown at ${settings.PUBLIC_URL}/mail and ` : ''
    console.log(`mail  ${mailbox}is written to this log; set RESEND_API_KEY or SMTP_URL to send it`)
  }
}

/** Starts everything and prints the addresses. */
async function startAll(running: Running, signal: AbortSignal): Promise<void> {
  // each child receives the secrets that it needs, and no path of a secret file
  const env = readSecretFiles(process.env)
  let settings = readSettings(env)
  const secrets = await readSecrets(settings)
  const mail = await check(settings, secrets, env)
  signal.throwIfAborted()
  const program = await findPostgrest(settings, console.log)
  signal.throwIfAborted()

  // the build runs in parallel with the other starts, which take about as long
  const building = settings.wantsReferenceApp
    ? referenceApp(checkout, console.log, signal)
    : undefined
  const databaseUrl = await startDatabase(settings, secrets, running, signal)
  signal.throwIfAborted()
  const migration = migrationOf(settings, secrets, databaseUrl)
  // a migration cannot be cancelled; when this process exits, the server rolls it back
  await Promise.race([migrate(migration), once(signal, 'abort')])
  signal.throwIfAborted()

  const log = console.error
  running.unshift(
    await startPostgrest({
      program,
      host: settings.HOST,
      port: settings.DATA_PORT,
      env: postgrestEnvironment(settings, secrets, databaseUrl, env),
      log,
      signal,
    }),
  )
  const node = await serviceNode()
  await reportPrograms(settings, databaseUrl, program)
  const app = await building
  if (app !== undefined) settings = await withApp(settings, env, app)
  signal.throwIfAborted()
  running.unshift(
    await startAuth({
      node: node.command,
      host: settings.HOST,
      port: settings.PORT,
      env: authEnvironment(settings, secrets, databaseUrl, env),
      log,
      watch: isWatching,
      signal,
    }),
  )
  signal.throwIfAborted()
  // print the error of an edit and continue, because the next edit may fix it
  if (isWatching)
    void onSqlChange(
      () =>
        migrate({ ...migration, log: console.log }).catch((error: unknown) =>
          console.error(oneLine(error))
        ),
      signal,
    )
  printAddresses(settings, program, mail)
}

/** Aborts `stopping` on a signal. A second signal forces the stop. */
function stopOnSignal(stopping: AbortController, running: Running): void {
  let firstSignalAt = 0
  const onSignal = () => {
    // one Ctrl-C arrives twice: the terminal sends it to this process and to npm, which forwards it
    if (stopping.signal.aborted && Date.now() - firstSignalAt > 500)
      running.forEach((child) => child.force())
    if (!stopping.signal.aborted) firstSignalAt = Date.now()
    stopping.abort()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)
  // the reader of standard output has closed it, as in `npm start | head`
  process.stdout.on('error', () => stopping.abort())
  // npm forwards signals but not its own SIGKILL; without this check the terminal could no longer
  // stop this process
  const parent = process.ppid
  if (process.env['npm_lifecycle_event'] !== undefined) {
    setInterval(() => process.ppid !== parent && stopping.abort(), 1000).unref()
  }
}

const stopping = new AbortController()
const running: Running = []
stopOnSignal(stopping, running)
try {
  await startAll(running, stopping.signal).catch((error: unknown) => {
    throw new Error(`Cannot start: ${oneLine(error)}`, { cause: error })
  })
  const ended = running.map(async (child) => {
    throw new Error(`${child.name} ${await child.exited}; everything else is stopped too.`)
  })
  await Promise.race([once(stopping.signal, 'abort'), ...ended])
} catch (error) {
  if (!stopping.signal.aborted) {
    console.error(oneLine(error))
    process.exitCode = 1
  }
}
for (const child of running) await child.stop()
process.exit()
