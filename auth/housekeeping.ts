/** Forgets what has ended: rate-limit windows, sessions, password resets. The engine does so only when a cookie returns. */
import type pg from 'pg'
import type { Rotation } from './keys.ts'
import { describeError, type Log } from './log.ts'
import type { Limits } from './limits.ts'

const everyMs = 10 * 60_000

/**
 * Runs every ten minutes until stopped; several processes may run it at once. It also logs the age of the signing key, for
 * alarms that read logs and no metrics.
 * @returns the function that stops it
 */
export function startHousekeeping(pool: pg.Pool, limits: Limits, rotation: Pick<Rotation, 'status'>, log: Log): () => void {
  const sweep = async () => {
    log.info({ signing_key_age_seconds: rotation.status().signingKeyAgeSeconds }, 'signing key')
    await limits.sweep()
    await pool.query('delete from auth.sessions where expires_at < now()')
    await pool.query('delete from auth.verifications where expires_at < now()')
  }
  const timer = setInterval(() => {
    sweep().catch((error: unknown) => log.warn({ error: describeError(error) }, 'housekeeping failed; it will run again'))
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
