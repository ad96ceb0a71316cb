/**
 * `npm start`: the database, its migrations, PostgREST and the auth service, in the foreground. This process starts them
 * in that order and, on Ctrl-C, SIGTERM or the end of any of them, stops them in the opposite one. `npm run dev` is the
 * same with `--watch`: what is edited below auth/ and db/ takes effect without a new start.
 */
import { once } from 'node:events'
import { watch } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { authConfig, type MailTransport } from '../../auth/config.ts'
import { checkSecret } from '../../auth/keys/signing-keys.ts'
import { migrate, type MigrateOptions } from '../../db/migrate.ts'
import { configError, oneLine } from '../../common/errors.ts'
import { readSecretFiles, readSettings, type Settings } from '../../common/settings.ts'
import { needApp, policyOfApp } from '../../edge/app-files.ts'
import { startAuth } from './auth.ts'
import type { Child } from './child.ts'
import { checkDatabase } from './database.ts'
import { edgeUrl } from './front.ts'
import { authEnvironment, postgrestEnvironment } from './environment.ts'
import { reportFloors, serviceNode } from './floors.ts'
import { mayShowMails } from './mailbox.ts'
import { needFreePort } from './ports.ts'
import { referenceApp } from './reference-app.ts'
import { startPostgres } from './postgres.ts'
import { startPostgrest } from './postgrest.ts'
import { describeProgram, findPostgrest } from './find-postgrest.ts'
import { makeDataDirectory, readSecrets, type Secrets } from './secrets.ts'

/** Whether edits take effect while it runs. */
const isWatching = process.argv.includes('--watch')

/** Where this file's own repository is. */
const checkout = join(import.meta.dirname, '../..')

/** What runs, in the order of its stop. */
type Running = Child[]

/** Everything that can be wrong before anything has been started. @returns where mail goes @throws ConfigError */
async function check(settings: Settings, secrets: Secrets, env: NodeJS.ProcessEnv): Promise<MailTransport> {
  if (settings.DATABASE_URL === undefined && settings.AUTH_DATABASE_URL !== undefined) {
    throw configError('AUTH_DATABASE_URL is set and DATABASE_URL is not. Set both to use a server of yours, or neither.')
  }
  const databaseUrl = settings.DATABASE_URL ?? 'postgresql://localhost'
  const { mail } = authConfig(readSettings(authEnvironment(settings, secrets, databaseUrl, env)))
  if (settings.APP_DIR !== undefined) await needApp(settings.APP_DIR)
  await needFreePort('PORT', settings.HOST, settings.PORT)
  await needFreePort('DATA_PORT', settings.HOST, settings.DATA_PORT)
  if (settings.DATABASE_URL !== undefined) await checkDatabase(settings.DATABASE_URL)
  return mail.transport
}

/** The owner's connection. */
async function startDatabase(settings: Settings, secrets: Secrets, running: Running, signal: AbortSignal): Promise<string> {
  if (settings.DATABASE_URL !== undefined) return settings.DATABASE_URL
  const server = await startPostgres({ directory: await makeDataDirectory(settings), password: secrets.ownerPassword, signal })
  running.unshift(server)
  return server.url
}

/** An editor writes a file in several steps; this long after the first, in milliseconds, it has mostly done. */
const settleMs = 100

/**
 * Calls `apply` after any SQL file below db/ was written, made or deleted, one call at a time.
 * @param apply must not reject
 * @returns when the signal has fired
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

/** Starts everything and says where it is. */
async function startAll(running: Running, signal: AbortSignal): Promise<void> {
  // each child gets the secrets that it needs, and no path of a file
  const env = readSecretFiles(process.env)
  let settings = readSettings(env)
  const secrets = await readSecrets(settings)
  const mail = await check(settings, secrets, env)
  signal.throwIfAborted()
  const program = await findPostgrest(settings, console.log)
  signal.throwIfAborted()

  // beside the start of everything else, which takes as long
  const building = settings.wantsReferenceApp ? referenceApp(checkout, console.log, signal) : undefined
  const databaseUrl = await startDatabase(settings, secrets, running, signal)
  signal.throwIfAborted()
  const migration: MigrateOptions = {
    databaseUrl,
    publicUrl: settings.PUBLIC_URL,
    authServicePassword: secrets.logins.authService,
    authenticatorPassword: secrets.logins.authenticator,
    dataPool: settings.PGRST_DB_POOL,
    beforeMigrating: (client) => checkSecret(client, secrets.betterAuthSecret),
  }
  // a migration cannot be told to stop; it is left alone, and undone when the connection ends
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
  await reportFloors(databaseUrl, { node: node.version, postgrest: program.version })
  const app = await building
  if (app !== undefined) settings = readSettings({ APP_CSP: await policyOfApp(app), ...env, APP_DIR: app })
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
  // what is wrong with an edit is said; the next one may be right
  if (isWatching) void onSqlChange(() => migrate({ ...migration, log: console.log }).catch((error: unknown) => console.error(oneLine(error))), signal)

  if (settings.APP_DIR !== undefined) console.log(`app   ${settings.PUBLIC_URL}`)
  console.log(`auth  ${settings.PUBLIC_URL}/api/auth`)
  console.log(`data  ${settings.DATA_URL}`)
  const edge = edgeUrl(settings)
  if (edge !== undefined) console.log(`edge  ${edge}`)
  console.log(`rest  ${describeProgram(program)}`)
  if (mail.kind === 'log') {
    const shown = mayShowMails(settings) ? `is shown at ${settings.PUBLIC_URL}/mail and ` : ''
    console.log(`mail  ${shown}is written to this log; set RESEND_API_KEY or SMTP_URL to send it`)
  }
}

/** Aborts when somebody asks for the end. A second signal forces it. */
function stopOnRequest(stopping: AbortController, running: Running): void {
  let askedAt = 0
  const ask = () => {
    // one Ctrl-C comes twice: from the terminal, and from npm passing it on
    if (stopping.signal.aborted && Date.now() - askedAt > 500) running.forEach((child) => child.force())
    if (!stopping.signal.aborted) askedAt = Date.now()
    stopping.abort()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, ask)
  // nobody reads what we say any more, such as after `npm start | head`
  process.stdout.on('error', () => stopping.abort())
  // npm passes signals on, but cannot pass on its own SIGKILL, after which nobody could stop us from where we were started
  const parent = process.ppid
  if (process.env['npm_lifecycle_event'] !== undefined) {
    setInterval(() => process.ppid !== parent && stopping.abort(), 1000).unref()
  }
}

const stopping = new AbortController()
const running: Running = []
stopOnRequest(stopping, running)
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
