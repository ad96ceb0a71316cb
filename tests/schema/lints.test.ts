/**
 * The queries of db/lints, which check every object of the database for rules. A new table,
 * function or column that breaks a rule makes this file fail. The tests below also prove that each
 * query detects a violation.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type pg from 'pg'
import { checkDatabase, lints } from '../../db/check.ts'
import { ownedDatabase } from '../support/database.ts'
import { ownedTables, readTables, storedTables, tables } from '../support/tables.ts'

let stop: () => Promise<void>
let db: pg.Client

beforeAll(async () => {
  ;({ db, stop } = await ownedDatabase())
})
afterAll(() => stop())

/** For each rule: statements that violate it, and the offender that the query must return. */
const breaches: Record<string, [breach: string, names: RegExp][]> = {
  activity_unrecorded: [
    ['drop trigger "2_record_change" on api.tags', /^tags: update$/],
    [
      'alter table api.line_items disable trigger "2_record_deletion"',
      /^line_items: delete$/,
    ],
    ['create table api.more (id uuid, user_id text, organization_id text)', /^more: insert$/],
  ],
  changes_unnoted: [
    ['drop trigger "2_note_change" on api.dashboards', /^dashboards: update$/],
    ['alter table api.tags disable trigger "2_record_change"', /^tags: update$/],
    ['create table api.more (id uuid, user_id text)', /^more: insert$/],
  ],
  checks_that_do_not_reject: [[
    `alter policy tags_create on api.tags with check (user_id = (select public.uid()))`,
    /^tags_create on tags$/,
  ]],
  claims_called_per_row: [[
    `alter policy tags_read on api.tags using (private.is_not_explained() and user_id = public.uid())`,
    /^tags_read on tags$/,
  ]],
  comments_missing: [
    ['comment on table api.tags is null', /^tags$/],
    ['comment on column api.tags.name is null', /^tags\.name$/],
    ['comment on function private.can(text, text) is null', /^private\.can\(text,text\)$/],
    ['comment on schema api is null', /^schema api$/],
  ],
  definers_functions_callable: [[
    'alter function private.deny(text) security definer',
    /^private\.deny\(text\)$/,
  ]],
  foreign_keys_without_index: [[
    'drop index api.line_items_category_id',
    /line_items_category_id_fkey/,
  ]],
  functions_callable_in_public: [[
    `create function public.helper() returns integer language sql return 1; grant execute on function public.helper() to authenticated`,
    /helper/,
  ]],
  functions_for_everybody: [[
    'grant execute on function api.get_cash_flow(text, integer, text, uuid, integer, text, text, text) to public',
    /get_cash_flow/,
  ]],
  functions_with_definers_rights_exposed: [[
    'alter function api.get_cash_flow(text, integer, text, uuid, integer, text, text, text) security definer',
    /get_cash_flow/,
  ]],
  functions_with_system_columns: [
    [
      `create function private.f() returns bigint language sql begin atomic select count(*) from api.tags where xmin <> '0'; end`,
      /^private\.f\(\)$/,
    ],
    [
      `create function private.f() returns xid8 language sql return pg_current_xact_id()`,
      /^private\.f\(\)$/,
    ],
  ],
  functions_without_search_path: [['alter function private.deny(text) reset search_path', /deny/]],
  indexes_led_by_a_date: [[
    'create index by_date on api.transactions (transaction_date)',
    /by_date/,
  ]],
  owner_pairs_unprotected: [[
    'alter table api.tags alter column user_id drop default',
    /^tags\.user_id$/,
  ]],
  owners_deleted: [[
    `alter table api.tags drop constraint tags_user_id_fkey, add constraint tags_user_id_fkey foreign key (user_id) references auth.users on delete cascade`,
    /tags\.user_id: c$/,
  ]],
  plans_of_known_values: [[
    `alter role authenticated set plan_cache_mode = 'auto'`,
    /^authenticated plans with plan_cache_mode=auto$/,
  ], [
    'alter role authenticated reset plan_cache_mode',
    /the server's/,
  ]],
  policies_per_command: [
    ['drop policy tags_read on api.tags', /^tags SELECT: 0 policies$/],
    [
      'create policy more on api.tags for select to authenticated using (true)',
      /^tags SELECT: 2 policies$/,
    ],
    [
      'create policy more on api.tags as restrictive for select to authenticated using (true)',
      /^more on tags$/,
    ],
    ['create policy more on api.tags for select to anon using (true)', /^more on tags$/],
  ],
  policies_without_owner: [[
    'alter policy tags_delete on api.tags using (true)',
    /^tags_delete on tags$/,
  ]],
  powerful_roles: [['alter role authenticated bypassrls', /^authenticated$/], [
    'grant create on schema api to authenticator; alter table api.tags owner to authenticator',
    /^authenticator owns api\.tags$/,
  ]],
  reads_that_may_be_explained: [[
    'alter policy tags_read on api.tags using (user_id = (select public.uid()))',
    /^tags_read on tags$/,
  ]],
  rights_beyond_rows: [[
    'grant select on auth.users to authenticated',
    /^authenticated may SELECT auth\.users$/,
  ], [
    'grant truncate on api.tags to authenticated',
    /^authenticated may TRUNCATE api\.tags$/,
  ]],
  rights_of_anon: [['revoke select on api.tags from anon', /^anon may not read tags$/], [
    'grant insert on api.tags to anon',
    /^anon may write api\.tags$/,
  ], [
    'grant execute on function private.can(text, text) to anon',
    /^anon may call private\.can/,
  ]],
  before_row_incomplete: [
    ['drop trigger "1_before_row" on api.tags', /^tags: /],
    ['alter table api.tags disable trigger "1_before_row"', /^tags: /],
    ...([
      ['tags', 'private.count_exceeds_limit(tg_op)', 'count'],
      ['tags', "private.can('tags', 'delete')", 'right to delete'],
      ['tags', 'private.owner_of_new(', 'owner'],
      ['line_items', 'private.owner_of_part(', 'owner'],
      ['tags', 'old.user_id is distinct from', 'identity'],
      ['tags', 'private.is_merge()', 'one row once'],
      ['tags', 'private.reject_row(', 'refusal'],
      ['tags', "then 'tags_name_length'", 'tags_name_length'],
      ['tags', 'new.name is null', 'name'],
      ['tags', 'new.created_at := now()', 'created_at'],
      ['categories', 'new.updated_at := now()', 'updated_at'],
      ['categories', 'private.edited_at(', 'updated_at'],
      ['accounts', 'new.balance := round(', 'balance'],
      ['budgets', 'abs(new.amount)', 'amount'],
      ['budgets', 'private.fits_cents(new.amount', 'amount'],
      ['accounts', 'not private.is_currency(new.currency)', 'currency'],
      ['accounts', 'new.currency := lower(', 'currency'],
    ] as const).map(([table, step, names]): [string, RegExp] => [
      `update pg_proc set prosrc = replace(prosrc, $step$${step}$step$, 'true') where oid = 'private.${table}_before_row()'::regprocedure`,
      new RegExp(`^${table}: ${names}$`),
    ]),
    [
      "alter table api.tags add constraint tags_name_plain check (name !~ '<')",
      /^tags: tags_name_plain$/,
    ],
    ['alter table api.categories alter column color set not null', /^categories: color$/],
    ['alter table api.tags add column worth private.amount', /^tags: worth$/],
    ['alter table api.tags add column currency text', /^tags: currency$/],
  ],
  tables_that_differ: [
    [
      'alter policy tags_delete on api.tags using (user_id = (select private.personal_id()))',
      /^accounts: policy for DELETE$/,
    ],
    [
      'alter policy categories_delete on api.categories using (user_id = (select private.personal_id()))',
      /^categories: policy for DELETE$/,
    ],
    ['grant update on api.imports to authenticated', /^imports: UPDATE of authenticated$/],
    ['grant insert on api.attachments to authenticated', /^attachments: INSERT of authenticated$/],
    ['revoke select on api.tags from anon', /^tags: SELECT of anon$/],
  ],
  tables_without_row_security: [[
    'alter table api.transactions disable row level security',
    /^transactions$/,
  ], [
    'create table api.more (id integer)',
    /^more$/,
  ]],
  tenants_of_unknown_size: [[
    'alter table api.tags alter column tenant reset (n_distinct)',
    /^tags\.tenant$/,
  ]],
  too_many_triggers: [[
    `create trigger "9_more" after insert on api.transactions for each row execute function private.transactions_after_row()`,
    /^transactions: 9 triggers$/,
  ], [
    ['tags', 'rules'].map((table) =>
      `create trigger "9_more" after insert on api.${table} for each row execute function private.tags_before_row()`
    ).join(';'),
    /^api: 71 triggers$/,
  ]],
  triggers_unordered: [[
    'alter trigger "3_after_row" on api.transactions rename to transactions_after_row',
    /^transactions_after_row on api\.transactions$/,
  ]],
  unbounded_values: [
    [
      'alter table api.transactions drop constraint transactions_amount_is_number',
      /^transactions\.amount$/,
    ],
    ["alter table api.tags add share numeric check (share <> 'NaN')", /^tags\.share$/],
    [
      'alter table api.transactions drop constraint transactions_name_length',
      /^transactions\.name$/,
    ],
    [
      'alter table api.transactions drop constraint transactions_metadata_depth',
      /^transactions\.metadata$/,
    ],
    [
      'alter table api.transactions drop constraint transactions_metadata_numbers',
      /^transactions\.metadata$/,
    ],
    // After the check of the size, so that the query returns the constraint.
    [
      'alter table api.transactions rename constraint transactions_metadata_numbers to transactions_plain',
      /^transactions\.metadata$/,
    ],
  ],
}

test('a migrated database breaks no rule', async () => {
  await db.query('begin')
  expect(await checkDatabase(db)).toEqual([])
  await db.query('rollback')
})

test.each(Object.entries(breaches))(
  'a migrated database is reported if it breaks %s',
  async (name, some) => {
    const lint = (await lints()).find((one) => one.name === name)
    expect(lint?.rule, 'its first line says the rule').toMatch(/^\w.*\.$/)
    for (const [breach, names] of some) {
      await db.query('begin')
      try {
        await db.query(breach)
        const { rows } = await db.query<{ what: string }>(lint?.sql ?? '')
        expect(rows.map(({ what }) => what), breach).toContainEqual(expect.stringMatching(names))
      } finally {
        await db.query('rollback')
      }
    }
  },
)

test('a migrated database may have functions of an extension in schema public, as many servers do', async () => {
  await db.query(
    `begin; create function public.of_an_extension() returns integer language sql as 'select 1'; grant execute on function public.of_an_extension() to public`,
  )
  expect((await checkDatabase(db)).map(({ lint }) => lint)).toContain('functions_for_everybody')
  await db.query('alter extension plpgsql add function public.of_an_extension()')
  expect(await checkDatabase(db)).toEqual([])
  await db.query('rollback')
})

test('a migrated database is reported if an object that a rule names is missing', async () => {
  await db.query('begin; alter function private.row_exists(text, uuid) rename to gone')
  const offences = await checkDatabase(db)
  await db.query('rollback')
  expect(offences.map(({ lint }) => lint)).toEqual(['definers_functions_callable'])
})

test('each rule has a test of a violation', async () => {
  expect(Object.keys(breaches).toSorted()).toEqual((await lints()).map(({ name }) => name))
})

test('the lists of tables in tests/data contain every exposed table', async () => {
  const rows = async (sql: string) =>
    (await db.query<{ what: string }>(sql)).rows.map(({ what }) => what)
  expect(
    await rows(
      `select relname as what from pg_class where relnamespace = 'api'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f') order by 1`,
    ),
  )
    .toEqual([...tables, ...readTables].toSorted())
  expect(
    await rows(`
    select c.relname as what from pg_class c where c.relnamespace = 'api'::regnamespace and c.relkind = 'r' and c.relname <> 'app_subscriptions'
      and exists (select from pg_attribute a join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum where a.attrelid = c.oid and a.attname = 'user_id') order by 1`),
  ).toEqual([...ownedTables, 'imports'].toSorted())
})

test('the matrix of rights equals the interface’s', async () => {
  const matrix = await db.query<{ role: string, resource: string, actions: string }>(
    `select role, resource, string_agg(action, ' ' order by action) as actions from private.role_permissions group by 1, 2`,
  )
  const all = 'create delete get list update'
  const expected = [...tables, ...storedTables].flatMap((resource) => [
    ...['owner', 'admin', 'editor'].map((role) => ({
      role,
      resource,
      actions: resource === 'dashboards' ? 'create delete get list list_private update' : all,
    })),
    { role: 'viewer', resource, actions: 'get list' },
  ]).concat(
    ['owner', 'admin'].map((role) => ({ role, resource: 'activity', actions: 'get list' })),
    {
      role: 'editor',
      resource: 'activity',
      actions: 'list_own',
    },
  )
  const sorted = (rows: { role: string, resource: string }[]) =>
    rows.toSorted((a, b) => `${a.role} ${a.resource}` < `${b.role} ${b.resource}` ? -1 : 1)
  expect(sorted(matrix.rows)).toEqual(sorted(expected))
})
