/** Identity, for each program that serves routes: auth/main.ts and realtime/main.ts. */
import { availableParallelism } from 'node:os'
import { describeError, type Log } from '../common/log.ts'
import type { Tracing } from '../common/tracing.ts'
import { connect, type ServiceName } from '../http/database.ts'
import type { LimitKind } from '../http/metrics.ts'
import { createLimits } from '../http/rate-limits.ts'
import { checkDatabase } from './check-database.ts'
import type { IdentityConfig } from './config.ts'
import { createHashingQueue, createPasswords, type Passwords } from './engine/passwords.ts'
import { createMailer } from './mail/mailer.ts'
import { enqueueMail } from './mail/queue.ts'
import { createServices } from './services.ts'

export { identityConfig, type IdentityConfig } from './config.ts'
export { cacheForASecond, healthChecks } from './health.ts'

export type IdentityOptions = {
  log: Log
  tracing: Tracing | undefined
  /** The name of the process in traces. */
  name?: ServiceName
  /** Called for each request over a limit. */
  onLimit: (kind: LimitKind) => void
  /** Called after a mail is stored that must leave at once. */
  onMail?: () => void
  /** Wraps the hashes and checks of passwords. */
  wrapPasswords?: (passwords: Passwords) => Passwords
}

/**
 * Opens identity on its database.
 * @param running stops it
 * @throws ConfigError if the database is not the one of this deployment
 */
export async function openIdentity(
  running: AsyncDisposableStack,
  config: IdentityConfig,
  {
    log,
    tracing,
    name,
    onLimit,
    onMail = () => undefined,
    wrapPasswords = (passwords) => passwords,
  }: IdentityOptions,
) {
  const connections = connect(
    config.databaseUrl,
    (error) => log.warn({ error: describeError(error) }, 'database connection lost'),
    tracing,
    name,
  )
  running.defer(connections.close)
  await checkDatabase(connections, config)
  // A hash needs 32 MiB, so three threads fit into a container's limit. A full queue takes about
  // six seconds, and up to three times that on a busy machine, so its timeout is 20 seconds.
  const threads = Math.min(3, availableParallelism())
  const passwords = wrapPasswords(
    createPasswords(
      threads,
      (error) =>
        log.warn({ error: describeError(error) }, 'a thread that hashes passwords was lost'),
    ),
  )
  running.defer(passwords.stop)
  // one more slot than threads, so that a thread gets its next hash while a session is stored
  const hashingQueue = createHashingQueue(threads + 1, 64, 20_000, () => onLimit('hashing_queue'))
  const mailer = createMailer(config, async (task, payload) => {
    await enqueueMail(
      connections.currentTransaction() ?? connections.pool,
      config.secret,
      task,
      payload,
    )
    // The work for a requested mail begins at the queue's next look. At once it would slow the
    // caller's next request for a known address.
    if (!task.startsWith('request_')) connections.afterCommit(onMail)
  })
  const limits = createLimits(connections, config.rateLimitEnabled, onLimit)
  const services = await createServices({
    config,
    connections,
    limits,
    hashingQueue,
    passwords,
    mailer,
    log,
  })
  return { connections, hashingQueue, services }
}
