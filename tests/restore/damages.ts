/**
 * Damages of a restored database: statements for every kind of object in the catalogue, and for
 * rows.
 */
import type pg from 'pg'

export type Damage = { kind: string, statement: string }

/** Each query returns statements with qualified names. */
const generators: Record<string, string> = {
  policy: `
    select unnest(array[
      format('drop policy %I on %s', polname, polrelid::regclass),
      format('alter policy %I on %s to public', polname, polrelid::regclass),
      case when polqual is not null then format('alter policy %I on %s using (true)', polname, polrelid::regclass) end,
      case when polwithcheck is not null then format('alter policy %I on %s with check (true)', polname, polrelid::regclass) end])
    from pg_policy`,
  table: `
    select unnest(array[
      case when relrowsecurity then format('alter table %s disable row level security', oid::regclass) else format('alter table %s enable row level security', oid::regclass) end,
      format('alter table %s force row level security', oid::regclass),
      format('alter table %s owner to auth_service', oid::regclass),
      format('alter table %s set (fillfactor = 71)', oid::regclass),
      format('alter table %s replica identity full', oid::regclass),
      case when relhastriggers then format('alter table %s disable trigger all', oid::regclass) end,
      format('comment on table %s is %L', oid::regclass, 'damaged'),
      format('drop table %s cascade', oid::regclass),
      format('create table %s_more (id integer)', oid::regclass)])
    from pg_class where relkind = 'r' and relnamespace in (select oid from ours)`,
  column: `
    select unnest(array[
      format('alter table %s drop column %I cascade', a.attrelid::regclass, a.attname),
      format('alter table %s alter column %I %s', a.attrelid::regclass, a.attname, case
        when a.atthasdef then 'drop default' when a.atttypid = 'text'::regtype then $s$set default 'damaged'$s$ when a.attstorage = 'e' then 'set storage extended' else 'set storage external' end),
      format('alter table %s alter column %I %s not null', a.attrelid::regclass, a.attname, case when a.attnotnull then 'drop' else 'set' end),
      format('alter table %s alter column %I set statistics 7', a.attrelid::regclass, a.attname),
      format('grant update (%I) on %s to anon', a.attname, a.attrelid::regclass),
      format('comment on column %s.%I is %L', a.attrelid::regclass, a.attname, 'damaged')])
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relkind = 'r' and c.relnamespace in (select oid from ours) and a.attnum > 0 and not a.attisdropped`,
  constraint: `
    select unnest(array[
      format('alter table %s drop constraint %I cascade', conrelid::regclass, conname),
      case contype when 'f' then format('alter table %s alter constraint %I deferrable', conrelid::regclass, conname) end])
    from pg_constraint where contype in ('c', 'f', 'p', 'u') and conrelid <> 0 and connamespace in (select oid from ours)`,
  index: `
    select format('drop index %s', i.indexrelid::regclass) from pg_index i join pg_class c on c.oid = i.indrelid
    where c.relnamespace in (select oid from ours) and not exists (select from pg_constraint k where k.conindid = i.indexrelid)`,
  trigger: `
    select unnest(array[
      format('drop trigger %I on %s', tgname, tgrelid::regclass),
      format('alter table %s disable trigger %I', tgrelid::regclass, tgname),
      format('alter table %s enable always trigger %I', tgrelid::regclass, tgname)])
    from pg_trigger where not tgisinternal`,
  function: `
    select unnest(array[
      format('drop routine %s cascade', p.oid::regprocedure),
      format('grant execute on routine %s to public', p.oid::regprocedure),
      format('alter routine %s owner to auth_service', p.oid::regprocedure)])
    from pg_proc p where p.pronamespace in (select oid from ours)
    union all
    select unnest(array[
      format('alter function %s security %s', p.oid::regprocedure, case when p.prosecdef then 'invoker' else 'definer' end),
      format('alter function %s %s', p.oid::regprocedure, case p.provolatile when 'i' then 'stable' else 'immutable' end),
      format('alter function %s set search_path = public', p.oid::regprocedure),
      format('alter function %s leakproof', p.oid::regprocedure),
      -- the last word of a body
      case when p.prosqlbody is null then overlay(pg_get_functiondef(p.oid) placing '; ' from length(pg_get_functiondef(p.oid)) - position('$' in substr(reverse(pg_get_functiondef(p.oid)), 12)) - 11 for 1) end])
    from pg_proc p where p.prokind = 'f' and p.pronamespace in (select oid from ours)`,
  right: `
    select format('revoke %s on %s from %s', e.privilege_type, c.oid::regclass, e.grantee::regrole) from pg_class c, aclexplode(c.relacl) e
    where c.relnamespace in (select oid from ours) and c.relkind = 'r'
    union all
    select format('revoke execute on routine %s from %s', p.oid::regprocedure, e.grantee::regrole) from pg_proc p, aclexplode(p.proacl) e
    where p.pronamespace in (select oid from ours) and e.grantee <> 0
    union all
    select format('revoke usage on schema %I from %s', n.nspname, case e.grantee when 0 then 'public' else e.grantee::regrole::text end)
    from pg_namespace n, aclexplode(n.nspacl) e where n.oid in (select oid from ours) and e.privilege_type = 'USAGE'
    union all
    select unnest(array[
      'alter default privileges grant execute on functions to public',
      'alter default privileges in schema api grant select on tables to anon',
      'revoke usage on type private.one_row from public',
      'revoke execute on function pg_catalog.pg_notify(text, text) from public',
      'grant execute on function pg_catalog.pg_read_file(text) to anon',
      'grant create on schema public to public'])`,
  role: `
    select format('alter role %I reset %s', r.rolname, split_part(s, '=', 1)) from pg_roles r, unnest(r.rolconfig) s
    where r.rolname in ('anon', 'authenticated', 'authenticator', 'auth_service')
    union all
    select format('alter role %I %s', r.rolname, word) from pg_roles r, unnest(array['bypassrls', 'superuser', 'createrole', 'createdb', 'replication', 'set work_mem = 77']) word
    where r.rolname in ('anon', 'authenticated', 'authenticator', 'auth_service')
    union all
    select unnest(array['grant auth_service to authenticated', 'revoke anon from authenticator', 'alter role all in database ' || quote_ident(current_database()) || ' set row_security = off'])`,
  other: `
    select unnest(array[
      'drop cast (json as private.moment)',
      'alter domain private.moment drop default',
      'alter domain private.day add check (value > ''2000-01-01'')',
      'create view api.everything as select * from api.transactions',
      'create rule quiet as on delete to api.tags do instead nothing',
      'create sequence private.numbers',
      'create extension if not exists plpgsql; create function private.answer() returns event_trigger language plpgsql as ''begin end''; create event trigger watching on ddl_command_end execute function private.answer()',
      'create collation private.other from "C"',
      'create operator private.=== (leftarg = text, rightarg = text, function = pg_catalog.texteq)',
      'create statistics api.together on user_id, organization_id from api.tags',
      'create type private.mood as enum (''sad'')',
      'create domain private.positive as integer check (value > 0)',
      'alter domain private."application/vnd.rest.object+json" set not null',
      'alter type private.one_row add attribute more text',
      'comment on schema private is null',
      'create schema another'])`,
}

/** Damages of a row: missing, duplicated, or with another value. */
async function damagesOfRows(db: pg.Client): Promise<Damage[]> {
  const { rows: tables } = await db.query<{ name: string }>(`
    select c.oid::regclass::text as name from pg_class c
    where c.relkind = 'r' and c.relpersistence = 'p' and c.relnamespace in (select oid from pg_namespace where nspname in ('api', 'auth', 'private'))`)
  const all: Damage[] = []
  for (const { name } of tables) {
    const { rows } = await db.query<{ statement: string }>(
      `
      with places as (select ctid as place from ${name})
      select format('delete from %s where ctid = %L', $1::text, place) as statement from places
      union all
      select format('update %s set %I = %s where ctid = %L', $1::text, a.attname, case
          when t.base = 'boolean'::regtype then format('not coalesce(%I, false)', a.attname)
          when t.base in ('integer'::regtype, 'bigint'::regtype, 'numeric'::regtype) then format('coalesce(%I, 0) + 1', a.attname)
          when t.base in ('timestamptz'::regtype, 'timestamp'::regtype, 'date'::regtype) then format($s$coalesce(%I, 'epoch') + interval '1 day'$s$, a.attname)
          when t.base = 'uuid'::regtype then 'gen_random_uuid()'
          when t.base in ('json'::regtype, 'jsonb'::regtype) then $s$'{"damaged": true}'$s$
          else format($s$coalesce(overlay(%I placing '~' from 2 for 1), '~')$s$, a.attname) end, place)
      from places, pg_attribute a join (select oid, coalesce(nullif(typbasetype, 0), oid) as base from pg_type) t on t.oid = a.atttypid where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped`,
      [name],
    )
    all.push(
      ...rows.map(({ statement }) => ({
        kind: 'row',
        statement: `set local session_replication_role = replica; ${statement}`,
      })),
    )
  }
  return all
}

/** All damages, in a stable order. */
export async function damages(db: pg.Client): Promise<Damage[]> {
  await db.query(`begin; set local search_path = ''`)
  const all: Damage[] = []
  for (const [kind, query] of Object.entries(generators)) {
    const { rows } = await db.query<{ statement: string }>(`
      with ours as (select oid from pg_namespace where nspname in ('api', 'auth', 'private', 'public'))
      select statement from (${query}) s (statement) where statement is not null order by statement collate "C"`)
    all.push(...rows.map(({ statement }) => ({ kind, statement })))
  }
  all.push(...await damagesOfRows(db))
  await db.query('rollback')
  return all
}
