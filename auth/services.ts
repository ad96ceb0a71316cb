/** Builds the parts that handlers use, and connects better-auth's hooks to the features. */
import { basePath, type Config } from './config.ts'
import type { Connections } from './database.ts'
import { createEngine } from './engine/engine.ts'
import type { HashingQueue, Passwords } from './engine/passwords.ts'
import { createGuesses, type Limits } from './engine/rate-limits.ts'
import { sessionReader } from './engine/read-session.ts'
import { refuse } from './errors.ts'
import { disownToken } from './features/account/sign-up.ts'
import { signUpProblem } from './features/account/sign-up.ts'
import { addressProof } from './features/invitation/address-proof.ts'
import type { ChangeStreams } from './features/change/streams.ts'
import { createFiles } from './features/file/files.ts'
import { transferQueue } from './features/file/transfer-queue.ts'
import { createProvider } from './features/single-sign-on/provider.ts'
import { requireSecondFactor } from './features/two-factor/two-factor.ts'
import { fairQueue } from '../common/fair-queue.ts'
import type { Log } from '../common/log.ts'
import type { ObjectStorage } from '../common/object-storage.ts'
import type { Mailer } from './mail/mailer.ts'
import { plans } from './plans.ts'
import type { Services } from './route.ts'
import type { Receivers } from './webhooks/sender.ts'

export type ServiceParts = {
  config: Config
  connections: Connections
  limits: Limits
  hashingQueue: HashingQueue
  passwords: Pick<Passwords, 'hash' | 'verify'>
  mailer: Mailer
  receivers: Receivers
  streams: ChangeStreams
  /** The object storage of files. Undefined for the database. */
  objects: ObjectStorage | undefined
  log: Log
}

export async function createServices({ config, connections, limits, hashingQueue, passwords, mailer, receivers, streams, objects, log }: ServiceParts) {
  const { db, pool, prepared, inTransaction, outsideTransaction } = connections
  const engine = await createEngine({
    config,
    connections,
    limits,
    passwords,
    mailer,
    log,
    disownToken: (userId) => disownToken(config.secret, userId),
    invitationToken: (invitation) => addressProof(config.secret, invitation),
    beforeUser: async (email) => {
      const problem = await signUpProblem(config, db, email)
      if (problem !== undefined) refuse(problem)
    },
    beforeSession: (userId, endpoint) => requireSecondFactor(connections, userId, endpoint),
  })
  return {
    config,
    db,
    prepared,
    inTransaction,
    outsideTransaction,
    engine,
    readSession: sessionReader(engine.context, prepared),
    plans: plans(prepared, config.defaultProduct),
    limits,
    guesses: createGuesses(limits),
    hashingQueue,
    files: createFiles(pool, transferQueue(16), objects, log),
    uploadQueue: transferQueue(2),
    calendarQueue: fairQueue(2, 32, 5_000),
    deletionQueue: fairQueue(2, 128, 60_000),
    mailer,
    receivers,
    provider: config.oidc && createProvider(config.oidc, `${config.publicUrl}${basePath}/callback/oidc`),
    streams,
    log,
  } satisfies Services
}
