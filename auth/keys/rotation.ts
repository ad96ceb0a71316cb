/**
 * The rotation of signing keys: publish, wait until every PostgREST has loaded the key, sign with
 * it, and accept the old key until its last token expires. No request fails. auth.jwks has the
 * state, so any process may take the next step.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createJwk, type JwtOptions } from 'better-auth/plugins'
import { sql } from 'kysely'
import type pg from 'pg'
import { configError } from '../../common/errors.ts'
import { withClient, type AuthDatabase } from '../../http/database.ts'
import { describeError, type Log } from '../../common/log.ts'
import { signingKey } from './signing-keys.ts'
import { isLoadedByAll, keysKeeper, notifyAgain } from './postgrest.ts'

/**
 * The advisory lock of the rotation. No other code uses this number in this database. It ends with
 * its transaction, so also with a lost connection.
 */
const lockKey = 710_331_804_120

/**
 * Number of checks that notify PostgREST again after a change, for a PostgREST on a lagging
 * standby.
 */
const notificationsPerChange = 5

/** Interval of the checks, in milliseconds. */
const intervalMs = 2_000

/**
 * The parts of better-auth that the rotation needs: the context with the secret, and the endpoint
 * that signs.
 */
type KeyEngine = {
  context: unknown
  api: { signJWT: (input: { body: { payload: Record<string, unknown> } }) => Promise<unknown> }
}

export type KeyOptions = {
  engine: KeyEngine
  jwt: JwtOptions
  db: AuthDatabase
  /** For the lock, which needs its own connection. */
  pool: pg.Pool
  /** The service's connection, for the session that waits for announcements. */
  databaseUrl: string
  log: Log
  /** The operator's command in this deployment, for messages. */
  adminCommand: string
  /** Time that a key signs, in seconds; 0 rotates only on request. */
  rotationIntervalSeconds: number
  /** Time that the tokens of a superseded key are accepted, in seconds. */
  retireAfterSeconds: number
}

const publish = async ({ engine, jwt }: KeyOptions) => {
  await createJwk(
    { context: engine.context, path: '/rotation' } as Parameters<typeof createJwk>[0],
    jwt,
  )
}

/**
 * Makes the first key under a lock, so that concurrent starts make one. Then signs once to check
 * the secret.
 * @throws ConfigError if the secret does not decrypt the keys
 */
export async function provisionKey(options: KeyOptions): Promise<void> {
  const { db, pool, engine } = options
  await withClient(pool, async (client) => {
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock($1)', [lockKey])
    if (await db.selectFrom('auth.jwks').select('id').executeTakeFirst() === undefined) {
      await publish(options)
      // no client has a token yet
      await db.updateTable('auth.jwks').set({ signsFrom: sql`now()` }).where(
        'signsFrom',
        'is',
        null,
      ).execute()
    }
    await client.query('commit')
  })
  const signing = await signingKey(db).select('id').executeTakeFirst()
  if (signing === undefined) return
  try {
    await engine.api.signJWT({ body: { payload: {} } })
  } catch {
    throw configError(
      `BETTER_AUTH_SECRET does not open the signing keys in the database: set it to its previous value. To change it on purpose, which signs out all users, first run \`${options.adminCommand} keys revoke --all\`.`,
    )
  }
}

type State = {
  pending: string | null
  pendingSeconds: number
  signing: string | null
  ageSeconds: number
  requested: boolean
}

/** Returns the seconds since a date; 0 without one. */
const secondsSince = (column: string) =>
  sql<number>`coalesce(extract(epoch from now() - ${sql.ref(column)}), 0)::float8`

async function stateOf(db: AuthDatabase): Promise<State> {
  return db.selectFrom('private.settings')
    .leftJoin('auth.jwks as pending', (join) => join.on('pending.signsFrom', 'is', null))
    .leftJoin(
      'auth.jwks as signing',
      (join) => join.on('signing.signsFrom', 'is not', null).on('signing.expiresAt', 'is', null),
    )
    .select([
      'pending.id as pending',
      secondsSince('pending.createdAt').as('pendingSeconds'),
      'signing.id as signing',
      secondsSince('signing.signsFrom').as('ageSeconds'),
      sql<boolean>`coalesce(${sql.ref('keyRotationRequestedAt')} > ${
        sql.ref('signing.signsFrom')
      }, false)`.as('requested'),
    ])
    .executeTakeFirstOrThrow()
}

/** Makes a key sign. The previous key is accepted until its tokens expire. */
async function sign(db: AuthDatabase, kid: string, retireAfterSeconds: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.updateTable('auth.jwks').set({
      expiresAt: sql`now() + make_interval(secs => ${retireAfterSeconds})`,
    })
      .where('signsFrom', 'is not', null).where('expiresAt', 'is', null).execute()
    await trx.updateTable('auth.jwks').set({ signsFrom: sql`now()` }).where('id', '=', kid)
      .execute()
  })
}

/** Takes the next step if one is due. The caller holds the lock. */
async function step(options: KeyOptions): Promise<void> {
  const { db, log, rotationIntervalSeconds: interval, retireAfterSeconds } = options
  // selects first, because the trigger reloads PostgREST also after a delete without rows
  const now = sql<Date>`now()`
  const ended = await db.selectFrom('auth.jwks').select('id').where('expiresAt', '<=', now)
    .execute()
  if (ended.length > 0) {
    const retired = await db.deleteFrom('auth.jwks').where('expiresAt', '<=', now).returning('id')
      .execute()
    for (const { id } of retired) log.info({ kid: id }, 'signing key retired')
  }
  const state = await stateOf(db)
  if (state.pending === null) {
    const isDue = state.signing === null || state.requested ||
      (interval > 0 && state.ageSeconds > interval)
    if (!isDue) return
    await publish(options)
  }
  const { pending } = await stateOf(db)
  if (pending === null) return
  if (!await isLoadedByAll(db, options.databaseUrl, pending)) {
    log.warn(
      { kid: pending },
      'PostgREST has not loaded the new signing key, so it does not sign yet',
    )
    return
  }
  await sign(db, pending, retireAfterSeconds)
  log.info({ kid: pending }, 'signing key rotated')
}

/**
 * Returns the function that keeps PostgREST's keys current. It does nothing while a key is pending:
 * isLoadedByAll() would count its notifications.
 */
function keyRefresher({ db, databaseUrl, log }: KeyOptions): () => Promise<void> {
  const keep = keysKeeper(db, databaseUrl, log)
  let lastIds: string | undefined
  let notificationsLeft = 0
  return async () => {
    const keys = await db.selectFrom('auth.jwks').select(['id', 'signsFrom']).orderBy('id')
      .execute()
    if (keys.some(({ signsFrom }) => signsFrom === null)) return
    const ids = keys.map(({ id }) => id).join()
    if (ids !== lastIds) notificationsLeft = lastIds === undefined ? 0 : notificationsPerChange
    lastIds = ids
    if (notificationsLeft > 0) {
      notificationsLeft--
      await notifyAgain(db)
    }
    await keep(ids)
  }
}

type KeyStatus = { signingKeyAgeSeconds: number, pendingSeconds: number }
export type Rotation = { status: () => KeyStatus, stop: () => Promise<void> }

/**
 * Checks for the next step until stopped. Every process runs one, and a lock lets one work at a
 * time.
 * @returns the state for metrics, and the function that stops it
 */
export function startRotation(options: KeyOptions): Rotation {
  const stopping = new AbortController()
  let status: KeyStatus = { signingKeyAgeSeconds: 0, pendingSeconds: 0 }
  const refreshKeys = keyRefresher(options)
  const check = () =>
    withClient(options.pool, async (client) => {
      await client.query('begin')
      const locked = (await client.query(
        'select from (select pg_try_advisory_xact_lock($1) as locked) attempt where locked',
        [lockKey],
      )).rowCount === 1
      if (locked) {
        await step(options)
        await sql`select private.mark_for_standbys()`.execute(options.db)
        await refreshKeys()
      }
      const { pendingSeconds, ageSeconds: signingKeyAgeSeconds } = await stateOf(options.db)
      status = { pendingSeconds, signingKeyAgeSeconds }
      await client.query('commit')
    })
  const run = async () => {
    while (!stopping.signal.aborted) {
      await check().catch((error: unknown) =>
        options.log.warn({ error: describeError(error) }, 'key rotation failed; it is tried again')
      )
      await sleep(intervalMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }
  const running = run()
  return {
    status: () => status,
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
