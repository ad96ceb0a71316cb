/** What PostgREST knows of the keys. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import type { FunctionRows } from '../../db/types.ts'
import type { AuthDatabase } from '../database.ts'

/**
 * Whether every PostgREST process has loaded the pending key. Each process announces what it loads, so there must be as many
 * announcements as processes. Two rounds are asked for: one process may load twice in a round, and only its second load
 * proves that it has finished the first.
 * @param databaseUrl the service's own connection, for a session that waits for the announcements
 */
export async function isKnownToAll(db: AuthDatabase, databaseUrl: string, kid: string): Promise<boolean> {
  const listener = new pg.Client({ connectionString: databaseUrl, application_name: 'auth-keys', connectionTimeoutMillis: 5_000 })
  listener.on('error', () => undefined)
  await listener.connect()
  try {
    let announced = 0
    listener.on('notification', ({ payload }) => {
      if (payload === kid) announced += 1
    })
    await listener.query('listen keys_loaded')
    const round = async (): Promise<boolean> => {
      announced = 0
      await listener.query(`notify pgrst, 'reload config'`)
      for (const deadline = Date.now() + 3_000; Date.now() < deadline;) {
        await sleep(100)
        const { rows } = await sql<FunctionRows['private.postgrest_processes']>`select private.postgrest_processes()`.execute(db)
        const processes = rows[0]?.postgrestProcesses ?? 0
        if (processes > 0 && announced >= processes) return true
      }
      return false
    }
    return await round() && await round()
  } finally {
    await listener.end()
  }
}
