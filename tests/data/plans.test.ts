/**
 * Query plans: the database reads only the caller's own rows for a request. The tests count rows
 * and pages, and no times. The callers have no rows up to a hundred thousand. The statistics are
 * fresh or old.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  categoryOf,
  datasetCallers,
  insertLargeDataset,
  tenantOf,
  transactionCounts,
  type DatasetCaller,
} from '../support/large-dataset.ts'
import { dataStack, type DataStack } from '../support/data.ts'
import { measureReads, totalRowsRead } from '../support/plans.ts'

let stack: DataStack

beforeAll(async () => {
  stack = await dataStack()
  // Each test names its statistics, so the server makes none by itself. Old statistics, of a table
  // with the rows of only one user.
  await stack.owner.query(`
    alter table api.transactions set (autovacuum_enabled = false);
    insert into auth.users (id, name, email) values ('the first', '', 'first@example.org');
    insert into api.transactions (name, amount, user_id, organization_id) select 'row', n, 'the first', null from generate_series(1, 3000) n;
    analyze api.transactions`)
  await insertLargeDataset(stack.owner, 400_000)
  // A caller with categories also has an account, with a twelfth of the transactions.
  await stack.owner.query(`
    set session_replication_role = replica;
    insert into api.accounts (id, user_id, organization_id, tenant, name, type)
      select id, user_id, organization_id, tenant, name, 'cash' from api.categories where id = any ('{${
    Object.values(datasetCallers).map(categoryOf).join()
  }}');
    update api.transactions t set account_id = t.category_id from api.accounts a where a.id = t.category_id;
    reset session_replication_role`)
}, 120_000)
afterAll(() => stack.stop())

/** Returns the transactions that a query of the caller read. */
const read = (query: string, who: DatasetCaller, given: (string | number)[] = []) =>
  measureReads(stack.owner, ['transactions'], query, who, given)

const all = 'select * from api.transactions'
const callers = Object.entries<DatasetCaller>(datasetCallers).map(([name, who]) => ({
  name,
  who,
  rowCount: transactionCounts[name as keyof typeof datasetCallers],
}))

const day = 86_400_000
const month = [Date.now() - 180 * day, Date.now() - 150 * day].map((time) =>
  new Date(time).toISOString()
)

const used = new Set<string>()
/** An id that does not exist. */
const nothing = '00000000-0000-4000-8000-000000000000'

describe.each([
  ['of another time', ''],
  ['fresh', 'vacuum analyze api.transactions'],
])('with statistics that are %s', (_statistics, prepare) => {
  beforeAll(async () => {
    if (prepare !== '') await stack.owner.query(prepare)
  })

  describe.each(callers)('a caller with $rowCount rows ($name)', ({ who, rowCount }) => {
    // The maximum number of pages: one for each row, and those of the index.
    const fewPages = 150
    test.each([
      ['in no order', `${all} limit $1`, [50]],
      ['one, in no order', `${all} limit $1`, [1]],
      ['by id', `${all} order by id limit $1`, [50]],
      ['one, by id', `${all} order by id limit $1`, [1]],
      ['the newest', `${all} order by transaction_date desc limit $1`, [50]],
      ['by amount', `${all} order by amount limit $1`, [50]],
      ['of a status', `${all} where status = $1 limit $2`, ['failed', 1]],
      ['of a name', `${all} where name ilike $1 order by id limit $2`, ['%coffee%', 1]],
      ['of an amount nobody has', `${all} where amount = $1 limit $2`, [12345678, 1]],
      ['of a source', `${all} where source = $1 order by id desc limit $2`, ['manual', 1]],
      ['of a month', `${all} where transaction_date >= $1 limit $2`, ['2020-01-01', 50]],
      ['of no category', `${all} where category_id is null order by id limit $1`, [1]],
      ['how many there are', 'select count(*) from api.transactions', []],
      ['the sum', 'select sum(amount) from api.transactions', []],
    ])('reads only its own rows: %s', async (__, query, given) => {
      const { rows, pages, indexes } = await read(query, who, given)
      indexes.forEach((index) => used.add(index))
      // A member sees the personal rows in addition to the team's.
      expect(rows).toBeLessThanOrEqual(rowCount + 49)
      expect(pages).toBeLessThanOrEqual((rowCount + 49) * 1.2 + fewPages)
    })

    test.each<[string, string, (string | number)[], number]>([
      ['the newest', 'limit $2 offset $3', [50, 0], 50],
      ['the twentieth page', 'limit $2 offset $3', [50, 950], 1_000],
      ['a month', 'and transaction_date >= $4 and transaction_date < $5 limit $2 offset $3', [
        50,
        0,
        ...month,
      ], 50],
      // A tenth has such a name, a twelfth such a category, a sixteenth such a status.
      ['a name', 'and name ilike $4 limit $2 offset $3', [50, 0, '%coffee%'], 1_000],
      ['a category', 'and category_id = $4 limit $2 offset $3', [50, 0, categoryOf(who)], 1_200],
      ['a status', 'and status = $4 limit $2 offset $3', [50, 0, 'failed'], 1_600],
      ['an account', 'and account_id = $4 limit $2 offset $3', [50, 0, nothing], 0],
    ])(
      'reads only the page of a context, whatever the number of its rows: %s',
      async (__, rest, given, needed) => {
        const query = `${all} where tenant = $1 ${
          rest.replace('limit', 'order by transaction_date desc limit')
        }`
        const { rows, pages, indexes } = await read(query, who, [tenantOf(who), ...given])
        indexes.forEach((index) => used.add(index))
        const most = Math.min(rowCount, needed)
        expect(rows).toBeLessThanOrEqual(most)
        expect(pages).toBeLessThanOrEqual(most * 1.5 + fewPages)
      },
    )

    test('finds a page of an account by its index', async () => {
      const { rows, pages, indexes } = await read(
        `${all} where account_id = $1 order by transaction_date desc limit $2`,
        who,
        [categoryOf(who), 50],
      )
      indexes.forEach((index) => used.add(index))
      const most = 50
      expect(rows).toBeLessThanOrEqual(most)
      expect(pages).toBeLessThanOrEqual(most * 1.5 + fewPages)
    })

    test('computes the balances of a list of accounts only from their transactions', async () => {
      const query =
        `select id, api.current_balance(accounts) from api.accounts where tenant = $1 order by name limit $2`
      const { rows, pages, indexes } = await read(query, who, [tenantOf(who), 50])
      indexes.forEach((index) => used.add(index))
      expect(rows).toBeLessThanOrEqual(rowCount / 12 * 1.2 + 49)
      expect(pages).toBeLessThanOrEqual((rowCount / 12 * 1.2 + 49) * 1.2 + fewPages)
    })

    test('finds a transaction by id, an imported one by its reference, and those of a transfer, an import, a subscription or a forecast', async () => {
      const [{ id }] =
        (await stack.owner.query<{ id: string }>('select id from api.transactions limit 1'))
          .rows as [{ id: string }]
      const found = [
        await read(`${all} where id = $1`, who, [id]),
        await read(`${all} where tenant = $1 and source = $2 and external_id = $3`, who, [
          tenantOf(who),
          'bank',
          'nothing',
        ]),
        await read(`${all} where transfer_id = $1`, who, [nothing]),
        await read(`${all} where import_id = $1`, who, [nothing]),
        await read(`${all} where subscription_id = $1 and due_on = '2025-01-31'`, who, [nothing]),
        await read(
          `${all} where account_id = any (array[$1]::uuid[]) and status = 'pending'`,
          who,
          [nothing],
        ),
      ]
      for (const { rows, pages, indexes } of found) {
        indexes.forEach((index) => used.add(index))
        expect(rows).toBeLessThanOrEqual(1)
        expect(pages).toBeLessThanOrEqual(fewPages)
      }
    })
  })
})

test('sums, counts and groups of reports read only the index of a context', async () => {
  for (const what of ['count(*)', 'sum(amount)', 'category_id, currency, sum(amount)']) {
    const group = what.includes(',') ? 'group by 1, 2' : ''
    for (const who of [datasetCallers.many, datasetCallers.team]) {
      const { pages } = await read(
        `select ${what} from api.transactions where ${
          who === datasetCallers.team
            ? 'tenant = (select private.context_tenant())'
            : 'tenant = (select private.personal_tenant())'
        } and status <> 'failed' and transfer_id is null ${group}`,
        who,
      )
      expect(pages).toBeLessThan(2_000)
    }
  }
})

test('a report with a filter on status or category reads only the index of a context', async () => {
  const category = `'[{"field": "category_id", "operation": "eq", "value": "${
    categoryOf(datasetCallers.team)
  }"}]'`
  for (
    const report of [
      'select api.get_transaction_stat()',
      `select api.get_transaction_stat(p_filters => '[{"field": "status", "operation": "in", "value": ["paid", "failed"]}]')`,
      `select api.get_transaction_stat(p_filters => ${category}, p_aggregate_fn => 'count')`,
      'select api.get_transaction_aggregate()',
      `select api.get_transaction_aggregate(p_group_by => 'category')`,
      `select api.get_transaction_distribution_by_category(params => '{}')`,
      'select api.get_cash_flow(periods => 36)',
    ]
  ) {
    const { pages } = await read(report, datasetCallers.team)
    // The first plans of a connection read the catalogue, up to a thousand pages. The table has
    // eight thousand.
    expect(pages, report).toBeLessThan(4_500)
  }
})

test('a filter on a tag or a search reads no more than the rows of a context', async () => {
  for (
    const filter of [
      '{"field": "tag", "operation": "neq", "value": "x"}',
      '{"field": "search", "operation": "contains", "value": "nobody has this"}',
    ]
  ) {
    const { pages } = await read(
      `select * from api.get_filtered_transactions('[${filter}]') limit 50`,
      datasetCallers.some,
    )
    expect(pages).toBeLessThan(transactionCounts.some * 10)
    // The caller has a hundredth of the table, and the table alone has eight thousand pages.
    const { pages: ofReport } = await read(
      `select api.get_transaction_stat(p_filters => '[${filter}]')`,
      datasetCallers.some,
    )
    expect(ofReport).toBeLessThan(transactionCounts.some * 2)
  }
})

test('a statement that PostgREST prepared and executed often, for callers of every size, reads as few rows', async () => {
  const shapes = (who: DatasetCaller) => {
    const context = `tenant=eq.${tenantOf(who)}`
    return [
      '/transactions?limit=1&order=id',
      `/transactions?${context}&order=transaction_date.desc&limit=50`,
      `/transactions?${context}&order=transaction_date.desc&limit=50&name=ilike.*coffee*`,
      `/transactions?${context}&order=transaction_date.desc&limit=50&status=eq.failed`,
    ]
  }
  const before = await totalRowsRead(stack, 'transactions')
  let needed = 0
  for (let round = 0; round < 12; round++) {
    for (
      const { who, rowCount } of callers.filter(({ who: { organization } }) =>
        organization === undefined
      )
    ) {
      const caller = stack.as({ id: who.user, email: 'x', sessionId: who.session })
      for (const path of shapes(who)) {
        expect((await caller.get(path)).status).toBe(200)
        needed += Math.min(rowCount, path.includes('order=id') ? rowCount : 1_600)
      }
    }
  }
  expect(await totalRowsRead(stack, 'transactions') - before).toBeLessThanOrEqual(needed)
})

test('every index of the transactions was used by a query of these tests', async () => {
  // The queries of the foreign keys when a user or an organization is deleted.
  for (const column of ['user_id', 'organization_id']) {
    const { rows: [ended] } = await stack.owner.query(
      `explain (format json) select from api.transactions where ${column} = $1`,
      ['nobody'],
    )
    used.add(ended['QUERY PLAN'][0].Plan['Index Name'])
  }
  // The query of a suggestion: the transactions of a payee.
  const { rows: [suggested] } = await stack.owner.query(
    `explain (format json) select from api.transactions
      where private.payee_of_tenant(tenant, private.payee_key(name)) = $1 and category_id is not null and transfer_id is null limit 1`,
    [`${tenantOf(datasetCallers.some)} coffee no`],
  )
  used.add(suggested['QUERY PLAN'][0].Plan.Plans[0]['Index Name'])
  // The query of an import: the transactions of an amount.
  const { rows: [imported] } = await stack.owner.query(
    'explain (format json) select from api.transactions where tenant = $1 and amount = $2',
    [tenantOf(datasetCallers.team), 12345678],
  )
  used.add(imported['QUERY PLAN'][0].Plan['Index Name'])
  const { rows } = await stack.owner.query<{ name: string }>(
    `select indexrelid::regclass::text as name from pg_index where indrelid = 'api.transactions'::regclass
      -- the checks of foreign keys use this one
      and indexrelid <> 'api.transactions_of_tenant'::regclass`,
  )
  // PostgreSQL 15 finds a row by this key
  if (used.delete('transactions_of_tenant')) used.add('transactions_pkey')
  expect([...used].filter((name) => name.startsWith('transactions_')).toSorted()).toEqual(
    rows.map(({ name }) => name.replace(/^api[.]/, '')).toSorted(),
  )
})
