/**
 * The replication of a tenant's rows by PostgreSQL itself: a publication with a row filter and a
 * slot at the source, and a subscription at the target. Its workers fire no ordinary triggers, so
 * no row is stored twice.
 */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { TenantTables } from './tenant-tables.ts'
import { operatorError } from './terminal.ts'

/** Beginning of the names of all publications, slots and subscriptions of moves. */
const prefix = 'tenant_move_'

/** Returns the name of the publication, the slot and the subscription of a tenant. */
const nameOf = (tenant: string): string =>
  `${prefix}${createHash('sha256').update(tenant).digest('hex').slice(0, 16)}`

/** Time for which locks of tables are tried, in milliseconds. */
const lockPatienceMs = 60_000

/**
 * Runs statements that need exclusive locks of tables in one transaction. Requests of all tenants
 * wait meanwhile, so it waits only briefly for each lock. Its lock timeout is also shorter than
 * PostgreSQL's deadlock timeout, so that no request is cancelled.
 */
async function withTableLocks(
  client: pg.Client,
  tables: string[],
  statements: string[],
): Promise<void> {
  for (const deadline = Date.now() + lockPatienceMs;;) {
    try {
      await client.query([
        `begin; set local lock_timeout = '100ms'`,
        ...(tables.length === 0 ? [] : [`lock table ${tables.join(', ')}`]),
        ...statements,
        'commit',
      ].join('; '))
      return
    } catch (error) {
      await client.query('rollback')
      const isBusy = error instanceof pg.DatabaseError && error.code === '55P03'
      if (!isBusy || Date.now() > deadline) throw error
      await sleep(200)
    }
  }
}

/**
 * Publishes the tenant's rows. An update is published with its former row (replica identity full),
 * because the filter needs the former tenant. Both change in one transaction: without the identity
 * PostgreSQL would refuse all updates of the published tables.
 */
export async function publish(
  source: pg.Client,
  { moved }: TenantTables,
  tenant: string,
): Promise<void> {
  const filter = `where (tenant = ${source.escapeLiteral(tenant)})`
  await withTableLocks(source, moved.map(({ name }) => name), [
    ...moved.map(({ name }) => `alter table ${name} replica identity full`),
    `create publication ${nameOf(tenant)} for table ${
      moved.map(({ name }) => `${name} ${filter}`).join(', ')
    } with (publish = 'insert, update, delete')`,
  ])
  await source.query(`select pg_create_logical_replication_slot($1, 'pgoutput')`, [nameOf(tenant)])
}

/** Starts the copy of the tenant's rows. @param sourceUrl the source as the target's server reaches it */
export async function subscribe(
  target: pg.Client,
  tenant: string,
  sourceUrl: string,
): Promise<void> {
  const url = new URL(sourceUrl)
  // only the Node driver has no-verify
  if (url.searchParams.get('sslmode') === 'no-verify') url.searchParams.set('sslmode', 'require')
  const name = nameOf(tenant)
  await target.query(
    `create subscription ${name} connection ${target.escapeLiteral(url.href)} publication ${name}
      with (create_slot = false, slot_name = ${name}, synchronous_commit = 'on', streaming = off)`,
  )
}

/** Deletes the subscription of a tenant with its slots. */
export async function unsubscribe(target: pg.Client, tenant: string): Promise<void> {
  const name = nameOf(tenant)
  const { rowCount } = await target.query(
    `select from pg_subscription s join pg_database d on d.oid = s.subdbid
    where s.subname = $1 and d.datname = current_database()`,
    [name],
  )
  if (rowCount === 0) return
  await target.query(`alter subscription ${name} disable`)
  try {
    await target.query(`drop subscription ${name}`)
  } catch {
    // the source has no slot of this name, or cannot be reached
    await target.query(`alter subscription ${name} set (slot_name = none)`)
    await target.query(`drop subscription ${name}`)
  }
}

/**
 * Deletes the publications and slots of all moves, also of one that was killed, and restores the
 * replica identities. Only one move of a source runs at a time.
 */
export async function unpublish(source: pg.Client): Promise<void> {
  const { rows: publications } = await source.query<{ name: string }>(
    'select pubname as name from pg_publication where starts_with(pubname, $1)',
    [prefix],
  )
  const { rows: tables } = await source.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
    where relreplident = 'f' and relnamespace::regnamespace::text in ('api', 'auth', 'private')`,
  )
  if (publications.length + tables.length > 0)
    await withTableLocks(source, tables.map(({ name }) => name), [
      ...publications.map(({ name }) => `drop publication ${name}`),
      ...tables.map(({ name }) => `alter table ${name} replica identity default`),
    ])
  const { rows: slots } = await source.query<{ name: string }>(
    `select slot_name as name, pg_terminate_backend(active_pid, 5000) from pg_replication_slots
    where starts_with(slot_name, $1) and database = current_database()`,
    [prefix],
  )
  for (const { name } of slots)
    await source.query('select pg_drop_replication_slot($1)', [name])
}

/** Returns true if a publication or a slot of a tenant exists. */
export async function isPublished(source: pg.Client, tenant: string): Promise<boolean> {
  const { rowCount } = await source.query(
    `select from pg_publication where pubname = $1
    union all select from pg_replication_slots where slot_name = $1`,
    [nameOf(tenant)],
  )
  return rowCount !== 0
}

/** Pause between two looks at the replication, in milliseconds. */
const pauseMs = 200

/** Waits until all tables are copied. @throws an operator error after an error of a worker */
export async function waitForCopy(
  target: pg.Client,
  tenant: string,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const { rows: [state] } = await target.query<{ waiting: number, errors: number }>(
      `select (select count(*)::integer from pg_subscription_rel
          where srsubid = s.oid and srsubstate <> 'r') as waiting,
        (select (apply_error_count + sync_error_count)::integer from pg_stat_subscription_stats
          where subid = s.oid) as errors
      from pg_subscription s where s.subname = $1`,
      [nameOf(tenant)],
    )
    if (state === undefined || state.errors > 0)
      throw operatorError(
        "The target cannot copy the rows. The log of the target's server says why.",
      )
    if (state.waiting === 0) return
    await sleep(pauseMs)
  }
}

/** Writes a mark into the source's log. @returns its place */
async function markLog(source: pg.Client): Promise<string> {
  const { rows } = await source.query<{ place: string }>(
    `select pg_logical_emit_message(true, 'finance', 'tenant move')::text as place`,
  )
  return rows[0]!.place
}

/**
 * Waits until the target has stored everything that the source has committed so far.
 * @param deadline in milliseconds since 1970
 * @throws an operator error after the deadline
 */
export async function waitForTarget(
  source: pg.Client,
  tenant: string,
  deadline: number,
  signal: AbortSignal,
): Promise<void> {
  const place = await markLog(source)
  for (;;) {
    signal.throwIfAborted()
    const { rows: [slot] } = await source.query<{ hasReceived: boolean }>(
      `select confirmed_flush_lsn >= $2::pg_lsn as "hasReceived" from pg_replication_slots
      where slot_name = $1`,
      [nameOf(tenant), place],
    )
    if (slot === undefined) throw operatorError('The replication slot has disappeared.')
    if (slot.hasReceived) return
    if (Date.now() > deadline) throw operatorError('The target does not follow fast enough.')
    await sleep(10)
  }
}
