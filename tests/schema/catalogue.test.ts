/**
 * Rules that every object of the data surface keeps, asked of the catalogue. A new table, function or column that breaks
 * one makes this file red without anybody having thought of it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import pg from 'pg'
import { freshDatabase } from '../support/database.ts'
import { ownedTables, tables } from '../data/samples.ts'

let drop: () => Promise<void>
let db: pg.Client

beforeAll(async () => {
  const database = await freshDatabase()
  drop = database.drop
  db = new pg.Client({ connectionString: database.ownerUrl })
  await db.connect()
})
afterAll(async () => {
  await db.end()
  await drop()
})

/** What breaks a rule, as words. */
const offenders = async (query: string) => (await db.query<{ what: string }>(query)).rows.map(({ what }) => what)

test('the walks of tests/data know every table that is exposed', async () => {
  const known = await offenders(`select relname as what from pg_class where relnamespace = 'api'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f') order by 1`)
  expect(known).toEqual([...tables, 'app_subscriptions'].toSorted())
  expect(await offenders(`
    select c.relname as what from pg_class c where c.relnamespace = 'api'::regnamespace and c.relkind = 'r' and c.relname <> 'app_subscriptions'
      and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'user_id') order by 1`)).toEqual([...ownedTables].toSorted())
})

describe('row security', () => {
  test('is on for every exposed table', async () => {
    expect(await offenders(`select relname as what from pg_class where relnamespace = 'api'::regnamespace and relkind in ('r', 'p') and not relrowsecurity`)).toEqual([])
  })

  test('has exactly one permissive policy for each command that is granted, to authenticated alone', async () => {
    expect(await offenders(`
      select format('%s %s: %s policies', c.relname, granted.command, count(p.policyname)) as what
      from pg_class c
      cross join (values ('SELECT'), ('INSERT'), ('UPDATE'), ('DELETE')) as granted (command)
      left join pg_policies p on p.schemaname = 'api' and p.tablename = c.relname and p.cmd = granted.command
        and p.permissive = 'PERMISSIVE' and p.roles = '{authenticated}'
      where c.relnamespace = 'api'::regnamespace and c.relkind in ('r', 'p')
      group by c.oid, c.relname, granted.command
      having count(p.policyname) <> has_table_privilege('authenticated', c.oid, granted.command)::integer`)).toEqual([])
    expect(await offenders(`
      select format('%s on %s', policyname, tablename) as what from pg_policies
      where schemaname = 'api' and (permissive <> 'PERMISSIVE' or roles <> '{authenticated}' or cmd = 'ALL')`)).toEqual([])
  })

  test('calls the claim and permission functions through (select …), so that each is asked once a query', async () => {
    expect(await offenders(`
      select format('%s on %s', policyname, tablename) as what
      from pg_policies, lateral (select coalesce(qual, '') || ' ' || coalesce(with_check, '') as rule) r
      where schemaname = 'api'
        and regexp_replace(r.rule, '\\( SELECT (public\\.)?(uid|org_id|org_role)\\(\\) AS [a-z_]+\\)|\\( SELECT private\\.can\\([^()]*\\) AS can\\)', '', 'g') ~ '(uid|org_id|org_role|can)\\('`)).toEqual([])
  })

  test('ends every check of new rows in a refusal that says permission denied', async () => {
    expect(await offenders(`
      select format('%s on %s', policyname, tablename) as what from pg_policies
      where schemaname = 'api' and cmd in ('INSERT', 'UPDATE') and (with_check is null or with_check !~ format('^\\s*CASE\\s+WHEN .* THEN true\\s+ELSE private\\.deny\\(''%s''::text\\)\\s+END$', tablename))`)).toEqual([])
  })

  test('asks a trigger for every delete, which has no new row to check', async () => {
    expect(await offenders(`
      select c.relname as what from pg_class c
      where c.relnamespace = 'api'::regnamespace and c.relkind = 'r' and has_table_privilege('authenticated', c.oid, 'DELETE')
        and not exists (
          select from pg_trigger t join pg_proc f on f.oid = t.tgfoid
          where t.tgrelid = c.oid and f.proname in ('require_delete', 'require_part_delete') and t.tgtype & 11 = 11)`)).toEqual([])
  })
})

describe('the owner pair', () => {
  test('is filled, checked and kept on every table that has it', async () => {
    expect(await offenders(`
      select format('%s lacks %s', c.relname, wanted) as what
      from pg_class c, unnest(array['set_owner', 'keep_owner', 'require_delete']) as wanted
      where c.relnamespace = 'api'::regnamespace and c.relkind = 'r'
        and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id')
        and not exists (select from pg_trigger t join pg_proc f on f.oid = t.tgfoid where t.tgrelid = c.oid and f.proname = wanted)`)).toEqual([])
    expect(await offenders(`
      select format('%s.%s', c.relname, a.attname) as what
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname in ('user_id', 'organization_id')
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where c.relnamespace = 'api'::regnamespace and c.relkind = 'r' and c.relname <> 'app_subscriptions'
        and coalesce(pg_get_expr(d.adbin, d.adrelid), '') !~ case a.attname when 'user_id' then 'uid\\(\\)$' else 'org_id\\(\\)$' end`)).toEqual([])
  })

  test('comes with times that the service sets', async () => {
    expect(await offenders(`
      select format('%s.%s', c.relname, a.attname) as what
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname in ('created_at', 'updated_at')
      where c.relnamespace = 'api'::regnamespace and c.relkind = 'r' and has_table_privilege('authenticated', c.oid, 'INSERT')
        and not exists (
          select from pg_trigger t join pg_proc f on f.oid = t.tgfoid
          where t.tgrelid = c.oid and (f.proname = 'set_timestamps' or f.proname = 'set_' || a.attname) and t.tgtype & 23 = 23)`)).toEqual([])
  })

  test('goes with the organization, and stays without the user', async () => {
    expect(await offenders(`
      select format('%s.%s: %s', k.conrelid::regclass, a.attname, k.confdeltype) as what
      from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
      where k.contype = 'f' and k.connamespace = 'api'::regnamespace and a.attname in ('user_id', 'organization_id') and k.conrelid <> 'api.app_subscriptions'::regclass
        and k.confdeltype <> case a.attname when 'user_id' then 'n' else 'c' end::"char"`)).toEqual([])
    expect(await offenders(`
      select c.relname as what from pg_class c
      where c.relnamespace = 'api'::regnamespace and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id')
        and c.relkind = 'r' and 2 <> (
          select count(*) from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
          where k.conrelid = c.oid and k.contype = 'f' and a.attname in ('user_id', 'organization_id'))`)).toEqual([])
  })
})

describe('indexes', () => {
  test('lead with every foreign key', async () => {
    expect(await offenders(`
      select format('%s: %s', k.conrelid::regclass, k.conname) as what
      from pg_constraint k
      where k.contype = 'f' and k.connamespace in ('api'::regnamespace, 'auth'::regnamespace)
        and not exists (
          select from pg_index i
          where i.indrelid = k.conrelid and (i.indkey::smallint[])[0:cardinality(k.conkey) - 1] @> k.conkey
            -- of rows that have the reference at all
            and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) ~ '^\\(\\w+ IS NOT NULL\\)$'))`)).toEqual([])
  })

  test('never lead with a date: the planner would walk everybody\'s rows', async () => {
    expect(await offenders(`
      select i.indexrelid::regclass::text as what
      from pg_index i join pg_class c on c.oid = i.indrelid join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
      where c.relnamespace = 'api'::regnamespace and a.atttypid in ('timestamptz'::regtype, 'date'::regtype, 'timestamp'::regtype)`)).toEqual([])
  })
})

test('the planner is told that a tenant is few rows, so that it always goes by the tenant', async () => {
  expect(await offenders(`
    select format('%s.%s', c.relname, a.attname) as what from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname in ('user_id', 'organization_id')
    where c.relnamespace = 'api'::regnamespace and c.relkind = 'r' and c.relname <> 'app_subscriptions' and not coalesce(a.attoptions @> array['n_distinct=-0.03'], false)`)).toEqual([])
})

describe('grants', () => {
  test('let anon read every exposed table, by no policy, and do nothing else', async () => {
    expect(await offenders(`
      select format('anon may not read %s', relname) as what from pg_class
      where relnamespace = 'api'::regnamespace and relkind in ('r', 'p', 'v') and not has_table_privilege('anon', oid, 'SELECT')
      union all
      select format('anon may write %s', oid::regclass) from pg_class
      where relkind in ('r', 'p', 'v', 'S') and relnamespace in ('api'::regnamespace, 'auth'::regnamespace, 'private'::regnamespace)
        and (case relkind when 'S' then has_sequence_privilege('anon', oid, 'USAGE, UPDATE') else has_table_privilege('anon', oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER') end)
      union all
      select format('anon may call %s', p.oid::regprocedure) from pg_proc p
      where p.pronamespace in ('api'::regnamespace, 'private'::regnamespace, 'auth'::regnamespace) and has_function_privilege('anon', p.oid, 'EXECUTE')
        and p.oid not in ('private.pre_request()'::regprocedure, 'api.one_object(anyelement)'::regprocedure)`)).toEqual([])
  })

  test('let the API roles into no table outside api, and beyond reading and writing rows into none', async () => {
    expect(await offenders(`
      select format('%s may %s %s', r.rolname, privilege, c.oid::regclass) as what
      from pg_roles r, pg_class c, unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) privilege
      where r.rolname in ('anon', 'authenticated', 'authenticator') and c.relkind in ('r', 'p', 'v', 'm')
        and c.relnamespace in ('api'::regnamespace, 'auth'::regnamespace, 'private'::regnamespace, 'public'::regnamespace)
        and has_table_privilege(r.oid, c.oid, privilege)
        and (c.relnamespace <> 'api'::regnamespace or privilege in ('TRUNCATE', 'REFERENCES', 'TRIGGER') or r.rolname = 'authenticator')`)).toEqual([])
  })

  test('make no API role an owner, a superuser, or exempt from row security', async () => {
    expect(await offenders(`
      select rolname as what from pg_roles
      where rolname in ('anon', 'authenticated', 'authenticator', 'auth_service')
        and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or (rolcanlogin and rolname in ('anon', 'authenticated')))
      union all
      select format('%s owns %s', r.rolname, c.oid::regclass) from pg_class c join pg_roles r on r.oid = c.relowner
      where r.rolname in ('anon', 'authenticated', 'authenticator', 'auth_service') and c.relnamespace in ('api'::regnamespace, 'auth'::regnamespace, 'private'::regnamespace)`)).toEqual([])
  })
})

describe('functions', () => {
  test('of api run with the caller\'s rights', async () => {
    expect(await offenders(`select oid::regprocedure::text as what from pg_proc where pronamespace = 'api'::regnamespace and prosecdef`)).toEqual([])
  })

  test('pin their search_path, or have a body that needs none', async () => {
    expect(await offenders(`
      select oid::regprocedure::text as what from pg_proc
      where pronamespace in ('api'::regnamespace, 'private'::regnamespace, 'auth'::regnamespace, 'public'::regnamespace) and prokind = 'f'
        and not coalesce(proconfig @> array['search_path=""'], false) and (prosqlbody is null or prosecdef)`)).toEqual([])
  })

  test('are executable by nobody unless granted', async () => {
    expect(await offenders(`
      select oid::regprocedure::text as what from pg_proc
      where pronamespace in ('api'::regnamespace, 'private'::regnamespace, 'auth'::regnamespace, 'public'::regnamespace)
        and (proacl is null or exists (select from aclexplode(proacl) where grantee = 0))`)).toEqual([])
  })

  test('that raise privileges are not for the API roles to call, but for the three that answer yes or no', async () => {
    expect(await offenders(`
      select oid::regprocedure::text as what from pg_proc
      where prosecdef and prorettype <> 'trigger'::regtype and pronamespace in ('api'::regnamespace, 'private'::regnamespace, 'auth'::regnamespace, 'public'::regnamespace)
        and has_function_privilege('authenticated', oid, 'EXECUTE') order by 1`)).toEqual(['private.can(text,text)', 'private.pre_request()', 'private.row_exists(text,uuid)'])
  })
})

test('every exposed schema, table, column, function and aggregate has a comment', async () => {
  expect(await offenders(`
    select 'schema api' as what where obj_description('api'::regnamespace, 'pg_namespace') is null
    union all
    select c.relname from pg_class c where c.relnamespace = 'api'::regnamespace and c.relkind in ('r', 'p', 'v') and obj_description(c.oid, 'pg_class') is null
    union all
    select format('%s.%s', c.relname, a.attname) from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'api'::regnamespace and c.relkind in ('r', 'p', 'v') and col_description(c.oid, a.attnum) is null
    union all
    select p.oid::regprocedure::text from pg_proc p where p.pronamespace in ('api'::regnamespace, 'private'::regnamespace, 'public'::regnamespace) and obj_description(p.oid, 'pg_proc') is null`)).toEqual([])
})

test('every amount refuses NaN, every text has a length, every JSON a size and a depth', async () => {
  expect(await offenders(`
    select format('%s.%s', c.relname, a.attname) as what
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    cross join lateral (
      select coalesce(string_agg(pg_get_constraintdef(k.oid), ' '), '') as checks from pg_constraint k where k.conrelid = c.oid and k.contype = 'c' and a.attnum = any (k.conkey)
    ) k
    where c.relnamespace = 'api'::regnamespace and c.relkind = 'r' and c.relname <> 'app_subscriptions' and a.attname not in ('user_id', 'organization_id')
      and not case a.atttypid
        when 'numeric'::regtype then checks ~ 'NaN'
        when 'text'::regtype then checks ~ 'char_length|ANY|~ ''\\^'
        when 'jsonb'::regtype then (checks ~ 'octet_length' and checks ~ 'jsonb_path_exists') or checks ~ 'is_date_range'
        else true
      end`)).toEqual([])
})

test('the matrix of rights is the interface\'s', async () => {
  const matrix = await db.query<{ role: string, resource: string, actions: string }>(
    `select role, resource, string_agg(action, ' ' order by action) as actions from private.role_permissions group by 1, 2`)
  const all = 'create delete get list update'
  const expected = tables.flatMap((resource) => [
    ...['owner', 'admin', 'editor'].map((role) => ({ role, resource, actions: resource === 'dashboards' ? 'create delete get list list_private update' : all })),
    { role: 'viewer', resource, actions: 'get list' },
  ])
  const sorted = (rows: { role: string, resource: string }[]) => rows.toSorted((a, b) => `${a.role} ${a.resource}` < `${b.role} ${b.resource}` ? -1 : 1)
  expect(sorted(matrix.rows)).toEqual(sorted(expected))
})
