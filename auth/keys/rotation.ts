/**
 * The signing keys and their rotation: publish, wait until every PostgREST has loaded the new key, sign with it, and let
 * the old one verify until the last token it signed has ended. Nobody sees a 401 for it. The state is in auth.jwks, so
 * that any process may take the next step and all sign with the same key.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createJwk, type JwtOptions } from 'better-auth/plugins'
import type pg from 'pg'
import { configError } from '../../infra/shared/errors.ts'
import { describeError, type Log } from '../log.ts'
import { isKnownToAll } from './postgrest.ts'

/** Any number, as long as nothing else in this database takes the same advisory lock. */
const lockKey = 710_331_804_120

/** How often a process looks whether a step is due, in milliseconds. */
const turnMs = 2_000

/** What a rotation needs of the engine: its context, whose secret encrypts the private half, and its signature. */
type KeyEngine = {
  context: unknown
  api: { signJWT: (input: { body: { payload: Record<string, unknown> } }) => Promise<unknown> }
}

export type KeyOptions = {
  engine: KeyEngine
  jwt: JwtOptions
  pool: pg.Pool
  /** The service's own connection, for the one session that waits for announcements. */
  databaseUrl: string
  log: Log
  /** A key signs for so long, in seconds; 0 is until an operator asks. */
  rotationIntervalSeconds: number
  /** How long what a superseded key signed is still accepted, in seconds. */
  retireAfterSeconds: number
}

const publish = async ({ engine, jwt }: KeyOptions) => {
  await createJwk({ context: engine.context, path: '/rotation' } as Parameters<typeof createJwk>[0], jwt)
}

/**
 * Makes the first key if there is none, under a lock, so that processes that start together make one; then signs once to
 * prove that the secret still opens it.
 * @throws ConfigError when the secret is not the one the keys were encrypted with
 */
export async function provisionKey(options: KeyOptions): Promise<void> {
  const { pool, engine } = options
  const client = await pool.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [lockKey])
    const { rowCount } = await client.query('select from auth.jwks limit 1')
    if (rowCount === 0) {
      await publish(options)
      // nobody holds a token yet, so there is nobody to wait for
      await client.query('update auth.jwks set signs_from = now() where signs_from is null')
    }
  } finally {
    // ends the connection, and with it the lock
    client.release(true)
  }
  const { rowCount } = await pool.query('select from auth.jwks where signs_from is not null and expires_at is null')
  if (rowCount === 0) return
  try {
    await engine.api.signJWT({ body: { payload: {} } })
  } catch {
    throw configError('BETTER_AUTH_SECRET does not open the signing keys in the database: set it to the value they were made with, or begin anew with `npm run admin -- keys revoke --all`.')
  }
}

type State = { pending: string | null, pending_seconds: number, signing: string | null, age_seconds: number, requested: boolean }

async function stateOf(pool: pg.Pool): Promise<State> {
  const { rows } = await pool.query<State>(`
    select pending.id as pending, coalesce(extract(epoch from now() - pending.created_at), 0)::float8 as pending_seconds,
      signing.id as signing, coalesce(extract(epoch from now() - signing.signs_from), 0)::float8 as age_seconds,
      coalesce(s.key_rotation_requested_at > signing.signs_from, false) as requested
    from (select max(key_rotation_requested_at) as key_rotation_requested_at from private.settings) s
    left join auth.jwks pending on pending.signs_from is null
    left join auth.jwks signing on signing.signs_from is not null and signing.expires_at is null`)
  return rows[0] ?? { pending: null, pending_seconds: 0, signing: null, age_seconds: 0, requested: false }
}

async function sign(pool: pg.Pool, kid: string, retireAfterSeconds: number): Promise<void> {
  const client = await pool.connect()
  let failed = true
  try {
    await client.query('begin')
    await client.query('update auth.jwks set expires_at = now() + make_interval(secs => $1) where signs_from is not null and expires_at is null', [retireAfterSeconds])
    await client.query('update auth.jwks set signs_from = now() where id = $1', [kid])
    await client.query('commit')
    failed = false
  } finally {
    client.release(failed)
  }
}

/** Takes the step that is due, if any. The caller holds the lock. */
async function step(options: KeyOptions): Promise<void> {
  const { pool, log, rotationIntervalSeconds: interval, retireAfterSeconds } = options
  // asked first, because the trigger tells PostgREST of a delete that deletes nothing too
  const ended = await pool.query('select from auth.jwks where expires_at <= now()')
  if (ended.rowCount !== 0) {
    const retired = await pool.query<{ id: string }>('delete from auth.jwks where expires_at <= now() returning id')
    for (const { id } of retired.rows) log.info({ kid: id }, 'signing key retired')
  }
  const state = await stateOf(pool)
  if (state.pending === null) {
    const isDue = state.signing === null || state.requested || (interval > 0 && state.age_seconds > interval)
    if (!isDue) return
    await publish(options)
  }
  const { pending } = await stateOf(pool)
  if (pending === null) return
  if (!await isKnownToAll(options.databaseUrl, pending)) {
    log.warn({ kid: pending }, 'PostgREST has not loaded the new signing key, so it does not sign yet')
    return
  }
  await sign(pool, pending, retireAfterSeconds)
  log.info({ kid: pending }, 'signing key rotated')
}

export type KeyStatus = { signingKeyAgeSeconds: number, pendingSeconds: number }
export type Rotation = { status: () => KeyStatus, stop: () => Promise<void> }

/**
 * Looks again and again whether a step is due. Every process runs one; a lock lets one of them work at a time.
 * @returns what the metrics show, and the function that stops it
 */
export function startRotation(options: KeyOptions): Rotation {
  const stopping = new AbortController()
  let status: KeyStatus = { signingKeyAgeSeconds: 0, pendingSeconds: 0 }
  const turn = async () => {
    const client = await options.pool.connect()
    // a connection that may hold the lock does not go back to the pool: ending it ends the lock
    let mayHoldLock = true
    try {
      const locked = (await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [lockKey])).rows[0]?.locked === true
      try {
        if (locked) await step(options)
        const { pending_seconds: pendingSeconds, age_seconds: signingKeyAgeSeconds } = await stateOf(options.pool)
        status = { pendingSeconds, signingKeyAgeSeconds }
      } finally {
        if (locked) await client.query('select pg_advisory_unlock($1)', [lockKey])
        mayHoldLock = false
      }
    } finally {
      client.release(mayHoldLock)
    }
  }
  const run = async () => {
    while (!stopping.signal.aborted) {
      await turn().catch((error: unknown) => options.log.warn({ error: describeError(error) }, 'key rotation failed; it is tried again'))
      await sleep(turnMs, undefined, { signal: stopping.signal }).catch(() => undefined)
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
