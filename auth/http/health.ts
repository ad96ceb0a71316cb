/** Whether the service can do its work now: the database answers, it is migrated, and there is a key to sign with. */
import type pg from 'pg'

export type Checks = { database: boolean, migrations: boolean, signing_key: boolean }

/**
 * @param migrations the names of all migrations of this version; the database must have each of them, and may have more,
 *   because a newer version's migration runs before its service does
 */
export function healthChecks(pool: pg.Pool, migrations: string[]): () => Promise<Checks> {
  return async () => {
    try {
      const { rows } = await pool.query<{ migrations: boolean, signing_key: boolean }>(
        `select not exists (select unnest($1::text[]) except select name from private.migrations) as migrations,
           exists (select from auth.jwks where signs_from is not null and expires_at is null) as signing_key`, [migrations])
      return { database: true, migrations: rows[0]?.migrations ?? false, signing_key: rows[0]?.signing_key ?? false }
    } catch {
      return { database: false, migrations: false, signing_key: false }
    }
  }
}
