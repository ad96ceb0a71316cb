/** The composition root: makes every part once and passes it to the parts that need it. */
import { availableParallelism } from 'node:os'
import { pathToFileURL } from 'node:url'
import { getRequestListener } from '@hono/node-server'
import pg from 'pg'
import { migrationNames } from '../db/migrate.ts'
import { openApiDocument } from '../description/openapi.ts'
import { withWholeRows } from '../description/whole-rows.ts'
import { configError } from '../common/errors.ts'
import { databaseVersionsSql, type Versions } from '../common/floors.ts'
import { defaultHost, startServer, type Listener } from '../common/http-server.ts'
import { createLog, describeError, type Log } from '../common/log.ts'
import { openObjects } from '../common/open-objects.ts'
import { readSettings, type Settings } from '../common/settings.ts'
import { endFailedStart, gracefulShutdown } from '../common/shutdown.ts'
import { startTracing, type Tracing } from '../common/tracing.ts'
import { authConfig, isFileUrl, type Config } from './config.ts'
import { connect, withClient, type AuthDatabase } from './database.ts'
import { jwtOptions, tokenLifetimeSeconds } from './engine/engine.ts'
import { createPasswords, createHashingQueue, type Passwords } from './engine/passwords.ts'
import { createLimits } from './engine/rate-limits.ts'
import { startRateDownloads } from './exchange-rates/download.ts'
import { createChangeStreams } from './features/change/streams.ts'
import { warnOfUnreachableFiles } from './features/file/files.ts'
import { startHousekeeping } from './housekeeping.ts'
import { createApp, routeLabels } from './http/app.ts'
import { healthChecks, cacheForASecond } from './http/health.ts'
import { readDatabaseFigures } from './http/database-figures.ts'
import { createMetrics, type Metrics } from './http/metrics.ts'
import type { Additions } from './http/pages.ts'
import { provisionKey, startRotation, type KeyOptions } from './keys/rotation.ts'
import { createMailer, type MailJobs } from './mail/mailer.ts'
import { startNotices } from './mail/notices.ts'
import { startQueue } from './mail/queue.ts'
import { mailSender, type OutgoingMail } from './mail/transports.ts'
import { createServices } from './services.ts'
import { startWebhooks } from './webhooks/dispatcher.ts'
import { publicReceivers, type Receivers } from './webhooks/sender.ts'

/** Time in which a stopping service still accepts requests, in milliseconds. Load balancers need it to notice the stop. */
const lameDuckMs = 250

/** Seconds for which an expired token is still accepted, because clocks differ. */
const clockLeewaySeconds = 60

/** The auth surface. `isReady` returns the same as `/readyz`. */
export type Service = { listener: Listener, isReady: () => Promise<boolean> }

/** The service's log, metrics and traces, for the listener around it. */
export type Observers = { log: Log, registry: Metrics['registry'], tracing: Tracing | undefined }

/** Wraps the service's listener, for other paths on the same port. */
export type WrapListener = (service: Service, observers: Observers) => Listener

export type StartOptions = Partial<Pick<KeyOptions, 'retireAfterSeconds'>> & {
  wrapListener?: WrapListener
  /** Further entries of `/`. */
  additions?: Additions
  /** Called with each mail that the log transport writes instead of sending. The service itself stores no mail. */
  onUnsentMail?: (mail: OutgoingMail) => void
  /** Pause between two queries for new notices, in milliseconds. */
  noticePauseMs?: number | undefined
  /** Pause between two rounds of webhooks, in milliseconds. */
  webhookPauseMs?: number | undefined
  /** The servers that may receive webhooks. Only `npm start` on localhost and tests allow others than those of the public internet. */
  receivers?: Receivers | undefined
  /** Wraps the hashes and checks of passwords. */
  wrapPasswords?: (passwords: Passwords) => Passwords
}

/**
 * Checks that this deployment migrated the database.
 * @throws ConfigError with the remedy
 */
async function checkDatabase(db: AuthDatabase, config: Config): Promise<void> {
  let settings: { publicUrl: string } | undefined
  try {
    settings = await db.selectFrom('private.settings').select('publicUrl').executeTakeFirst()
  } catch (error) {
    const code = error instanceof pg.DatabaseError ? error.code : undefined
    if (code === '42P01' || code === '3F000') throw configError(`The database is not migrated: run \`${config.commands.migrate}\` first.`)
    if (code === '28P01') throw configError(`AUTH_DATABASE_URL has a wrong password for auth_service: run \`${config.commands.migrate}\`, which sets it.`)
    if (code === '3D000') throw configError('AUTH_DATABASE_URL names a database that does not exist.')
    throw configError(`AUTH_DATABASE_URL: the database cannot be reached (${error instanceof Error && 'code' in error ? String(error.code) : 'no answer'}).`)
  }
  if (config.defaultProduct !== undefined) {
    const products = (await db.selectFrom('private.products').select('id').orderBy('rank').execute()).map(({ id }) => id)
    if (!products.includes(config.defaultProduct)) throw configError(`DEFAULT_PRODUCT must be one of ${products.join(', ')}.`)
  }
  if (settings?.publicUrl !== config.publicUrl) {
    throw configError(
      `PUBLIC_URL is not the one the database was migrated with, and tokens name it: run \`${config.commands.migrate}\` with this PUBLIC_URL.`,
    )
  }
}

/**
 * Starts the auth service.
 * @param options the listener around the app, and shorter times for tests
 * @returns a function that stops it: requests in flight finish first, then the queue and the connections
 * @throws ConfigError
 */
export async function startAuth(
  config: Config,
  log: Log,
  {
    wrapListener = ({ listener }) => listener,
    additions = { surfaces: [], commands: [] },
    onUnsentMail,
    noticePauseMs,
    webhookPauseMs,
    receivers = publicReceivers,
    wrapPasswords = (passwords) => passwords,
    ...tuning
  }: StartOptions = {},
): Promise<() => Promise<void>> {
  // stops the parts in the opposite order, also if the start fails
  const running = new AsyncDisposableStack()
  try {
    const tracing = startTracing(config.traces?.endpoint, config.traces?.headers, log)
    if (tracing !== undefined) running.defer(tracing.stop)
    const connections = connect(config.databaseUrl, (error) => log.warn({ error: describeError(error) }, 'database connection lost'), tracing)
    running.defer(connections.close)
    const { pool, pools, db } = connections
    const metrics = createMetrics(routeLabels.values())
    await checkDatabase(db, config)
    // A hash needs 32 MiB, so three threads fit into a container's limit. A full queue takes about six seconds, and up to three times
    // that on a busy machine, so its timeout is 20 seconds.
    const threads = Math.min(3, availableParallelism())
    const passwords = wrapPasswords(
      createPasswords(threads, (error) => log.warn({ error: describeError(error) }, 'a thread that hashes passwords was lost')),
    )
    running.defer(passwords.stop)
    // one more slot than threads, so that a thread gets its next hash while a session is stored
    const hashingQueue = createHashingQueue(threads + 1, 64, 20_000, () => metrics.limitHit('hashing_queue'))
    const limits = createLimits(connections, config.rateLimitEnabled, (by) => metrics.limitHit(by))
    const mailer = createMailer(config, (name, payload) => queue.enqueue(name, payload, connections.currentTransaction()))
    const streams = createChangeStreams({
      pool,
      secret: config.secret,
      maxStreams: config.changesStreams,
      observer: metrics.streams,
      log,
    })
    running.defer(streams.stop)
    const objects = config.objects && await openObjects(config.objects)
    if (objects === undefined) await warnOfUnreachableFiles(pool, log)
    const services = await createServices({ config, connections, limits, hashingQueue, passwords, mailer, receivers, streams, objects, log })
    const { engine } = services
    const keys: KeyOptions = {
      engine,
      jwt: jwtOptions(config, db),
      db,
      pool,
      databaseUrl: config.databaseUrl,
      log,
      adminCommand: config.commands.admin,
      rotationIntervalSeconds: config.keyRotationDays * 86_400,
      retireAfterSeconds: tokenLifetimeSeconds + clockLeewaySeconds,
      ...tuning,
    }
    await provisionKey(keys)
    const send = mailSender(config.mail.transport, log, onUnsentMail)
    const queue = await startQueue<MailJobs>({
      databaseUrl: config.databaseUrl,
      secret: config.secret,
      log,
      observer: metrics.mail,
      tasks: {
        send_mail: async (message, { key, signal }) => {
          await send({ ...message, from: config.mail.from, idempotencyKey: key }, signal)
        },
        request_password_reset: async ({ to, ...rest }) => {
          await engine.api.requestPasswordReset({ body: { email: to, ...rest } })
        },
        request_verification: async ({ to }) => {
          await engine.api.sendVerificationEmail({ body: { email: to } })
        },
      },
    })
    running.defer(queue.stop)
    running.defer(startNotices(pool, (client) => createMailer(config, (name, payload) => queue.enqueue(name, payload, client)), log, noticePauseMs))
    running.defer(startWebhooks({ pool, secret: config.secret, receivers, observer: metrics.webhooks, log, pauseMs: webhookPauseMs }))
    const rotation = startRotation(keys)
    running.defer(rotation.stop)
    running.defer(startHousekeeping(pool, config, rotation, objects, log))
    const { exchangeRatesUrl } = config
    if (exchangeRatesUrl !== undefined) running.defer(startRateDownloads(pool, exchangeRatesUrl, log))
    const failedRateDownloads = async () =>
      exchangeRatesUrl === undefined ? 0 : Number((await pool.query<{ count: string }>('select private.rate_download_failures() as count')).rows[0]?.count)
    const webhookLagSeconds = async () => (await pool.query<{ seconds: number }>('select private.webhook_lag() as seconds')).rows[0]?.seconds ?? 0
    const databaseVersions = async () => (await pool.query<Versions>(databaseVersionsSql)).rows[0]
    metrics.watch({
      hashingQueue,
      streams,
      rotation,
      pools: { ...pools, mail: queue.pool },
      backlog: queue.backlog,
      failedRateDownloads,
      webhookLagSeconds,
      databaseVersions,
      databaseFigures: () => readDatabaseFigures(pool),
    })
    const document = () => withClient(pool, (client) => openApiDocument(client, config.publicUrl))
    const documents = { all: document, wholeRows: async () => withWholeRows(await document()) }
    let stopping = false
    const checks = cacheForASecond(healthChecks(db, await migrationNames()))
    const app = createApp({ services, metrics, tracing, ready: checks, documents, isStopping: () => stopping, additions })
    const service: Service = {
      listener: getRequestListener((request, bindings) => app.fetch(request, bindings), defaultHost),
      isReady: async () => !stopping && Object.values(await checks()).every(Boolean),
    }
    const served = wrapListener(service, { log, registry: metrics.registry, tracing })
    const onStop = () => {
      stopping = true
      // a stream does not end by itself, and its client resumes at another process
      streams.close()
    }
    const onError = (error: unknown) => log.error({ error: describeError(error) }, 'request failed')
    running.defer(
      await startServer(served, {
        host: config.host,
        port: config.port,
        setting: 'PORT',
        lameDuckMs,
        onStop,
        onError,
        hasSlowBody: ({ url }) => isFileUrl(url),
        trustedProxies: config.trustedProxies,
      }),
    )
    log.info({ port: config.port }, 'auth service listening')
    if (config.origins.onLocalhost) log.info('PUBLIC_URL is on localhost, so every origin on localhost is a trusted one')
    return () => running.disposeAsync()
  } catch (error) {
    await running.disposeAsync()
    throw error
  }
}

type OptionsAsSet = (settings: Settings) => StartOptions

async function run(optionsOf: OptionsAsSet): Promise<void> {
  const settings = readSettings(process.env)
  const config = authConfig(settings)
  const log = createLog(config.logLevel)
  const stopWith = gracefulShutdown(log)
  stopWith(await startAuth(config, log, optionsOf(settings)))
}

/**
 * Runs the service with the settings of the environment.
 * @param optionsOf the options for these settings
 */
export function main(optionsOf: OptionsAsSet = () => ({})): void {
  run(optionsOf).catch(endFailedStart)
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) main()
