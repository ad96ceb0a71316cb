/** The signing keys: one is there before the first request, and it can be read with the secret at hand. */
import type pg from 'pg'
import { configError } from './config.ts'

/** Any number, as long as nothing else in this database takes the same advisory lock. */
const lockKey = 710_331_804_120

/**
 * What the engine can do with keys without a request. `getJwks` makes a key where there is none, `signJWT` decrypts the
 * newest one.
 */
type KeyEngine = {
  api: {
    getJwks(): Promise<{ keys: unknown[] }>
    signJWT(input: { body: { payload: Record<string, unknown> } }): Promise<unknown>
  }
}

/**
 * Makes the first key if there is none, under a lock, so that processes that start together make one; then signs once to
 * prove that the secret still opens it.
 * @throws ConfigError when the secret is not the one the keys were encrypted with
 */
export async function provisionKey(engine: KeyEngine, pool: pg.Pool): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [lockKey])
    await engine.api.getJwks()
  } finally {
    // ends the connection, and with it the lock
    client.release(true)
  }
  try {
    await engine.api.signJWT({ body: { payload: {} } })
  } catch {
    throw configError('BETTER_AUTH_SECRET does not open the signing keys in the database: set it to the value they were made with.')
  }
}
