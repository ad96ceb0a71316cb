/**
 * Stores jobs in the table `private.jobs`, the queue of durable work. A job of a transaction is
 * stored with it or not at all.
 */
import type pg from 'pg'

/** A connection or a pool. The job belongs to the connection's open transaction. */
export type JobStore = Pick<pg.ClientBase, 'query'>

/** Stores a job that runs once. */
export async function enqueue(store: JobStore, task: string, payload: object): Promise<void> {
  await store.query('insert into private.jobs (task, payload) values ($1, $2)', [task, payload])
}

/**
 * Stores jobs that run again and again, one for each key. Their handlers return the time of the
 * next run. Any number of processes may call this at their start. Jobs that are there stay as they
 * are. With another payload they become due at once, also if they are running.
 */
export async function schedule(
  store: JobStore,
  task: string,
  keys: readonly string[],
  payload: object = {},
): Promise<void> {
  await store.query(
    `insert into private.jobs (task, key, payload) select $1, wanted.key, $3 from unnest($2::text[]) as wanted (key)
      where not exists (select from private.jobs j where j.task = $1 and j.key = wanted.key) on conflict do nothing`,
    [task, keys, payload],
  )
  await store.query(
    `update private.jobs set payload = $3, run_at = now(), leased_until = null, failures = 0, last_error = null
      where task = $1 and key = any ($2) and payload <> $3`,
    [task, keys, payload],
  )
}
