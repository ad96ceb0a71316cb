/** Whether the service can do its work now: the database answers, it is migrated and guarded, and there is a key to sign with. */
import { sql } from 'kysely'
import type { AuthDatabase } from '../database.ts'
import { signingKey } from '../keys/adapter.ts'

export type Checks = { database: boolean, migrations: boolean, row_security: boolean, signing_key: boolean }

/**
 * @param migrations the names of all migrations of this version; the database must have each of them, and may have more,
 *   because a newer version's migration runs before its service does
 */
export function healthChecks(db: AuthDatabase, migrations: string[]): () => Promise<Checks> {
  return async () => {
    try {
      const applied = new Set((await db.selectFrom('private.migrations').select('name').execute()).map(({ name }) => name))
      const signing = await signingKey(db).select('id').executeTakeFirst()
      const { rows: unguarded } = await sql`
        select from pg_class where relnamespace = to_regnamespace('api') and relkind in ('r', 'p') and not relrowsecurity limit 1`.execute(db)
      return {
        database: true,
        migrations: migrations.every((name) => applied.has(name)),
        row_security: unguarded.length === 0,
        signing_key: signing !== undefined,
      }
    } catch {
      return { database: false, migrations: false, row_security: false, signing_key: false }
    }
  }
}

/**
 * Keeps what was found for a second, because anybody may ask and each finding costs the database three queries. Whoever asks
 * while it is being found out is told the same.
 * @param now milliseconds of a clock that only goes forward
 */
export function keptForASecond<Found>(find: () => Promise<Found>, now = () => performance.now()): () => Promise<Found> {
  let found: Promise<Found> | undefined
  let isFinding = false
  let until = 0
  return () => {
    if (found === undefined || (!isFinding && now() >= until)) {
      isFinding = true
      // from the beginning, so that nobody hears what is older
      until = now() + 1_000
      found = find().finally(() => {
        isFinding = false
      })
    }
    return found
  }
}
