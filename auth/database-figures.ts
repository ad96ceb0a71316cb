/**
 * The figures of PostgreSQL itself that the role `auth_service` may read. They are the same at each
 * process of the service.
 */
import type pg from 'pg'
import { collationChangeSql } from '../common/collation.ts'

export type DatabaseFigures = {
  sizeBytes: number
  /** Connections of clients to all databases of the server, and their maximum. */
  connections: number
  maxConnections: number
  /** Statements that wait for a lock, and the time of the longest wait. */
  waiting: number
  longestWaitSeconds: number
  /** Start of the server, in seconds since the epoch. */
  startedAt: number
  /**
   * Age of the oldest open or prepared transaction of the server. Null if the owner of the database
   * may not see those of others.
   */
  oldestTransactionSeconds: number | null
  /** Share of the queue of notifications that listeners have not read. */
  notificationQueueRatio: number
  /** Whether the library that sorts texts has changed since the indexes were built. */
  collationChanged: boolean
  /** The log that the server keeps for each replication slot. */
  slots: { name: string, isActive: boolean, keptBytes: number }[]
}

/**
 * `usename` tells clients from processes of the server, because the kind of a process is hidden
 * from this role.
 */
const query = `
  with waits as (select waitstart from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database())
  select pg_database_size(current_database())::float8 as "sizeBytes",
    (select count(*)::int from pg_stat_activity where datname is not null and usename is not null) as connections,
    current_setting('max_connections')::int as "maxConnections",
    (select count(*)::int from waits) as waiting,
    (select coalesce(max(extract(epoch from clock_timestamp() - waitstart)), 0)::float8 from waits) as "longestWaitSeconds",
    extract(epoch from pg_postmaster_start_time())::float8 as "startedAt",
    private.oldest_transaction_seconds() as "oldestTransactionSeconds",
    pg_notification_queue_usage() as "notificationQueueRatio",
    (${collationChangeSql}) is not null as "collationChanged",
    (select coalesce(json_agg(json_build_object('name', slot_name, 'isActive', active,
        'keptBytes', coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0))), '[]') from pg_replication_slots) as slots`

export async function readDatabaseFigures(pool: pg.Pool): Promise<DatabaseFigures> {
  const { rows: [figures] } = await pool.query<DatabaseFigures>(query)
  if (figures === undefined) throw new Error('the database returned no figures')
  return figures
}
