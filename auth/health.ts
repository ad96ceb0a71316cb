/** Readiness checks: the database responds, is migrated and guarded, and has a signing key. */
import { sql } from 'kysely'
import type { Worker } from '../common/jobs/worker.ts'
import type { AuthDatabase } from '../http/database.ts'
import { signingKey } from './keys/signing-keys.ts'

export type Checks = {
  database: boolean
  migrations: boolean
  row_security: boolean
  signing_key: boolean
  /** Whether the last query for due emails succeeded; missing in a process that sends none. */
  mail_queue?: boolean
}

/**
 * @param migrations the migrations of this version. The database may have more, because a new
 * version migrates before it starts.
 * @param mails the queue of emails, in the process that sends them
 */
export function healthChecks(
  db: AuthDatabase,
  migrations: string[],
  mails?: Pick<Worker, 'isClaiming'>,
): () => Promise<Checks> {
  const ofMails = () => (mails === undefined ? {} : { mail_queue: mails.isClaiming() })
  return async () => {
    try {
      const applied = new Set(
        (await db.selectFrom('private.migrations').select('name').execute()).map(({ name }) =>
          name
        ),
      )
      const signing = await signingKey(db).select('id').executeTakeFirst()
      const { rows: unguarded } = await sql`
        select from pg_class where relnamespace = to_regnamespace('api') and relkind in ('r', 'p') and not relrowsecurity limit 1`
        .execute(db)
      return {
        database: true,
        migrations: migrations.every((name) => applied.has(name)),
        row_security: unguarded.length === 0,
        signing_key: signing !== undefined,
        ...ofMails(),
      }
    } catch {
      const none = { database: false, migrations: false, row_security: false, signing_key: false }
      return { ...none, ...ofMails() }
    }
  }
}

/**
 * Caches the result for a second, because every check costs three queries and anyone may request
 * it. Concurrent requests share one check.
 * @param now milliseconds of a monotonic clock
 */
export function cacheForASecond(
  find: () => Promise<Checks>,
  now = () => performance.now(),
): () => Promise<Checks> {
  let found: Promise<Checks> | undefined
  let isFinding = false
  let until = 0
  return () => {
    if (found === undefined || (!isFinding && now() >= until)) {
      isFinding = true
      // counts from the start of the check, so that no result is older
      until = now() + 1_000
      found = find().finally(() => {
        isFinding = false
      })
    }
    return found
  }
}
