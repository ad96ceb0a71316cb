/** Makes sure that every PostgREST has the keys. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import type { FunctionRows } from '../../db/types.ts'
import type { AuthDatabase } from '../../http/database.ts'
import type { Log } from '../../common/log.ts'

/** The announcement of a PostgREST that has loaded the keys while no key is pending. */
const nonePending = ''
/**
 * Interval of the checks without a change, in milliseconds. They find a reload that failed without
 * a lost session.
 */
const recheckMs = 60_000
/**
 * Number of checks that may follow each other at once, and the number of calls per check after
 * that.
 */
const [checksAtOnce, callsPerCheck] = [5, 15]

/**
 * Notifies every PostgREST to load the keys. A PostgREST on a standby may load before the change
 * has reached the standby, so it needs this again.
 */
export async function notifyAgain(db: AuthDatabase): Promise<void> {
  await sql`notify pgrst, 'reload config'`.execute(db)
}

/**
 * Returns true if every PostgREST process of the primary has loaded the pending key. Each process
 * announces its load, so there must be as many announcements as processes. Two rounds are needed: a
 * process may load twice in one round, and only its second load proves that the first has finished.
 * @param databaseUrl the service's connection, for the session that waits for announcements
 * @param what 'reload config' uses a connection of PostgREST's pool; 'reload schema' opens new ones
 * first
 */
export async function isLoadedByAll(
  db: AuthDatabase,
  databaseUrl: string,
  kid: string,
  what: 'reload config' | 'reload schema' = 'reload config',
): Promise<boolean> {
  const listener = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'auth-keys',
    connectionTimeoutMillis: 5_000,
  })
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
      await listener.query(`notify pgrst, '${what}'`)
      for (const deadline = Date.now() + 3_000; Date.now() < deadline;) {
        await sleep(100)
        const { rows } = await sql<
          FunctionRows['private.postgrest_processes']
        >`select private.postgrest_processes()`.execute(db)
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

/**
 * Repairs a PostgREST that has no keys. PostgREST loads the keys after a lost connection and after
 * a notification. If the query fails, PostgREST drops the keys that it had, and every token is 500
 * until the next load. The query fails on a lost connection, or without a free one. The function
 * notifies every PostgREST to open new connections and load again when
 * - the keys changed,
 * - the database lost sessions,
 * - a PostgREST began to listen. It repeats that until each has announced the keys. Once a minute
 *   it lets each load the keys without new connections.
 * @returns the function that the rotation calls at each check while no key is pending, with the ids
 * of the keys
 */
export function keysKeeper(
  db: AuthDatabase,
  databaseUrl: string,
  log: Log,
): (keys: string) => Promise<void> {
  /** The state when each PostgREST had announced the keys. */
  let announcedState: { listeners: string, lost: string, keys: string, at: number } | undefined
  let recentChecks = 0
  return async (keys) => {
    recentChecks = Math.max(0, recentChecks - 1 / callsPerCheck)
    if (recentChecks > checksAtOnce - 1) return
    const { rows: [now] } = await sql<
      FunctionRows['private.postgrest_listeners'] & { lost: string }
    >`
      select private.postgrest_listeners(), sessions_killed + sessions_fatal + sessions_abandoned as lost
      from pg_stat_database where datname = current_database()`.execute(db)
    const listeners = now?.postgrestListeners.join() ?? ''
    // without PostgREST there is no process to notify
    if (now === undefined || listeners === '') return
    const { lost } = now
    const unchanged = announcedState?.listeners === listeners && announcedState.lost === lost &&
        announcedState.keys === keys
      ? announcedState
      : undefined
    if (unchanged !== undefined && Date.now() - unchanged.at < recheckMs) return
    recentChecks += 1
    if (announcedState !== undefined && announcedState.lost !== lost)
      log.info('the database lost sessions, so every PostgREST loads its keys anew')
    if (
      await isLoadedByAll(
        db,
        databaseUrl,
        nonePending,
        unchanged === undefined ? 'reload schema' : 'reload config',
      )
    ) {
      announcedState = { listeners, lost, keys, at: Date.now() }
    } else {
      announcedState = undefined
      log.warn('not every PostgREST has loaded the signing keys; they are told again')
    }
  }
}
