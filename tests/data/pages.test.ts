/**
 * get_filtered_transactions reads only the rows that its page needs. The tests count the rows that
 * PostgreSQL reads for the exact statement of PostgREST, and no times. The table has a hundred
 * thousand personal and a hundred thousand team rows, in random order on disk.
 */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'

const perTenant = 100_000

let stack: DataStack
let db: pg.Client
/**
 * The statement of PostgREST for POST /rpc/get_filtered_transactions?limit=…: $1 is the body, $2
 * the limit, $3 the offset.
 */
let statement: string
const claims: Record<string, string> = {}

beforeAll(async () => {
  stack = await dataStack()
  db = new pg.Client({ connectionString: stack.ownerUrl })
  await db.connect()
  const [owner, member] = [await stack.person('ann'), await stack.person('bob')]
  const team = await stack.organization({ owner, editor: member })
  const inTeam = (role: string) => ({ organization_id: team.id, organization_role: role })
  claims['a personal caller'] = JSON.stringify({ user_id: owner.id, claims: {} })
  claims['a member with few personal rows'] = JSON.stringify({
    user_id: member.id,
    claims: inTeam('editor'),
  })
  claims['an owner with as many personal rows'] = JSON.stringify({
    user_id: owner.id,
    claims: inTeam('owner'),
  })
  // Triggers and foreign keys would slow down two hundred thousand inserts.
  await db.query('set session_replication_role = replica')
  await db.query(
    `insert into api.transactions (name, amount, currency, user_id, organization_id, tenant, status, transaction_date)
     select 'row ' || n % 977, n * 7919::bigint % 1000 - 500, 'usd', $1, organization, private.tenant_of($1, organization), (array['paid', 'pending', 'failed'])[n % 3 + 1], timestamptz '2025-01-01' - n * interval '1 minute'
     from generate_series(1, $3::integer) n, unnest(array[null, $2]) organization
     order by hashint4(n)`,
    [owner.id, team.id, perTenant],
  )
  await db.query('set session_replication_role = origin; analyze api.transactions')
  statement = await sentBy(stack.as(owner, team))
}, 120_000)
afterAll(async () => {
  await db.end()
  await stack.stop()
})

/** Returns PostgREST's statement for a page, read while a lock blocks it. */
async function sentBy(caller: Caller): Promise<string> {
  await db.query('begin; lock table api.transactions in access exclusive mode')
  const answer = caller.post('/rpc/get_filtered_transactions?limit=20', { filters: [] })
  try {
    return await vi.waitFor(async () => {
      const { rows: [waiting] } = await stack.owner.query<{ query: string }>(
        `select query from pg_stat_activity where datname = current_database() and usename = 'authenticator' and wait_event_type = 'Lock' and query like 'WITH pgrst_source%_postgrest_t'`,
      )
      if (waiting === undefined) throw new Error('PostgREST has not sent it yet')
      return waiting.query
    }, { timeout: 4_000 })
  } finally {
    await db.query('rollback')
    await answer
  }
}

type Plan = {
  'Relation Name'?: string
  'Node Type': string
  'Actual Rows': number
  'Actual Loops': number
  Plans?: Plan[]
} & Record<string, unknown>

/**
 * Returns the number of transactions that a page reads, including rows that filters remove, and the
 * number that it returns.
 */
async function read(
  caller: string,
  filters: unknown,
  { limit = 20, select = statement }: { limit?: number, select?: string } = {},
): Promise<{ rows: number, answered: number }> {
  await db.query('begin')
  try {
    // Settings as PostgREST prepares a request: those of the role, the role, the claims.
    await db.query(
      `select set_config(split_part(setting, '=', 1), split_part(setting, '=', 2), true) from pg_roles, unnest(rolconfig) setting where rolname = 'authenticated'`,
    )
    await db.query('set local role authenticated')
    await db.query(
      `select set_config('request.jwt.claims', $1, true), set_config('request.headers', $2, true)`,
      [
        claims[caller],
        JSON.stringify(
          select === statement ? { 'x-page': `get_filtered_transactions ${limit}` } : {},
        ),
      ],
    )
    await db.query(`prepare page (json, integer, integer) as ${select}`)
    const { rows: [row] } = await db.query(
      `explain (analyze, format json) execute page (${
        db.escapeLiteral(JSON.stringify({ filters }))
      }, ${limit}, 0)`,
    )
    const [{ Plan: root }] = row['QUERY PLAN'] as [{ Plan: Plan }]
    const flat = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flat)]
    const nodes = flat(root)
    const rows = nodes.filter((node) => node['Relation Name'] === 'transactions')
      .map((node) =>
        node['Actual Loops'] *
        (node['Actual Rows'] + Number(node['Rows Removed by Filter'] ?? 0) +
          Number(node['Rows Removed by Index Recheck'] ?? 0))
      )
    return {
      rows: Math.round(rows.reduce((sum, count) => sum + count, 0)),
      answered: Number(nodes.find((node) => node['Node Type'] === 'Limit')?.['Actual Rows']),
    }
  } finally {
    await db.query('rollback')
    await db.query('deallocate all')
  }
}

/**
 * The bank's day of a transaction may be that of any time zone. So a range of days is read from
 * fourteen hours before its start in UTC until twelve hours after its end. This test has a row each
 * minute and no bank days. @returns the number of rows read for some hours, of two tenants, in an
 * index and then in the table
 */
const ofHours = (hours: number) => 2 * 2 * 60 * hours
/** The last step of the walk is as long as all earlier ones together. */
const ofSteps = (hours: number) => 2 * ofHours(hours)

describe.each([
  'a personal caller',
  'a member with few personal rows',
  'an owner with as many personal rows',
])('%s', (caller) => {
  test.each<[string, unknown[], number]>([
    ['the newest', [], 300],
    ['amounts above a sum', [{ field: 'amount', operation: 'gt', value: 50 }], 600],
    ['amounts other than one', [{ field: 'amount', operation: 'neq', value: 50 }], 300],
    ['a month', [{
      field: 'transaction_date',
      operation: 'between',
      value: ['2024-11-01', '2024-11-30'],
    }], 300 + ofSteps(12)],
    ['dates up to and including a moment', [{
      field: 'transaction_date',
      operation: 'lte',
      value: '2024-11-30T12:00:00Z',
    }], 300 + ofSteps(12 + 12)],
    ['a status', [{ field: 'status', operation: 'eq', value: 'paid' }], 600],
    ['names by a pattern', [{ field: 'name', operation: 'ilike', value: 'ROW*5*' }], 600],
    ['several filters', [{ field: 'status', operation: 'in', value: ['paid', 'pending'] }, {
      field: 'name',
      operation: 'like',
      value: 'row*',
    }, {
      field: 'transaction_date',
      operation: 'lt',
      value: '2024-12-24',
    }], 600 + ofSteps(12)],
  ])(
    'gets the first twenty of %s with some dozens or hundreds of rows read, plus those at the ends of days',
    async (_, filters, most) => {
      const { rows, answered } = await read(caller, filters)
      expect(answered).toBe(20)
      expect(rows).toBeLessThan(most)
    },
  )

  test('reads rows in proportion to the page size', async () => {
    const { rows, answered } = await read(caller, [], { limit: 1_000 })
    expect(answered).toBe(1_000)
    expect(rows).toBeLessThan(8 * 1_000)
  })

  test('reads no rows if filters exclude each other, and only the days of the range if no row matches', async () => {
    const on = (operation: string, value: string) => ({
      field: 'transaction_date',
      operation,
      value,
    })
    expect((await read(caller, [on('gt', '2024-12-24'), on('lt', '2024-12-24')])).rows).toBe(0)
    const { rows, answered } = await read(caller, [on('from', '2024-12-31'), {
      field: 'name',
      operation: 'eq',
      value: 'nothing',
    }])
    expect(answered).toBe(0)
    expect(rows).toBeLessThan(ofHours(14 + 24) + 10)
  })
})

test('an exact count reads all rows, which shows that the measure works', async () => {
  const counted = statement.replace(
    ') SELECT null::bigint',
    ') , pgrst_source_count AS (SELECT 1 FROM "pgrst_source" AS "transactions") SELECT (SELECT pg_catalog.count(*) FROM pgrst_source_count)',
  )
  expect((await read('a personal caller', [], { select: counted })).rows).toBeGreaterThanOrEqual(
    perTenant,
  )
})
