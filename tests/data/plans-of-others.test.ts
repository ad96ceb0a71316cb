/**
 * Query plans of the other tables, as in plans.test.ts: a request reads only rows of its caller,
 * and each index serves a request or a deletion.
 */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DatasetCaller, tenantOf } from '../support/large-dataset.ts'
import { dataStack, type DataStack } from '../support/data.ts'
import { measureReads, totalRowsRead } from '../support/plans.ts'

let stack: DataStack

/**
 * The callers with their number of transactions, each with one line item and one tag. All other
 * users together have 30,000.
 */
const callers: { name: string, who: DatasetCaller, rowCount: number }[] = [
  { name: 'nobody yet', who: { user: 'none', session: '' }, rowCount: 0 },
  { name: 'a person', who: { user: 'few', session: '' }, rowCount: 49 },
  { name: 'a busy person', who: { user: 'some', session: '' }, rowCount: 5_000 },
  { name: 'a team', who: { user: 'none', session: '', organization: 'team' }, rowCount: 5_000 },
  {
    name: 'a large team',
    who: { user: 'none', session: '', organization: 'large' },
    rowCount: 100_000,
  },
]

/** The maximum number of rows of a caller in every other table. */
const mostOfOthers = 5_000

const name = `'row ' || n % 997`
/** An id that a twelfth of the rows refer to. */
const sometimes = (table: string) =>
  `case when n % 12 = 0 then md5('${table} ' || coalesce(o, u) || ' 1')::uuid end`
/**
 * The tables with an owner pair: the order of their lists, the required columns, and a search
 * without results.
 */
const owned = {
  categories: {
    order: 'name',
    row: { name, kind: `'expense'` },
    nothing: `name ilike '%nothing%'`,
  },
  tags: { order: 'name', row: { name }, nothing: `name ilike '%nothing%'` },
  accounts: { order: 'name', row: { name, type: `'cash'` }, nothing: `name ilike '%nothing%'` },
  dashboards: {
    order: 'name',
    row: { name, layout: `'{"widgets": []}'` },
    nothing: `name ilike '%nothing%'`,
  },
  subscriptions: {
    order: 'title',
    row: {
      title: name,
      amount: 'n',
      kind: `'expense'`,
      period: `'monthly'`,
      category_id: sometimes('categories'),
      account_id: sometimes('accounts'),
    },
    nothing: `title ilike '%nothing%'`,
  },
  imports: {
    order: 'created_at desc',
    row: {
      source: name,
      row_count: '1',
      account_id: sometimes('accounts'),
      created_at: `now() - n * interval '1 minute'`,
    },
    nothing: `source ilike '%nothing%'`,
  },
  budgets: {
    order: 'month',
    row: {
      month: `(date '1900-01-01' + make_interval(months => n % 2500))::date`,
      amount: 'n',
      category_id: `md5('categories ' || coalesce(o, u) || ' ' || 1 + n / 2500)::uuid`,
    },
    nothing: 'amount < 0',
  },
  past_budgets: {
    order: 'until',
    row: {
      until: `(date '1900-01-01' + make_interval(months => n % 2500))::date`,
      amount: 'n',
      category_id: `md5('categories ' || coalesce(o, u) || ' ' || 1 + n / 2500)::uuid`,
    },
    nothing: 'amount < 0',
  },
  exchange_rates: {
    order: 'base, quote, on_date desc',
    row: { base: `'eur'`, quote: `'usd'`, on_date: `date '1900-01-01' + n`, rate: '1' },
    nothing: 'rate < 0',
  },
  closings: {
    order: 'closed_until desc',
    row: { closed_until: `date '1900-01-01' + n % 90000` },
    nothing: `closed_until < '1900-01-01'`,
  },
  balances: {
    order: 'on_date desc',
    row: {
      on_date: `date '1900-01-01' + n % 90000`,
      balance: 'n',
      account_id: `md5('accounts ' || coalesce(o, u) || ' ' || 1 + n / 90000)::uuid`,
    },
    nothing: 'balance < 0',
  },
  activity: {
    order: 'happened_at desc',
    row: {
      user_id: 'case when o is null then u end',
      happened_at: `now() - n * interval '1 minute'`,
      change_id: 'gen_random_uuid()',
      actor_id: 'u',
      action: `'create'`,
      table_name: `'tags'`,
      row_id: 'gen_random_uuid()',
      after: `'{}'`,
    },
    nothing: `actor_id ilike '%nothing%'`,
  },
}
type Owned = keyof typeof owned
const tables = Object.entries(owned).map(([table, { order, nothing }]) => ({
  table: table as Owned,
  order,
  nothing,
}))

/**
 * Inserts rows of all callers into one table. The ids are deterministic, so that other rows can
 * refer to them.
 */
function store(table: string, given: Record<string, string>, most = mostOfOthers): string {
  const row: Record<string, string> = {
    id: `md5('${table} ' || coalesce(o, u) || ' ' || n)::uuid`,
    user_id: 'u',
    organization_id: 'o',
    tenant: 'private.tenant_of(u, o)',
    ...given,
  }
  return `
    insert into api.${table} (${Object.keys(row).join()}) select ${Object.values(row).join()}
    from tenants, generate_series(1, least(size, ${most})) n order by hashtext(coalesce(o, u) || ' ' || n)`
}

beforeAll(async () => {
  stack = await dataStack()
  // the statistics are those that each test names, however long the tests take
  const { rows: stored } = await stack.owner.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'api'::regnamespace and relkind = 'r'`,
  )
  for (const { name: table } of stored)
    await stack.owner.query(`alter table api.${table} set (autovacuum_enabled = false)`)
  await stack.owner.query(`
    set session_replication_role = replica;
    insert into auth.users (id, name, email) select u, '', u || '@example.org' from unnest(array['the first', 'none', 'few', 'some'] || array(select 'other-' || n from generate_series(1, 600) n)) u;
    insert into auth.organizations (id, name, slug) select o, '', o from unnest(array['team', 'large']) o;
    insert into auth.members (id, organization_id, user_id, role) select o, o, 'none', 'owner' from unnest(array['team', 'large']) o;
    insert into auth.sessions (id, token, user_id, expires_at) select 'of ' || id, id, id, now() + interval '1 hour' from auth.users;
    create temporary table tenants (u text, o text, size integer);
    insert into tenants values ('the first', null, 3000)`)
  const fill = async () => {
    for (const [table, { row }] of Object.entries(owned)) await stack.owner.query(store(table, row))
    await stack.owner.query(
      store('transactions', { name, amount: 'n', currency: `'usd'` }, 100_000),
    )
    await stack.owner.query(`
      insert into api.line_items (transaction_id, user_id, organization_id, tenant, name, amount, category_id)
        select id, case when organization_id is null then user_id end, organization_id, tenant, 'part', 1, case when hashtext(id::text) % 12 = 0 then md5('categories ' || coalesce(organization_id, user_id) || ' 1')::uuid end from api.transactions where (select count(*) from api.line_items) = 0 or user_id is distinct from 'the first';
      insert into api.transaction_tags (transaction_id, user_id, organization_id, tenant, tag_id)
        select id, case when organization_id is null then user_id end, organization_id, tenant, md5('tags ' || coalesce(organization_id, user_id) || ' 1')::uuid from api.transactions on conflict do nothing;
      insert into api.app_subscriptions (user_id, product_id, period_end) select u, 'personal', now() + interval '1 month' from tenants, generate_series(1, 3) where o is null and size > 0`)
  }
  await fill()
  // Old statistics, of a table with the rows of only one user.
  await stack.owner.query('analyze')
  await stack.owner.query(`
    truncate tenants;
    insert into tenants values ('few', null, 49), ('some', null, 5000), ('the first', 'team', 5000), ('the first', 'large', 100000);
    insert into tenants select 'other-' || n, null, 50 from generate_series(1, 600) n`)
  await fill()
  await stack.owner.query('reset session_replication_role')
}, 120_000)
afterAll(() => stack.stop())

const used = new Set<string>()
const read = async (
  counted: string[],
  query: string,
  who: DatasetCaller,
  given: (string | number)[] = [],
) => {
  const all = await measureReads(stack.owner, counted, query, who, given)
  all.indexes.forEach((index) => used.add(index))
  return all
}
/** The maximum number of pages: one for each row, and those of the index. */
const pagesOf = (rows: number) => rows * 1.5 + 150

describe.each([
  ['of another time', ''],
  ['fresh', 'vacuum analyze'],
])('with statistics that are %s', (_statistics, prepare) => {
  beforeAll(async () => {
    if (prepare !== '') await stack.owner.query(prepare)
  })

  describe.each(callers)('$name with $rowCount transactions', ({ who, rowCount: transactions }) => {
    const ownRows = Math.min(transactions, mostOfOthers)

    test.each(tables)(
      'reads only its own rows of $table, and only the page if ordered',
      async ({ table, order, nothing }) => {
        const all = `select * from api.${table}`
        for (
          const [query, given] of [
            [`${all} limit $1`, [50]],
            [`${all} order by id limit $1`, [1]],
            [`${all} order by ${order} limit $1`, [50]],
            [`${all} where ${nothing} limit $1`, [1]],
            [`select count(*) from api.${table}`, []],
          ] as const
        ) {
          const { rows, pages } = await read([table], query, who, [...given])
          expect(rows).toBeLessThanOrEqual(ownRows)
          expect(pages).toBeLessThanOrEqual(pagesOf(ownRows))
        }
        const page = await read(
          [table],
          `${all} where tenant = $1 order by ${order} limit $2`,
          who,
          [tenantOf(who), 50],
        )
        const most = Math.min(ownRows, 50)
        expect(page.rows).toBeLessThanOrEqual(most)
        expect(page.pages).toBeLessThanOrEqual(pagesOf(most))
      },
    )

    test('finds a row of each table by its id', async () => {
      for (const { table } of tables) {
        const { rows, pages } = await read(
          [table],
          `select * from api.${table} where id = md5($1)::uuid`,
          who,
          [`${table} ${who.organization ?? who.user} 1`],
        )
        expect(rows).toBeLessThanOrEqual(1)
        expect(pages).toBeLessThanOrEqual(pagesOf(1))
      }
    })

    test.each(['line_items', 'transaction_tags'])('reads only its own rows of %s', async (part) => {
      for (
        const [query, given] of [
          [`select * from api.${part} limit $1`, [50]],
          [`select * from api.${part} order by transaction_id limit $1`, [1]],
          [`select * from api.${part} where transaction_id > $1 limit $2`, [
            '00000000-0000-0000-0000-000000000000',
            50,
          ]],
          [`select count(*) from api.${part}`, []],
        ] as const
      ) {
        const { rows, pages } = await read([part], query, who, [...given])
        expect(rows).toBeLessThanOrEqual(transactions)
        expect(pages).toBeLessThanOrEqual(pagesOf(transactions))
      }
    })

    test.each(['line_items', 'transaction_tags'])(
      'reads only the %s of a transaction, and of a page of transactions',
      async (part) => {
        const one = await read(
          [part],
          `select * from api.${part} where transaction_id = md5($1)::uuid`,
          who,
          [`transactions ${who.organization ?? who.user} 1`],
        )
        expect(one.rows).toBeLessThanOrEqual(1)
        expect(one.pages).toBeLessThanOrEqual(pagesOf(1))
        const page = Math.min(transactions, 50)
        // The query of PostgREST for embedded rows.
        const embedded = await read(
          [part],
          `select transactions.*, p.all from api.transactions
          left join lateral (select json_agg(x) as all from (select * from api.${part} where tenant = transactions.tenant and transaction_id = transactions.id) x) p on true
          where tenant = $1 order by transaction_date desc limit $2`,
          who,
          [tenantOf(who), 50],
        )
        expect(embedded.rows).toBeLessThanOrEqual(page)
        // One index lookup for each transaction.
        expect(embedded.pages).toBeLessThanOrEqual(pagesOf(page) + (4) * page)
      },
    )

    test('reads only the line items and subscriptions of a category, and the associations of a tag', async () => {
      const by = (table: string, column: string, of: string) =>
        read([table], `select * from api.${table} where ${column} = md5($1)::uuid limit $2`, who, [
          `${of} ${who.organization ?? who.user} 1`,
          50,
        ])
      const most = Math.min(transactions, 50)
      expect((await by('line_items', 'category_id', 'categories')).rows).toBeLessThanOrEqual(most)
      expect((await by('transaction_tags', 'tag_id', 'tags')).rows).toBeLessThanOrEqual(most)
      // The query of a report by category.
      const filed =
        `select transaction_id, category_id, sum(amount) from api.line_items where tenant = $1 and category_id is not null group by 1, 2`
      expect((await read(['line_items'], filed, who, [tenantOf(who)])).rows).toBeLessThanOrEqual(
        transactions,
      )
      expect((await by('budgets', 'category_id', 'categories')).rows).toBeLessThanOrEqual(ownRows)
      const named = [
        ['subscriptions', 'category_id', 'categories'],
        ['subscriptions', 'account_id', 'accounts'],
        ['subscriptions', 'to_account_id', 'accounts'],
        ['imports', 'account_id', 'accounts'],
        ['balances', 'account_id', 'accounts'],
        ['categories', 'parent_id', 'categories'],
      ] as const
      for (const [table, column, of] of named)
        expect((await by(table, column, of)).rows).toBeLessThanOrEqual(ownRows)
      await read(['line_items'], 'select * from api.line_items where id = $1', who, [
        '00000000-0000-0000-0000-000000000000',
      ])
    })

    test('reads its own paid plans', async () => {
      const { rows, pages } = await read(
        ['app_subscriptions'],
        'select * from api.app_subscriptions where period_end >= $1 limit $2',
        who,
        ['now', 50],
      )
      expect(rows).toBeLessThanOrEqual(3)
      expect(pages).toBeLessThanOrEqual(pagesOf(3))
      await read(['app_subscriptions'], 'select * from api.app_subscriptions where id = $1', who, [
        '00000000-0000-0000-0000-000000000000',
      ])
    })
  })
})

test.each(['line_items', 'transaction_tags'])(
  'a statement that PostgREST prepared and executed often reads only the shown rows of %s',
  async (part) => {
    const shapes: [string, (rowCount: number) => number][] = [
      [`/${part}?limit=50`, (rowCount) => rowCount],
      [`/${part}?order=transaction_id&limit=1`, (rowCount) => rowCount],
      [
        `/transactions?select=id,${part}(*)&CONTEXT&order=transaction_date.desc&limit=50`,
        (rowCount) => Math.min(rowCount, 50),
      ],
      [
        `/transactions?select=id,${part}!inner(*)&CONTEXT&order=transaction_date.desc&limit=50`,
        (rowCount) => Math.min(rowCount, 50),
      ],
      [`/transactions?select=id,${part}(*)&id=eq.TRANSACTION`, (rowCount) => Math.min(rowCount, 1)],
      [`/${part}?transaction_id=eq.TRANSACTION`, (rowCount) => Math.min(rowCount, 1)],
    ]
    const before = await totalRowsRead(stack, part)
    let needed = 0
    for (let round = 0; round < 8; round++) {
      for (const { who: { user, organization }, rowCount } of callers) {
        const active = organization === undefined
          ? undefined
          : { id: organization, members: new Map([[user, 'owner' as const]]) }
        const caller = stack.as({ id: user, email: 'x', sessionId: `of ${user}` }, active)
        const context = `tenant=eq.${
          organization === undefined ? `u:${user}` : `o:${organization}`
        }`
        const id = createHash('md5').update(`transactions ${organization ?? user} 1`).digest('hex')
        for (const [path, most] of shapes) {
          const { status, body } = await caller.get(
            path.replace('CONTEXT', context).replace('TRANSACTION', id),
          )
          expect(status, JSON.stringify(body)).toBe(200)
          needed += most(rowCount)
        }
      }
    }
    expect(await totalRowsRead(stack, part) - before).toBeLessThanOrEqual(needed)
  },
)

test('the deletion of a row that others refer to uses their indexes', async () => {
  for (
    const [query, value] of [
      ['select from api.app_subscriptions where product_id = $1', 'business'],
      ['select from api.app_subscriptions where user_id = $1', 'few'],
      ['select from api.line_items where category_id = $1', '00000000-0000-0000-0000-000000000000'],
      [
        'select from api.subscriptions where category_id = $1',
        '00000000-0000-0000-0000-000000000000',
      ],
      ['select from api.budgets where category_id = $1', '00000000-0000-0000-0000-000000000000'],
      [
        'select from api.past_budgets where category_id = $1',
        '00000000-0000-0000-0000-000000000000',
      ],
      [
        'select from api.subscriptions where account_id = $1',
        '00000000-0000-0000-0000-000000000000',
      ],
      ['select from api.imports where account_id = $1', '00000000-0000-0000-0000-000000000000'],
      [
        'select from api.transaction_tags where tag_id = $1',
        '00000000-0000-0000-0000-000000000000',
      ],
      // Activity has no foreign key.
      ...tables.filter(({ table }) => table !== 'activity').flatMap((
        { table },
      ) => [[`select from api.${table} where user_id = $1`, 'few'], [
        `select from api.${table} where organization_id = $1`,
        'none',
      ]]),
    ] as [string, string][]
  ) {
    const { rows } = await stack.owner.query(
      `explain (analyze, timing off, format json) ${query.replace('$1', `'${value}'`)}`,
    )
    const text = JSON.stringify(rows)
    expect(text).not.toContain('Seq Scan')
    for (const [, index] of text.matchAll(/"Index Name":"([^"]+)"/g)) used.add(index ?? '')
  }
})

test('every index of these tables was used by a query of these tests', async () => {
  const { rows } = await stack.owner.query<{ name: string }>(`
    select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = any (array[${
    [...tables.map(({ table }) => table), 'line_items', 'transaction_tags', 'app_subscriptions']
      .map((table) => `'api.${table}'::regclass`).join(', ')
  }])
      -- the checks of foreign keys and of upserts use these
      and not exists (select from pg_constraint where conindid = i.indexrelid and contype = 'u' and conname ~ '_(of_tenant|once)$')`)
  expect(rows.filter((index) => !used.has(index.name))).toEqual([])
})
