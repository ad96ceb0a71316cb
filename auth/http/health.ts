/** Whether the service can do its work now: the database answers, it is migrated, and there is a key to sign with. */
import type { AuthDatabase } from '../database.ts'
import { signingKey } from '../keys/adapter.ts'

export type Checks = { database: boolean, migrations: boolean, signing_key: boolean }

/**
 * @param migrations the names of all migrations of this version; the database must have each of them, and may have more,
 *   because a newer version's migration runs before its service does
 */
export function healthChecks(db: AuthDatabase, migrations: string[]): () => Promise<Checks> {
  return async () => {
    try {
      const applied = new Set((await db.selectFrom('private.migrations').select('name').execute()).map(({ name }) => name))
      const signing = await signingKey(db).select('id').executeTakeFirst()
      return { database: true, migrations: migrations.every((name) => applied.has(name)), signing_key: signing !== undefined }
    } catch {
      return { database: false, migrations: false, signing_key: false }
    }
  }
}
