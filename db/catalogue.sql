-- All objects of this database, one row each: kind, name, and definition. The definition is a JSON string, so that
-- several lines of SQL fit into one row. The result contains no value that a restore changes, and no text that
-- differs between PostgreSQL 15 and 18. The program db/describe.ts returns the rows. infra/docker/backup stores them,
-- and restore compares them. Without a search path PostgreSQL prints every name in full. A definition may contain a
-- date, printed by the settings of the session.
set search_path = '';
set timezone = 'UTC';
set datestyle = 'ISO';
set intervalstyle = 'postgres';
-- the planner estimates a very high cost for this query, and compiling it would take seconds
set jit = off;

with ours as (
  select oid, nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'
),
-- an extension creates its own objects, and a dump only names the extension
of_extensions as (
  select classid, objid from pg_depend where deptype = 'e'
),
relations as (
  select c.*, c.oid::regclass::text as name from pg_class c
  where c.relnamespace in (select oid from ours)
    and ('pg_class'::regclass, c.oid) not in (select classid, objid from of_extensions)
),
functions as (
  select p.*, p.oid::regprocedure::text as name from pg_proc p
  where p.pronamespace in (select oid from ours)
    and ('pg_proc'::regclass, p.oid) not in (select classid, objid from of_extensions)
),
types as (
  select t.*, format_type(t.oid, null) as name from pg_type t left join pg_class c on c.oid = t.typrelid
  where t.typnamespace in (select oid from ours)
    and (t.typtype in ('d', 'e', 'r') or t.typtype = 'c' and c.relkind = 'c')
    and ('pg_type'::regclass, t.oid) not in (select classid, objid from of_extensions)
),
-- built-in objects with changed rights
changed_by_us as (
  select 'function ' || p.oid::regprocedure::text as what, p.proacl as acl
  from pg_proc p left join pg_init_privs i on i.objoid = p.oid and i.classoid = 'pg_proc'::regclass
  where p.pronamespace = 'pg_catalog'::regnamespace and p.proacl is distinct from i.initprivs
  union all
  select c.oid::regclass::text, c.relacl
  from pg_class c left join pg_init_privs i on i.objoid = c.oid and i.classoid = 'pg_class'::regclass and i.objsubid = 0
  where c.relnamespace = 'pg_catalog'::regnamespace and c.relacl is distinct from i.initprivs
),
rights as (
  -- without any grant or revoke, PostgreSQL's defaults apply: PUBLIC may use functions and types
  select 'schema ' || quote_ident(n.nspname) as what, n.nspowner as owner, n.nspacl as acl,
    acldefault('n', n.nspowner) as usual
  from pg_namespace n where n.oid in (select oid from ours)
  union all
  select name, relowner, relacl, acldefault(case relkind when 'S' then 's' else 'r' end::"char", relowner)
  from relations where relkind in ('r', 'p', 'v', 'm', 'f', 'S')
  union all
  select format('%s.%I', c.name, a.attname), c.relowner, a.attacl, null
  from pg_attribute a
  join relations c on c.oid = a.attrelid
  where not a.attisdropped
  union all
  select 'function ' || name, proowner, proacl, acldefault('f', proowner) from functions
  union all
  select 'type ' || name, typowner, typacl, acldefault('T', typowner) from types
),
granted as (
  select what, owner, case e.grantee when 0 then 'public' else e.grantee::regrole::text end as grantee,
    e.grantee as grantee_oid,
    string_agg(lower(e.privilege_type) || case when e.is_grantable then ' with grant option' else '' end,
      ', ' order by e.privilege_type) as privileges
  from rights, aclexplode(coalesce(acl, usual)) e
  group by what, owner, e.grantee
),
objects (kind, name, definition) as (
  select 'schema', nspname, format('create schema %I;', nspname) from ours where nspname <> 'public'
  union all
  select 'extension', e.extname, format('create extension %I schema %s;', e.extname, e.extnamespace::regnamespace)
  from pg_extension e
  union all
  select 'type', t.name, case t.typtype
    when 'd' then format('create domain %s as %s%s%s%s%s;', t.name, format_type(t.typbasetype, t.typtypmod),
      case when t.typcollation <> b.typcollation then ' collate ' || t.typcollation::regcollation end,
      ' default ' || t.typdefault, case when t.typnotnull then ' not null' end,
      (select string_agg(format(' constraint %I %s', k.conname, pg_get_constraintdef(k.oid)), '' order by k.conname)
        from pg_constraint k where k.contypid = t.oid and k.contype = 'c'))
    when 'e'
      then format('create type %s as enum (%s);', t.name,
        (select string_agg(quote_literal(enumlabel), ', ' order by enumsortorder) from pg_enum where enumtypid = t.oid))
    when 'r'
      then format('create type %s as range of %s;', t.name,
        (select format_type(rngsubtype, null) from pg_range where rngtypid = t.oid))
    else format('create type %s as (%s);', t.name,
      (
        select string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)), ', ' order by attnum)
        from pg_attribute
        where attrelid = t.typrelid and attnum > 0 and not attisdropped
      )) end
  from types t left join pg_type b on b.oid = t.typbasetype
  union all
  -- A constraint that only says not null is part of its column. PostgreSQL 18 lists such constraints and 15 does not.
  select 'table', c.name, format(E'create %stable %s (\n%s\n)%s%s%s;%s',
    case c.relpersistence when 'u' then 'unlogged ' else '' end, c.name,
    (select string_agg(line, E',\n' order by rank, line_order) from (
      select 0 as rank, lpad(a.attnum::text, 4) as line_order,
        format('  %I %s%s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
        case when a.attcollation <> t.typcollation then ' collate ' || a.attcollation::regcollation end,
        case
          when a.attidentity <> ''
            then format(' generated %s as identity', case a.attidentity when 'a' then 'always' else 'by default' end)
          when a.attgenerated <> ''
            then format(' generated always as (%s)%s', pg_get_expr(d.adbin, d.adrelid),
              case a.attgenerated when 's' then ' stored' end)
          else ' default ' || pg_get_expr(d.adbin, d.adrelid) end,
        case when a.attnotnull then ' not null' end) as line
      from pg_attribute a
      join pg_type t on t.oid = a.atttypid
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      union all
      select 1, k.conname, format('  constraint %I %s', k.conname, pg_get_constraintdef(k.oid)) from pg_constraint k
      where k.conrelid = c.oid and k.contype in ('p', 'u', 'c', 'f', 'x')) lines),
    (
      select format(' inherits (%s)', string_agg(i.inhparent::regclass::text, ', ' order by i.inhseqno))
        || coalesce(' ' || pg_get_expr(c.relpartbound, c.oid), '')
      from pg_inherits i where i.inhrelid = c.oid having count(*) > 0),
    ' partition by ' || pg_get_partkeydef(c.oid),
    ' with (' || array_to_string(c.reloptions, ', ') || ')',
    concat(
      -- PostgreSQL 17.12 of Debian stamps each column with a number, pg_attver; a restored column has another
      (
        select string_agg(format(E'\nalter table %s alter column %I set (%s);', c.name, a.attname, o.options),
          '' order by a.attnum)
        from pg_attribute a
          cross join lateral (
            select string_agg(option, ', ') as options
            from unnest(a.attoptions) as option
            where option not like 'pg\_attver=%'
          ) o
        where a.attrelid = c.oid and o.options is not null and not a.attisdropped),
      (
        select string_agg(
          format(E'\nalter table %s alter column %I set storage %s compression %s statistics %s;', c.name, a.attname,
          a.attstorage, nullif(a.attcompression, ''), nullif(a.attstattarget, -1)), '' order by a.attnum)
        from pg_attribute a join pg_type t on t.oid = a.atttypid
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
          and (a.attstorage <> t.typstorage or a.attcompression <> '' or nullif(a.attstattarget, -1) is not null)),
      case when c.relrowsecurity then format(E'\nalter table %s enable row level security;', c.name) end,
      case when c.relforcerowsecurity then format(E'\nalter table %s force row level security;', c.name) end,
      case
        when c.relreplident <> 'd' then format(E'\nalter table %s replica identity %s;', c.name, c.relreplident)
      end))
  from relations c where c.relkind in ('r', 'p')
  union all
  select 'view', c.name,
    format(E'create %sview %s%s as\n%s', case c.relkind when 'm' then 'materialized ' else '' end, c.name,
    ' with (' || array_to_string(c.reloptions, ', ') || ')', pg_get_viewdef(c.oid))
  from relations c where c.relkind in ('v', 'm')
  union all
  select 'sequence', c.name,
    format('create sequence %s as %s start %s increment %s minvalue %s maxvalue %s cache %s%s%s;', c.name,
      format_type(s.seqtypid, null),
    s.seqstart, s.seqincrement, s.seqmin, s.seqmax, s.seqcache, case when s.seqcycle then ' cycle' end,
    (
      select format(' owned by %s.%I', d.refobjid::regclass, a.attname)
      from pg_depend d
      join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
      where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.refclassid = 'pg_class'::regclass
        and d.deptype in ('a', 'i')))
  from relations c join pg_sequence s on s.seqrelid = c.oid
  union all
  select case
    when exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
      then 'index of a key'
    else 'index'
  end,
    x.name, pg_get_indexdef(i.indexrelid) || ';' || concat(case when not i.indisvalid then ' -- invalid' end,
      case when i.indisclustered then ' -- clustered' end, case when i.indisreplident then ' -- replica identity' end)
  from pg_index i join relations x on x.oid = i.indexrelid
  union all
  select 'statistics', s.oid::regclass::text, pg_get_statisticsobjdef(s.oid)
  from (select e.*, e.stxname as name from pg_statistic_ext e where e.stxnamespace in (select oid from ours)) s
  union all
  select 'policy', format('%I.%I %I', schemaname, tablename, policyname),
    format(E'create policy %I on %I.%I%s for %s to %s%s%s;', policyname, schemaname, tablename,
    case permissive when 'RESTRICTIVE' then ' as restrictive' end, lower(cmd),
    (select string_agg(role::text, ', ' order by role) from unnest(roles) role), E'\n  using (' || qual || ')',
    E'\n  with check (' || with_check || ')')
  from pg_policies where schemaname in (select nspname from ours)
  union all
  select 'trigger', format('%s %I', c.name, t.tgname),
    pg_get_triggerdef(t.oid) || ';' || case t.tgenabled when 'O' then '' else ' -- ' || t.tgenabled::text end
  from pg_trigger t join relations c on c.oid = t.tgrelid where not t.tgisinternal
  union all
  -- The triggers of a foreign key can be disabled. The definition of the key does not show that.
  select 'key kept', format('%s %I', k.conrelid::regclass, k.conname),
    string_agg(t.tgenabled::text, '' order by t.tgtype, t.tgrelid::regclass::text collate "C", t.tgenabled)
  from pg_trigger t
  join pg_constraint k on k.oid = t.tgconstraint
  where t.tgisinternal and k.connamespace in (select oid from ours)
  group by k.conrelid, k.conname
  union all
  select 'rule', format('%s %I', c.name, r.rulename),
    pg_get_ruledef(r.oid) || case r.ev_enabled when 'O' then '' else ' -- ' || r.ev_enabled::text end
  from pg_rewrite r join relations c on c.oid = r.ev_class where r.rulename <> '_RETURN'
  union all
  select 'event trigger', evtname, format('%s %s %s %s', evtevent, evtfoid::regprocedure, evtenabled, evttags)
  from pg_event_trigger
  union all
  select 'function', f.name, case f.prokind when 'a' then format('aggregate %s: %s', f.name,
      -- the rest of the line consists of names and values, without oids of this database
      concat_ws(', ', a.aggkind, a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggserialfn, a.aggdeserialfn,
        a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn,
        a.aggfinalextra, a.aggfinalmodify, format_type(a.aggtranstype, null), a.agginitval, a.aggminitval,
        f.proparallel))
    else pg_get_functiondef(f.oid) end
  from functions f left join pg_aggregate a on a.aggfnoid = f.oid
  union all
  select 'grant', format('%s %s', what, grantee), format('grant %s on %s to %s;', privileges, what, grantee)
  from granted
  where grantee_oid <> owner
  union all
  select 'owner', what,
    format('owner %s: %s', owner::regrole,
      case when acl is null or r.given = r.usually_given then 'every right' else r.given end)
  from (select what, owner, acl, usual,
      array(select lower(privilege_type) from aclexplode(acl) where grantee = owner order by 1)::text as given,
      array(select lower(privilege_type) from aclexplode(usual) where grantee = owner order by 1)::text as usually_given
    from rights) r
  where usual is not null
  union all
  select 'grant by PostgreSQL', what, array(select item::text from unnest(acl) item order by 1)::text from changed_by_us
  union all
  select 'default grant',
    format('%s of %s in %s', d.defaclobjtype, d.defaclrole::regrole,
      case d.defaclnamespace when 0 then 'every schema' else d.defaclnamespace::regnamespace::text end),
    coalesce(
      (
        select string_agg(
          format('%s to %s', e.privilege_type, case e.grantee when 0 then 'public' else e.grantee::regrole::text end),
          ', ' order by 1)
      from (select privilege_type, grantee from aclexplode(d.defaclacl) order by 1, 2) e), 'nothing')
  from pg_default_acl d
  union all
  select 'comment',
    i.type || ' ' || case when d.classoid = 'pg_proc'::regclass then d.objoid::regprocedure::text else i.identity end,
    d.description
  from pg_description d, pg_identify_object(d.classoid, d.objoid, d.objsubid) i
  -- smaller oids are objects that PostgreSQL creates itself
  where d.objoid >= 16384 or d.classoid = 'pg_namespace'::regclass and d.objoid in (select oid from ours)
  union all
  select 'cast', format('%s as %s', c.castsource::regtype, c.casttarget::regtype),
    format('create cast (%s as %s) %s%s;', c.castsource::regtype, c.casttarget::regtype,
    case c.castmethod
      when 'f' then 'with function ' || c.castfunc::regprocedure::text
      when 'i' then 'with inout'
      else 'without function'
    end,
    case c.castcontext when 'i' then ' as implicit' when 'a' then ' as assignment' end)
  -- smaller oids are objects that PostgreSQL creates itself
  from pg_cast c where c.oid >= 16384 and ('pg_cast'::regclass, c.oid) not in (select classid, objid from of_extensions)
  union all
  -- operators, collations and dictionaries have no definition here: only their existence is compared
  select 'object', i.type || ' ' || i.identity, ''
  from pg_depend d, pg_identify_object(d.classid, d.objid, 0) i
  where d.refclassid = 'pg_namespace'::regclass and d.refobjid in (select oid from ours) and d.deptype = 'n'
    and d.classid not in ('pg_class'::regclass, 'pg_proc'::regclass, 'pg_type'::regclass, 'pg_default_acl'::regclass)
  union all
  -- roles belong to the whole server, but their attributes decide the effect of all rights above
  select 'role', r.rolname, format('alter role %I %s;', r.rolname, concat_ws(' ',
    case when r.rolcanlogin then 'login' end, case when r.rolsuper then 'superuser' end,
    case when r.rolbypassrls then 'bypassrls' end, case when r.rolinherit then 'inherit' end,
    case when r.rolcreaterole then 'createrole' end, case when r.rolcreatedb then 'createdb' end,
    case when r.rolreplication then 'replication' end,
    'member of ('
      || (
        select string_agg(m.roleid::regrole::text, ', ' order by m.roleid::regrole::text)
        from pg_auth_members m
        where m.member = r.oid
      )
      || ')'))
  from pg_roles r where r.rolname in ('anon', 'authenticated', 'authenticator', 'auth_service')
  union all
  select case s.setdatabase when 0 then 'role setting' else 'database setting' end,
    format('%s %s', case s.setrole when 0 then 'all' else s.setrole::regrole::text end, split_part(setting, '=', 1)),
    substr(setting, strpos(setting, '=') + 1)
  from pg_db_role_setting s, unnest(s.setconfig) setting
  where s.setdatabase = (select oid from pg_database where datname = current_database())
    or s.setdatabase = 0
      and s.setrole in (
        select oid from pg_roles where rolname in ('anon', 'authenticated', 'authenticator', 'auth_service')
      )
)
select kind, name, to_json(definition) as definition
from objects
order by kind collate "C", name collate "C", definition collate "C";
