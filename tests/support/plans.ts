/**
 * Measures the rows and pages that PostgreSQL reads for a query. Unlike times, they are the same on
 * every machine.
 */
import { once } from 'node:events'
import { expect } from 'vitest'
import type pg from 'pg'
import type { DatasetCaller } from './large-dataset.ts'
import type { DataStack } from './data.ts'

type Plan =
  & { 'Node Type': string, 'Index Name'?: string, 'Relation Name'?: string, Plans?: Plan[] }
  & Record<string, unknown>

const number = (plan: Plan, ...names: string[]): number =>
  names.reduce((sum, name) => sum + Number(plan[name] ?? 0), 0)

/**
 * Runs a query like PostgREST for the caller, and returns the rows, pages and indexes that it read.
 * @param tables the tables whose rows are counted
 * @param parameters the values of the prepared statement: all values of the client's request,
 * including limits
 */
export async function measureReads(
  owner: pg.Client,
  tables: string[],
  query: string,
  { user, organization }: DatasetCaller,
  parameters: (string | number)[] = [],
): Promise<{ rows: number, pages: number, indexes: string[] }> {
  await owner.query('begin')
  try {
    await owner.query(
      `select set_config(split_part(setting, '=', 1), split_part(setting, '=', 2), true) from pg_roles, unnest(rolconfig) setting where rolname = 'authenticated'`,
    )
    await owner.query(`prepare measured as ${query}; set local role authenticated`)
    const claims = {
      user_id: user,
      claims: organization === undefined
        ? {}
        : { organization_id: organization, organization_role: 'owner' },
    }
    await owner.query(`select set_config('request.jwt.claims', $1, true)`, [JSON.stringify(claims)])
    const values = parameters.length === 0
      ? ''
      : `(${parameters.map((value) => `'${value}'`).join(', ')})`
    const { rows } = await owner.query(
      `explain (analyze, buffers, timing off, format json) execute measured${values}`,
    )
    const [{ Plan: root }] = rows[0]['QUERY PLAN'] as [{ Plan: Plan }]
    const flat = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flat)]
    const nodes = flat(root)
    const scans = nodes.filter((node) => tables.includes(node['Relation Name'] ?? ''))
    return {
      rows: scans.reduce(
        (sum, node) =>
          sum +
          number(node, 'Actual Rows', 'Rows Removed by Filter', 'Rows Removed by Index Recheck') *
            number(node, 'Actual Loops'),
        0,
      ),
      pages: number(root, 'Shared Hit Blocks', 'Shared Read Blocks'),
      indexes: nodes.flatMap((node) => node['Index Name'] ?? []),
    }
  } finally {
    await owner.query('rollback; deallocate all')
  }
}

/**
 * Returns the number of rows per table that PostgREST has read since its start. Closes PostgREST's
 * connections, because a connection reports its statistics when it closes.
 */
export async function totalRowsReadFrom(
  { owner, anonymous }: Pick<DataStack, 'owner' | 'anonymous'>,
  tables: string[],
): Promise<number[]> {
  await owner.query('listen keys_loaded')
  const announced = once(owner, 'notification')
  const { rows: ended } = await owner.query<{ pid: number }>(
    `select pid, pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = 'authenticator'`,
  )
  await expect.poll(async () =>
    (await owner.query('select from pg_stat_activity where pid = any ($1)', [
      ended.map(({ pid }) => pid),
    ])).rowCount
  ).toBe(0)
  // The owner's connection reports its statistics now.
  await owner.query('select pg_stat_force_next_flush()')
  // PostgREST notices the closed connection and opens a new one.
  await expect.poll(async () => (await anonymous.get('/transactions?limit=1')).status).toBe(200)
  // PostgREST then reloads its keys and responds 500 to every token meanwhile. Waiting here avoids
  // closing that connection as well.
  await announced
  await owner.query('unlisten keys_loaded')
  await expect.poll(async () =>
    (await anonymous.get('/transactions?limit=1', { authorization: 'Bearer nonsense' })).status
  ).toBe(401)
  // Then it reads its schema again, and may respond 503 meanwhile.
  await expect.poll(async () => (await anonymous.get('/transactions?limit=1')).status).toBe(200)
  const { rows: read } = await owner.query<{ rows: string }>(
    `select seq_tup_read + idx_tup_fetch as rows from unnest($1::text[]) with ordinality as t (name, at)
     join pg_stat_user_tables on relid = ('api.' || name)::regclass order by at`,
    [tables],
  )
  return read.map(({ rows }) => Number(rows))
}

/** Returns the number of rows of one table that PostgREST has read since its start. */
export const totalRowsRead = async (
  stack: Pick<DataStack, 'owner' | 'anonymous'>,
  table: string,
): Promise<number> => (await totalRowsReadFrom(stack, [table]))[0] ?? NaN
