/** Privileges of each database role, read from the catalogue. Source: docs/security.md. */
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ownedDatabase } from '../support/database.ts'

let stop: () => Promise<void>
let client: pg.Client
beforeAll(async () => {
  ;({ db: client, stop } = await ownedDatabase())
})
afterAll(() => stop())

const rows = async (sql: string): Promise<any[]> => (await client.query(sql)).rows
const list = async (sql: string): Promise<string[]> =>
  (await rows(sql)).map((row) => Object.values(row).join(' ')).toSorted()

/** The tables and views of our schemas, with the privileges of a role. */
const tablePrivileges = (role: string, privileges: string[]) =>
  list(`
  select n.nspname || '.' || c.relname as name, p as privilege
  from pg_class c join pg_namespace n on n.oid = c.relnamespace, unnest(array['${
    privileges.join("','")
  }']) p
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname in ('api', 'auth', 'private', 'public') and has_table_privilege('${role}', c.oid, p)`)

const callable = (role: string, schema: string) =>
  list(`
  select p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where n.nspname = '${schema}' and has_function_privilege('${role}', p.oid, 'execute') and has_schema_privilege('${role}', n.oid, 'usage')`)

test('a new database has no account, no API key and no session', async () => {
  expect(
    await list(
      `select 'user' from auth.users union all select 'key' from auth.api_keys union all select 'session' from auth.sessions`,
    ),
  ).toEqual([])
})

/** Called by PostgREST to parse input, as the caller. */
const parsers = [
  'read_amount',
  'read_day',
  'read_first_day',
  'read_moment',
  'read_opening_balance',
  'read_quantity',
  'read_rate',
]

describe('anon and authenticated', () => {
  test('anon and authenticated cannot log in, and have no attributes beyond their grants', async () => {
    expect(
      await rows(`select rolname from pg_roles where rolname in ('anon', 'authenticated')
      and (rolcanlogin or rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls)`),
    ).toEqual([])
    expect(
      await rows(
        `select 1 from pg_auth_members m join pg_roles r on r.oid = m.member where r.rolname in ('anon', 'authenticated')`,
      ),
    ).toEqual([])
  })

  test('anon and authenticated own no object', async () => {
    expect(
      await list(
        `select c.relname from pg_class c join pg_roles r on r.oid = c.relowner where r.rolname in ('anon', 'authenticated', 'authenticator')
      union all select p.proname from pg_proc p join pg_roles r on r.oid = p.proowner where r.rolname in ('anon', 'authenticated', 'authenticator')
      union all select n.nspname from pg_namespace n join pg_roles r on r.oid = n.nspowner where r.rolname in ('anon', 'authenticated', 'authenticator')`,
      ),
    ).toEqual([])
  })

  test.each(['anon', 'authenticated'])(
    '%s may not truncate, reference or create triggers on any table',
    async (role) => {
      expect(await tablePrivileges(role, ['truncate', 'references', 'trigger'])).toEqual([])
    },
  )

  test.each(['anon', 'authenticated'])(
    '%s has no access to tables outside of api',
    async (role) => {
      expect(
        (await tablePrivileges(role, ['select', 'insert', 'update', 'delete'])).filter((name) =>
          !name.startsWith('api.')
        ),
      ).toEqual([])
      expect(await rows(`select 1 where has_schema_privilege('${role}', 'auth', 'usage')`)).toEqual(
        [],
      )
    },
  )

  test('anon and authenticated may not create objects in any schema', async () => {
    expect(
      await list(`select r.rolname, n.nspname from pg_roles r, pg_namespace n
      where r.rolname in ('anon', 'authenticated', 'authenticator') and n.nspname !~ '^pg_' and has_schema_privilege(r.oid, n.oid, 'create')`),
    ).toEqual([])
  })

  test('anon and authenticated may call only the listed functions of private', async () => {
    expect(await callable('anon', 'private')).toEqual(['pre_request'])
    // A policy or a trigger calls each of these. They return true, false, or an error.
    expect(await callable('authenticated', 'private')).toEqual([
      // Called by policies, checks and triggers.
      'base_name',
      'check_policy',
      'can',
      'currency_of_transaction',
      'deny',
      'fits_cents',
      'invalid',
      'is_blank',
      'is_name',
      'is_date_range',
      'is_layout',
      'is_not_explained',
      'oldest_of_page',
      'rows_of_page',
      'personal_id',
      'personal_tenant',
      'team_tenant',
      'context_tenant',
      'plain_numbers',
      'reject',
      'reject_estimate',
      'may_name_row',
      'reject_hidden_row',
      'reject_reference',
      'reject_null',
      'reject_value',
      'row_exists',
      'edited_at',
      'sent_text',
      'describe_columns',
      'constraints',
      'reject_overflow',
      'reject_row',
      'check_account',
      'are_tag_names',
      'closed_until',
      'closing_day',
      'has_closed_days',
      'note_closed_days',
      'reject_closed',
      'keep_closed_account',
      'require_open_days',
      'check_category',
      'check_conditions',
      'may_write',
      'currency_codes',
      'currency_of_account',
      'is_currency',
      'is_merge',
      'is_of_import',
      'count_exceeds_limit',
      'left_out',
      'owner_of_new',
      'owner_of_part',
      'recognize_import',
      'delete_import_transactions',
      'reject_repeated_row',
      'tenant_of',
      'max_rows_per_request',
      'count_written_row',
      'reject_many_rows',
      // Called by the triggers of a row that the policies let the caller write.
      'check_category_family',
      'check_line_items_later',
      'clear_recurring_transfers',
      'reject_category_on_transfer',
      'reject_item_of_half',
      'reject_items_of_half',
      'reject_missing',
      'release_file',
      'require_open_transaction',
      'require_unused_currency',
      'revert_import_updates',
      'store_bank_values',
      'store_former_budget',
      'store_unknown_bank_values',
      'check_transfer',
      // Functions that check the caller's rights themselves.
      'revert_request',
      'file_space_of_caller',
      'store_upload',
      'store_opening',
      // Parts of functions of api, which run with the caller's rights.
      'parse_currency',
      'bank_history',
      'bank_values',
      'begin_import',
      'store_import_updates',
      'store_bank_versions',
      'store_import_matches',
      'short_hash',
      'entries_of_rows',
      'former_rows',
      'key_ranges',
      'open_matches',
      'resolve_import_rows',
      'transfer_candidates',
      'pair_transfers',
      'unlink_import_transfers',
      'date_condition',
      'days_of',
      'days_of_periods',
      'core_values',
      'is_untouched',
      'line_items_fit',
      'euro_rates',
      'mark_day',
      'marked_day',
      'moment_bounds',
      'whole_day',
      'budget_terms',
      'context_condition',
      'due_occurrences',
      'max_occurrences',
      'forecast_changes',
      'forecast_statement',
      'parse_forecast_accounts',
      'parse_horizon',
      'parse_what_if',
      'store_transfer',
      'classify_import',
      'moment',
      'months_between',
      'occurrences',
      'read_import',
      'category_suggestions',
      'file_import_rows',
      'has_tags_of_user',
      'note_import_rules',
      'note_import_balance',
      'read_stated_balance',
      'store_stated_balance',
      'store_import_rules',
      'learned_categories',
      'payee_key',
      'payee_of_tenant',
      'find_tag',
      'is_id',
      'rule_changes',
      'rule_expression',
      'rules_in_order',
      'store_rule_changes',
      'recorded_transaction',
      'bank_row_of',
      'common_share',
      'rows_of_amount',
      'words_of',
      'require_plain_numbers',
      'date_range',
      'converted',
      'report_transactions',
      'converted_rows',
      'balance_on',
      'balance_rows',
      'period_unit',
      'period_step',
      'first_period',
      'cash_flow_statement',
      'transaction_stat_statement',
      'transaction_aggregate_statement',
      'distribution_statement',
      'missing_rates_statement',
      'budget_comparison_statement',
      'currency_decimals',
      'days_condition',
      'exchange_rates',
      'instance_currencies',
      'instance_rates_on',
      'leg_rates',
      'own_rates',
      'path_rates',
      'rates_of_days',
      'fill',
      'filter_conditions',
      'filter_days',
      'filter_kind',
      'filter_texts',
      'filter_literal',
      'filter_ranges',
      'is_day',
      'is_moment',
      'moments',
      'split_allocations',
      'preset_days',
      'preset_range',
      'presets',
      'range_condition',
      'note_left_out',
      'side_condition',
      'top_category',
      'transfer_condition',
      'target_currency',
      'text_of',
      'to_moment',
      'parse_filters',
      'conditions_to_sql',
      'parse_transfer_amount',
      'pre_request',
      ...parsers,
      'read_number',
      'folded',
      'search_pattern',
      'search_text',
      'searchable',
      'without_accents',
    ].toSorted())
    expect(await callable('authenticated', 'public')).toEqual(['org_id', 'org_role', 'uid'])
  })

  test('anon and authenticated have timeouts for statements, locks and idle transactions', async () => {
    for (const role of ['anon', 'authenticated']) {
      const settings =
        (await rows(`select unnest(rolconfig) as setting from pg_roles where rolname = '${role}'`))
          .map(({ setting }) => setting.split('=')[0])
      expect(settings).toEqual(
        expect.arrayContaining([
          'statement_timeout',
          'lock_timeout',
          'idle_in_transaction_session_timeout',
        ]),
      )
    }
  })
})

test('authenticator, PostgREST’s login, inherits nothing, becomes anon or authenticated, and may call only the configuration of PostgREST and its parsers', async () => {
  expect(
    await rows(
      `select rolcanlogin, rolinherit, rolsuper, rolbypassrls, rolcreaterole from pg_roles where rolname = 'authenticator'`,
    ),
  )
    .toEqual([{
      rolcanlogin: true,
      rolinherit: false,
      rolsuper: false,
      rolbypassrls: false,
      rolcreaterole: false,
    }])
  expect(
    await list(
      `select r.rolname from pg_auth_members m join pg_roles r on r.oid = m.roleid join pg_roles a on a.oid = m.member where a.rolname = 'authenticator'`,
    ),
  ).toEqual(['anon', 'authenticated'])
  expect(await callable('authenticator', 'private')).toEqual(['pre_config', ...parsers])
  expect(
    await tablePrivileges('authenticator', ['select', 'insert', 'update', 'delete', 'truncate']),
  ).toEqual([])
})

test('auth_service, the auth service’s login, has access to the tables of better-auth, the queue, and six tables of private for reading', async () => {
  expect(
    await rows(
      `select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb from pg_roles where rolname = 'auth_service'`,
    ),
  )
    .toEqual([{ rolsuper: false, rolbypassrls: false, rolcreaterole: false, rolcreatedb: false }])
  const reach = await tablePrivileges('auth_service', [
    'select',
    'insert',
    'update',
    'delete',
    'truncate',
  ])
  expect(reach.filter((name) => !name.startsWith('auth.'))).toEqual([
    'private.changes select',
    'private.deleted_objects delete',
    'private.deleted_objects select',
    ...['delete', 'insert', 'select', 'update'].map((right) => `private.jobs ${right}`),
    'private.migrations select',
    'private.products select',
    'private.role_permissions select',
    'private.settings select',
    'private.tenants select',
  ])
  expect(reach.filter((name) => name.startsWith('auth.') && name.endsWith('truncate'))).toEqual([])
  expect(await callable('auth_service', 'private')).toEqual([
    'access_end',
    'active_product',
    'begin_file',
    'calendar_days',
    'discard_file',
    'file_of_ticket',
    'finish_upload',
    'forget_activity',
    'forget_changes',
    'forget_files',
    'forget_tenants',
    'has_external_files',
    'is_elsewhere',
    'is_file_external',
    'lock_organizations_of_user',
    'mark_for_standbys',
    'oldest_transaction_seconds',
    'postgrest_listeners',
    'postgrest_processes',
    'queue_webhooks',
    'read_chunk',
    'run_backfill',
    'store_instance_rates',
    'tenant_of',
    'token_problem',
    'webhook_lag',
    'write_chunk',
  ])
})

test('stored secrets cannot be plain passwords or plain private keys', async () => {
  await client.query(`insert into auth.users (id, name, email) values ('u', '', 'u@example.org')`)
  await expect(
    client.query(
      `insert into auth.accounts (id, account_id, provider_id, user_id, password) values ('a', 'a', 'credential', 'u', 'correct horse')`,
    ),
  ).rejects.toThrow(/accounts_password_is_hashed/)
  await expect(
    client.query(
      `insert into auth.jwks (id, public_key, private_key) values ('k', '{"n":"x","d":"y"}', 'sealed')`,
    ),
  ).rejects.toThrow(
    /jwks_public_key_is_public/,
  )
})

test('PostgREST from 12.2 on, which exits on a syntax error in pre_request or pre_config, gets none: both call no dynamic SQL, and none of our functions raises one', async () => {
  const functions = await rows(`
      with recursive called as (
        select p.oid from pg_proc p where p.pronamespace = 'private'::regnamespace and p.proname in ('pre_request', 'pre_config')
        union
        select p.oid from called c, pg_proc p
        where p.pronamespace in ('private'::regnamespace, 'public'::regnamespace) and p.prokind = 'f' and pg_get_functiondef(c.oid) ~ ('\\m' || p.proname || '\\(')
      ) select p.proname as name, pg_get_functiondef(p.oid) as text from called join pg_proc p using (oid)`)
  expect(functions.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['pre_request', 'pre_config', 'reject_preferences', 'reject']),
  )
  expect(
    functions.filter(({ text }) => /\bexecute\s+(?!on\b)/i.test(text.replace(/--.*$/gm, '')))
      .map(({ name }) => name),
  ).toEqual([])
  expect(
    await list(`select p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname in ('api', 'auth', 'private', 'public') and p.prokind = 'f' and pg_get_functiondef(p.oid) ~* '42601|syntax_error'`),
  ).toEqual([])
})

test('a function that is restored from a backup is described as before', async () => {
  const described =
    `select oid::regprocedure::text as name, pg_get_functiondef(oid) as text from pg_proc
    where prosqlbody is not null and pronamespace in ('api'::regnamespace, 'auth'::regnamespace, 'private'::regnamespace, 'public'::regnamespace) order by 1`
  const before = await rows(described)
  expect(before.length).toBeGreaterThan(50)
  await client.query('begin')
  try {
    for (const { text } of before) await client.query(text)
    expect(await rows(described)).toEqual(before)
  } finally {
    await client.query('rollback')
  }
})
