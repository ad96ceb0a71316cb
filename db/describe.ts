/**
 * A database as PostgreSQL itself describes it: what db/schema.sql shows, and what tells whether two databases are the
 * same. No table's rows are read.
 */
import type pg from 'pg'

/** One object of the database. `name` is unique within its kind; `text` is its definition. */
export type DatabaseObject = { kind: string, name: string, text: string }

const ours = `('api', 'auth', 'private', 'public')`

/**
 * Each query answers kind, name and text. Names are written in full, because the search path is empty. Constraints that
 * only say not null are part of their column; PostgreSQL 18 lists them and 15 does not.
 */
const queries = [
  `select 'schema' as kind, nspname as name, format('create schema %I;', nspname) as text from pg_namespace where nspname in ${ours} and nspname <> 'public'`,
  `select 'type', format_type(t.oid, null), case t.typtype
      when 'd' then format('create domain %s as %s;', format_type(t.oid, null), format_type(t.typbasetype, t.typtypmod))
      else format('create type %s as (%s);', format_type(t.oid, null),
        (select string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)), ', ' order by attnum) from pg_attribute where attrelid = t.typrelid and attnum > 0)) end
    from pg_type t left join pg_class c on c.oid = t.typrelid
    where t.typnamespace::regnamespace::text in ${ours} and (t.typtype = 'd' or t.typtype = 'c' and c.relkind = 'c')`,
  `select 'table', c.oid::regclass::text, format(E'create %stable %s (\\n%s\\n)%s;%s',
      case c.relpersistence when 'u' then 'unlogged ' else '' end, c.oid::regclass,
      (select string_agg(line, E',\\n' order by rank, line_order) from (
        select 0 as rank, lpad(a.attnum::text, 4) as line_order, format('  %I %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
            ' default ' || pg_get_expr(d.adbin, d.adrelid), case when a.attnotnull then ' not null' end) as line
          from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        union all
        select 1, k.conname, format('  constraint %I %s', k.conname, pg_get_constraintdef(k.oid)) from pg_constraint k
          where k.conrelid = c.oid and k.contype in ('p', 'u', 'c', 'f', 'x')) lines),
      ' with (' || array_to_string(c.reloptions, ', ') || ')',
      (select string_agg(format(E'\\nalter table %s alter column %I set (%s);', c.oid::regclass, a.attname, array_to_string(a.attoptions, ', ')), '' order by a.attnum)
        from pg_attribute a where a.attrelid = c.oid and a.attoptions is not null)
      || case when c.relrowsecurity then format(E'\\nalter table %s enable row level security;', c.oid::regclass) end)
    from pg_class c where c.relnamespace::regnamespace::text in ${ours} and c.relkind in ('r', 'p')`,
  `select 'index', i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) || ';'
    from pg_index i join pg_class c on c.oid = i.indrelid
    where c.relnamespace::regnamespace::text in ${ours} and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))`,
  `select 'policy', format('%I.%I %I', schemaname, tablename, policyname), format(E'create policy %I on %I.%I%s for %s to %s%s%s;', policyname, schemaname, tablename,
      case permissive when 'RESTRICTIVE' then ' as restrictive' end, lower(cmd), array_to_string(roles, ', '), E'\\n  using (' || qual || ')', E'\\n  with check (' || with_check || ')')
    from pg_policies where schemaname in ${ours}`,
  `select 'trigger', format('%s %I', t.tgrelid::regclass, t.tgname), pg_get_triggerdef(t.oid) || ';' || case t.tgenabled when 'O' then '' else ' -- ' || t.tgenabled::text end
    from pg_trigger t join pg_class c on c.oid = t.tgrelid where not t.tgisinternal and c.relnamespace::regnamespace::text in ${ours}`,
  `select 'grant', format('%s %s', what, g.name), format('grant %s on %s to %s;', string_agg(lower(privilege_type) || case when is_grantable then ' with grant option' else '' end, ', ' order by privilege_type), what, g.name)
    from (
      select format('schema %I', nspname) as what, nspowner as owner, nspacl as acl from pg_namespace where nspname in ${ours} and nspname <> 'public'
      union all
      select c.oid::regclass::text, c.relowner, c.relacl from pg_class c where c.relnamespace::regnamespace::text in ${ours} and c.relkind in ('r', 'p', 'v', 'm', 'S')
      union all
      select format('%s.%I', a.attrelid::regclass, a.attname), c.relowner, a.attacl from pg_attribute a join pg_class c on c.oid = a.attrelid where c.relnamespace::regnamespace::text in ${ours}
      union all
      select format('function %s', p.oid::regprocedure), p.proowner, p.proacl from pg_proc p where p.pronamespace::regnamespace::text in ${ours}
    ) objects, aclexplode(acl) e, lateral (select case e.grantee when 0 then 'public' else e.grantee::regrole::text end as name) g
    where e.grantee <> owner group by what, g.name`,
  `select 'function', p.oid::regprocedure::text, case p.prokind when 'a'
      then format('aggregate %s: %s, %s', p.oid::regprocedure, a.aggtransfn, a.aggfinalfn) else pg_get_functiondef(p.oid) end
    from pg_proc p left join pg_aggregate a on a.aggfnoid = p.oid where p.pronamespace::regnamespace::text in ${ours}`,
  `select 'comment', pg_describe_object(d.classoid, d.objoid, d.objsubid), d.description
    from pg_description d, lateral (select case d.classoid
      when 'pg_class'::regclass then (select relnamespace from pg_class where oid = d.objoid)
      when 'pg_proc'::regclass then (select pronamespace from pg_proc where oid = d.objoid)
      when 'pg_type'::regclass then (select typnamespace from pg_type where oid = d.objoid)
      when 'pg_namespace'::regclass then d.objoid end as schema) s
    where s.schema::regnamespace::text in ${ours}`,
  `select 'role', r.rolname, format('alter role %I %s;', r.rolname, concat_ws(' ',
      case when r.rolcanlogin then 'login' end, case when r.rolsuper then 'superuser' end, case when r.rolbypassrls then 'bypassrls' end, case when r.rolinherit then 'inherit' end,
      'member of (' || (select string_agg(m.roleid::regrole::text, ', ' order by 1) from pg_auth_members m where m.member = r.oid) || ')',
      'set (' || (select string_agg(s, ', ' order by s) from unnest(r.rolconfig) s) || ')'))
    from pg_roles r where r.rolname in ('anon', 'authenticated', 'authenticator', 'auth_service')`,
]

/** Every object of our schemas, and our roles, in a stable order. */
export async function describeDatabase(client: pg.ClientBase): Promise<DatabaseObject[]> {
  await client.query('begin')
  try {
    await client.query(`set local search_path = ''`)
    const answers = []
    for (const query of queries)
      answers.push((await client.query<DatabaseObject>(`select kind, name, text from (${query}) o (kind, name, text) order by name collate "C"`)).rows)
    return answers.flat()
  } finally {
    await client.query('rollback')
  }
}

/** How db/schema.sql shows the objects: without the functions' bodies and the comments, whose home is db/functions and db/rules. */
export function schemaPage(objects: DatabaseObject[]): string {
  const shown = objects.filter(({ kind }) => !['function', 'comment', 'role'].includes(kind)).map(({ text }) => text)
  return `-- The present, written by \`npm run schema\`. Change it in db/migrations, db/functions and db/rules.\n\n${shown.join('\n\n')}\n`
}
