/**
 * Speed is designed in: lists, ranges and filters walk the index of the caller's own tenant, and the claims are read once
 * a query. What is looked at is the shape of the plan, not the time, at ten thousand rows and at a million.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type pg from 'pg'
import { ownedDatabase } from '../support/database.ts'

let stop: () => Promise<void>
let db: pg.Client

type Plan =
  & { 'Node Type': string, 'Index Name'?: string, 'Relation Name'?: string, 'Subplan Name'?: string, 'Parent Relationship'?: string, Plans?: Plan[] }
  & Record<string, unknown>

beforeAll(async () => {
  ;({ db, stop } = await ownedDatabase())
  await db.query(`
    insert into auth.users (id, name, email) select 'user ' || n, 'x', 'user' || n || '@example.com' from generate_series(1, 2000) n;
    insert into auth.organizations (id, name, slug) select 'org ' || n, 'x', 'org ' || n from generate_series(1, 100) n`)
})
afterAll(() => stop())

/** Fills the table up: half personal rows, half team rows, one user and one organization with many. */
async function fill(rows: number): Promise<void> {
  // an index is built once at the end and a constraint asked of none of these rows, because those take the time of a
  // million inserts, and this database is the test's own
  const { rows: indexes } = await db.query<{ name: string, definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index where indrelid = 'api.transactions'::regclass and not indisprimary`,
  )
  const { rows: checks } = await db.query<{ name: string }>(
    `select conname as name from pg_constraint where conrelid = 'api.transactions'::regclass and contype in ('c', 'f')`,
  )
  await db.query(`
    begin;
    ${indexes.map(({ name }) => `drop index ${name};`).join('\n')}
    ${checks.map(({ name }) => `alter table api.transactions drop constraint ${name};`).join('\n')}
    alter table api.transactions drop constraint transactions_pkey cascade;
    alter table api.transactions disable trigger user;
    truncate api.transactions cascade;
    insert into api.transactions (name, amount, user_id, organization_id, status, transaction_date)
      select 'row', n % 1000, 'user ' || case when n % 10 = 0 then 1 else n % 2000 + 1 end, case when n % 2 = 0 then 'org ' || case when n % 5 = 0 then 1 else n % 100 + 1 end end,
        (array['paid', 'pending', 'failed'])[n % 3 + 1], timestamptz '2025-01-01' - n * interval '1 minute'
      from generate_series(1, ${rows}) n;
    alter table api.transactions add primary key (id);
    ${indexes.map(({ definition }) => `${definition};`).join('\n')}
    commit;
    analyze api.transactions`)
}

/** The plan for a caller, with the settings of the role, as PostgREST asks. */
async function explain(query: string, claims: Record<string, unknown>): Promise<{ text: string, nodes: Plan[] }> {
  await db.query('begin')
  try {
    await db.query(
      `select set_config(split_part(setting, '=', 1), split_part(setting, '=', 2), true) from pg_roles, unnest(rolconfig) setting where rolname = 'authenticated'`,
    )
    await db.query('set local role authenticated')
    await db.query(`select set_config('request.jwt.claims', $1, true)`, [JSON.stringify(claims)])
    const { rows } = await db.query(`explain (format json, verbose) ${query}`)
    const [{ Plan: root }] = rows[0]['QUERY PLAN'] as [{ Plan: Plan }]
    const flat = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flat)]
    return { text: JSON.stringify(root), nodes: flat(root) }
  } finally {
    await db.query('rollback')
  }
}

const personal = { user_id: 'user 7', claims: {} }
const team = { user_id: 'user 7', claims: { organization_id: 'org 3', organization_role: 'viewer' } }
const big = { user_id: 'user 1', claims: { organization_id: 'org 1', organization_role: 'owner' } }

describe.each([10_000, 1_000_000])('with %i transactions', (rows) => {
  beforeAll(() => fill(rows), 60_000)

  describe.each([['a personal caller', personal], ['a team caller', team], ["the biggest team's caller", big]])('%s', (_, claims) => {
    test.each([
      ['the newest', 'select * from api.transactions order by transaction_date desc limit 50'],
      [
        'a date range',
        `select * from api.transactions where transaction_date >= '2024-12-01' and transaction_date < '2025-01-01' order by transaction_date desc limit 50`,
      ],
      ['fifty, in no order', 'select * from api.transactions limit 50'],
      ['fifty by id', 'select * from api.transactions order by id limit 50'],
      ['a status', `select * from api.transactions where status = 'pending' limit 50`],
      ['an amount', 'select * from api.transactions where amount > 900 limit 50'],
      ['a name', `select * from api.transactions where name ilike '%coffee%' limit 50`],
      ['the number of them', 'select count(*) from api.transactions'],
      ["the organization's newest", `select * from api.transactions where organization_id = 'org 3' order by transaction_date desc limit 50`],
      ['the personal newest', 'select * from api.transactions where organization_id is null order by transaction_date desc limit 50'],
    ])('asks for %s through the index of the tenant', async (__, query) => {
      const { text, nodes } = await explain(query, claims)
      const scans = nodes.filter((node) => node['Relation Name'] === 'transactions' || node['Index Name'] !== undefined)
      expect(scans.map((node) => node['Node Type'])).not.toContain('Seq Scan')
      for (const index of scans.flatMap((node) => node['Index Name'] ?? [])) expect(['transactions_personal', 'transactions_team']).toContain(index)

      // the claims and the permission are read by subqueries that run once, and by nothing that runs for each row
      const once = nodes.filter((node) => node['Parent Relationship'] === 'InitPlan')
      expect(once.length).toBeGreaterThanOrEqual(2)
      expect(nodes.filter((node) => node['Parent Relationship'] === 'SubPlan')).toEqual([])
      const perRow = nodes.filter((node) => node['Relation Name'] === 'transactions').map((node) =>
        JSON.stringify([node['Filter'], node['Recheck Cond'], node['Index Cond']])
      )
      for (const condition of perRow) expect(condition).not.toMatch(/uid\(\)|org_id\(\)|can\(|current_setting/)
      expect(text).toContain('InitPlan')
    })
  })

  // of a small table a walk is the shorter way
  if (rows > 10_000) {
    test("whether there is any at all is asked of the tenant, not of everybody's rows", async () => {
      for (const query of ['select * from api.transactions limit 1', 'select * from api.transactions order by id limit 1']) {
        const { nodes } = await explain(query, personal)
        expect(nodes.map((node) => node['Node Type'])).toContain('BitmapOr')
      }
    })
  }

  test('one transaction is found by its id', async () => {
    const { nodes } = await explain(`select * from api.transactions where id = '00000000-0000-4000-8000-000000000000'`, personal)
    expect(nodes.map((node) => node['Index Name'])).toContain('transactions_pkey')
  })
})
