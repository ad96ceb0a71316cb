/** The composition root: makes every part once and passes it to the parts that need it. */
import { pathToFileURL } from 'node:url'
import type pg from 'pg'
import type { Registry } from 'prom-client'
import { migrationNames } from '../db/migrate.ts'
import { openApiDocument } from '../http/openapi/openapi.ts'
import { withWholeRows } from '../http/openapi/whole-rows.ts'
import { isFileUrl } from '../common/contract.ts'
import { startServer, type Listener } from '../common/http-server.ts'
import { createLog, describeError, type Log } from '../common/log.ts'
import { openObjects } from '../common/open-objects.ts'
import type { Observers, Service } from '../common/service.ts'
import { readSettings, type Settings } from '../common/settings.ts'
import { endFailedStart, gracefulShutdown } from '../common/shutdown.ts'
import { startTracing } from '../common/tracing.ts'
import { createApp, labelPaths, listenerOf, type AppParts, type Paths } from '../http/app.ts'
import { withClient } from '../http/database.ts'
import { createHttpMetrics } from '../http/metrics.ts'
import type { Program } from '../http/room.ts'
import { rates } from '../rates/index.ts'
import {
  publicReceivers,
  realtime,
  type RealtimeOptions,
  type Receivers,
} from '../realtime/index.ts'
import { storage } from '../storage/index.ts'
import { authConfig, type Config } from './config.ts'
import { describeSurface } from './description.ts'
import { jwtOptions, tokenLifetimeSeconds } from './engine/options.ts'
import type { Passwords } from './engine/passwords.ts'
import { startHousekeeping } from './housekeeping.ts'
import { cacheForASecond, healthChecks, openIdentity } from './index.ts'
import { provisionKey, startRotation, type KeyOptions } from './keys/rotation.ts'
import { createMailer } from './mail/mailer.ts'
import { enqueueMail, startMailQueue } from './mail/queue.ts'
import { mailSender, type OutgoingMail } from './mail/transports.ts'
import { mailMetrics, watchIdentity } from './metrics.ts'
import { apiDocs } from './pages/api-docs.ts'
import { home, pageRoutes, type Additions } from './pages/pages.ts'
import { routesOf, sweepsOf } from './rooms.ts'

/**
 * Time in which a stopping service still accepts requests, in milliseconds. Load balancers need it
 * to notice the stop.
 */
const lameDuckMs = 250

/** Seconds for which an expired token is still accepted, because clocks differ. */
const clockLeewaySeconds = 60

/** Wraps the service's listener, for other paths on the same port. */
export type WrapListener = (service: Service, observers: Observers) => Listener

export type StartOptions = Partial<Pick<KeyOptions, 'retireAfterSeconds'>> & {
  wrapListener?: WrapListener
  /** Further entries of `/`. */
  additions?: Additions
  /**
   * Called with each mail that the log transport writes instead of sending. The service itself
   * stores no mail.
   */
  onUnsentMail?: (mail: OutgoingMail) => void
  /** Pause between two rounds of webhooks, in milliseconds. */
  webhookPauseMs?: number | undefined
  /**
   * The servers that may receive webhooks. Only `npm start` on localhost and tests allow others
   * than those of the public internet.
   */
  receivers?: Receivers | undefined
  /** Wraps the hashes and checks of passwords. */
  wrapPasswords?: (passwords: Passwords) => Passwords
}

/** Returns the paths of the service. @param pool reads the catalogue, when a client asks for it */
function pathsOf(config: Config, additions: Additions, pool: () => pg.Pool): Paths {
  const documents = {
    all: () =>
      withClient(pool(), (client) => openApiDocument(client, config.publicUrl, describeSurface())),
    wholeRows: async () => withWholeRows(await documents.all()),
  }
  return {
    routes: routesOf(config.servesRealtime),
    documents: apiDocs(documents),
    pages: pageRoutes.map(({ path, page }) => ({ path, serve: () => page(config) })),
    home: home(config, additions),
  }
}

/** Makes the metrics and the parts of the rooms. @param running ends the live streams */
async function openRooms(
  running: AsyncDisposableStack,
  program: Program,
  registry: Registry,
  realtimeOptions: RealtimeOptions,
) {
  const { pool } = program
  const metrics = {
    realtime: realtime.metrics(registry, pool),
    rates: rates.metrics(registry, pool),
    storage: storage.metrics(registry, pool),
  }
  const live = await realtime.services(program, metrics.realtime, realtimeOptions)
  running.defer(live.streams.stop)
  const files = await storage.services(program, metrics.storage, undefined)
  return { metrics, live, files }
}

type OpenIdentity = Awaited<ReturnType<typeof openIdentity>>

/** Returns the options of the rotation of keys. @param tuning shorter times, for tests */
const keyOptions = (
  config: Config,
  log: Log,
  { connections: { db, pool }, services: { engine } }: OpenIdentity,
  tuning: Partial<Pick<KeyOptions, 'retireAfterSeconds'>>,
): KeyOptions => ({
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
})

/** Starts the queue of mails. */
function startMails(
  config: Config,
  log: Log,
  { connections: { pool }, services: { engine } }: OpenIdentity,
  registry: Registry,
  onUnsentMail: StartOptions['onUnsentMail'],
) {
  const send = mailSender(config.mail.transport, log, onUnsentMail)
  return startMailQueue({
    pool,
    secret: config.secret,
    mailerThrough: (client) =>
      createMailer(config, (task, payload) => enqueueMail(client, config.secret, task, payload)),
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
    observer: mailMetrics(registry),
    log,
  })
}

/** The app's parts, and those of its server. */
type Served = Omit<AppParts, 'name' | 'isStopping'> & {
  publicKeys: Service['publicKeys']
  /** Closes the live streams at a stop. */
  closeStreams: () => void
  wrapListener: WrapListener
}

/** Starts the server. @returns the function that stops it */
function listen(
  config: Config,
  log: Log,
  { publicKeys, closeStreams, wrapListener, ...parts }: Served,
): Promise<() => Promise<void>> {
  let stopping = false
  const app = createApp({ ...parts, name: 'finance-auth', isStopping: () => stopping })
  const service: Service = {
    listener: listenerOf(app),
    isReady: async () => !stopping && Object.values(await parts.ready()).every(Boolean),
    publicKeys,
  }
  const { metrics: { registry }, tracing } = parts
  const served = wrapListener(service, { log, registry, tracing })
  const onStop = () => {
    stopping = true
    // a stream does not end by itself, and its client resumes at another process
    closeStreams()
  }
  const onError = (error: unknown) => log.error({ error: describeError(error) }, 'request failed')
  return startServer(served, {
    host: config.host,
    port: config.port,
    setting: 'PORT',
    maxStreams: config.changesStreams,
    lameDuckMs,
    onStop,
    onError,
    hasSlowBody: ({ url }) => isFileUrl(url),
    trustedProxies: config.trustedProxies,
  })
}

/**
 * Starts all parts, in the order of their dependencies. @param running stops them in the opposite
 * order
 */
async function startParts(
  running: AsyncDisposableStack,
  config: Config,
  log: Log,
  {
    wrapListener = ({ listener }) => listener,
    additions = { surfaces: [], commands: [] },
    onUnsentMail,
    webhookPauseMs,
    receivers = publicReceivers,
    wrapPasswords,
    ...tuning
  }: StartOptions,
): Promise<void> {
  const tracing = startTracing(config.traces?.endpoint, config.traces?.headers, log)
  if (tracing !== undefined) running.defer(tracing.stop)
  const paths = pathsOf(config, additions, () => pool)
  const labels = labelPaths(paths)
  const metrics = createHttpMetrics(labels.all)
  const { registry } = metrics
  const identity = await openIdentity(running, config, {
    log,
    tracing,
    onLimit: metrics.limitHit,
    onMail: () => queue.wake(),
    ...(wrapPasswords !== undefined && { wrapPasswords }),
  })
  const { connections: { pool, pools, db }, hashingQueue, services } = identity
  const objects = config.objects && await openObjects(config.objects)
  const program: Program = { pool, secret: config.secret, log, objects }
  const realtimeOptions = { maxStreams: config.changesStreams, receivers, webhookPauseMs }
  const rooms = await openRooms(running, program, registry, realtimeOptions)
  const keys = keyOptions(config, log, identity, tuning)
  await provisionKey(keys)
  const queue = startMails(config, log, identity, registry, onUnsentMail)
  running.defer(queue.stop)
  if (config.servesRealtime)
    running.defer(await realtime.jobs(program, rooms.metrics.realtime, realtimeOptions))
  const rotation = startRotation(keys)
  running.defer(rotation.stop)
  running.defer(await startHousekeeping(pool, sweepsOf(program, config), rotation, log))
  running.defer(await rates.jobs(program, rooms.metrics.rates, { url: config.exchangeRatesUrl }))
  watchIdentity(registry, { hashingQueue, rotation, pool })
  metrics.watchPools(pools)
  running.defer(
    await listen(config, log, {
      services: { ...services, ...rooms.live, ...rooms.files },
      paths,
      labels,
      metrics,
      tracing,
      ready: cacheForASecond(healthChecks(db, await migrationNames(), queue)),
      publicKeys: () => services.engine.api.getJwks(),
      closeStreams: rooms.live.streams.close,
      wrapListener,
    }),
  )
}

/**
 * Starts the auth service.
 * @param options the listener around the app, and shorter times for tests
 * @returns a function that stops it: requests in flight finish first, then the queue and the
 * connections
 * @throws ConfigError
 */
export async function startAuth(
  config: Config,
  log: Log,
  options: StartOptions = {},
): Promise<() => Promise<void>> {
  // stops the parts in the opposite order, also if the start fails
  const running = new AsyncDisposableStack()
  try {
    await startParts(running, config, log, options)
    log.info({ port: config.port }, 'auth service listening')
    if (config.origins.onLocalhost)
      log.info('PUBLIC_URL is on localhost, so every origin on localhost is a trusted one')
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
