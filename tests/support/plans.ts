/** What PostgreSQL reads for a query: rows and pages, which are the same on every machine, and not the time. */
import { once } from 'node:events'
import { expect } from 'vitest'
import type pg from 'pg'
import type { Asking } from './crowd.ts'
import type { DataStack } from './data.ts'

type Plan = { 'Node Type': string, 'Index Name'?: string, 'Relation Name'?: string, Plans?: Plan[] } & Record<string, unknown>

const number = (plan: Plan, ...names: string[]): number => names.reduce((sum, name) => sum + Number(plan[name] ?? 0), 0)

/**
 * Runs a query as PostgREST does for the caller: what it read of some tables, and by which indexes.
 * @param tables whose rows are counted
 * @param given what PostgREST passes as values, which is everything that a client sends, limits too
 */
export async function readOf(
  owner: pg.Client,
  tables: string[],
  query: string,
  { user, organization }: Asking,
  given: (string | number)[] = [],
): Promise<{ rows: number, pages: number, indexes: string[] }> {
  await owner.query('begin')
  try {
    await owner.query(
      `select set_config(split_part(setting, '=', 1), split_part(setting, '=', 2), true) from pg_roles, unnest(rolconfig) setting where rolname = 'authenticated'`,
    )
    await owner.query(`prepare asked as ${query}; set local role authenticated`)
    const claims = { user_id: user, claims: organization === undefined ? {} : { organization_id: organization, organization_role: 'owner' } }
    await owner.query(`select set_config('request.jwt.claims', $1, true)`, [JSON.stringify(claims)])
    const values = given.length === 0 ? '' : `(${given.map((value) => `'${value}'`).join(', ')})`
    const { rows } = await owner.query(`explain (analyze, buffers, timing off, format json) execute asked${values}`)
    const [{ Plan: root }] = rows[0]['QUERY PLAN'] as [{ Plan: Plan }]
    const flat = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flat)]
    const nodes = flat(root)
    const scans = nodes.filter((node) => tables.includes(node['Relation Name'] ?? ''))
    return {
      rows: scans.reduce(
        (sum, node) => sum + number(node, 'Actual Rows', 'Rows Removed by Filter', 'Rows Removed by Index Recheck') * number(node, 'Actual Loops'),
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
 * How many rows of each table all that PostgREST has executed so far has read. Ends PostgREST's connections, because what one
 * has read is known then.
 */
export async function rowsEverReadOf({ owner, anonymous }: Pick<DataStack, 'owner' | 'anonymous'>, tables: string[]): Promise<number[]> {
  await owner.query('listen keys_loaded')
  const announced = once(owner, 'notification')
  const { rows: ended } = await owner.query<{ pid: number }>(
    `select pid, pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = 'authenticator'`,
  )
  await expect.poll(async () => (await owner.query('select from pg_stat_activity where pid = any ($1)', [ended.map(({ pid }) => pid)])).rowCount).toBe(0)
  // the owner's own is told now
  await owner.query('select pg_stat_force_next_flush()')
  // PostgREST finds a connection that ended, and opens another
  await expect.poll(async () => (await anonymous.get('/transactions?limit=1')).status).toBe(200)
  // PostgREST then reads its keys again, and answers 500 to every token until it has them. To end that query too would cost it the keys.
  await announced
  await owner.query('unlisten keys_loaded')
  await expect.poll(async () => (await anonymous.get('/transactions?limit=1', { authorization: 'Bearer nonsense' })).status).toBe(401)
  const { rows: read } = await owner.query<{ rows: string }>(
    `select seq_tup_read + idx_tup_fetch as rows from unnest($1::text[]) with ordinality as t (name, at)
     join pg_stat_user_tables on relid = ('api.' || name)::regclass order by at`,
    [tables],
  )
  return read.map(({ rows }) => Number(rows))
}

/** The same of one table. */
export const rowsEverRead = async (stack: Pick<DataStack, 'owner' | 'anonymous'>, table: string): Promise<number> =>
  (await rowsEverReadOf(stack, [table]))[0] ?? NaN
