-- What a query of the data surface may not ask, seen where PostgREST cannot be told: in the query's own text.
--
-- Some questions have answers that come from everybody's rows, past every row rule. The planner estimates from the whole
-- table's most common values, and `Prefer: count=planned` and `count=estimated` hand its estimate on. A cast to a type
-- such as regclass or aclitem looks names up in the catalogue, and so tells which tables, functions and roles exist.
-- pre_request() refuses the two preferences; but it sees one of several Prefer fields, and PostgREST reads them all.
--
-- Two ask. A policy for select asks is_plain_query() when a query is planned, also where it is only explained. That is not enough for a
-- function: the queries within it are planned once for a connection, whatever query calls it later. So each function of api
-- begins with require_plain_query(), which asks in each call.

create or replace function private.require_plain_query() returns boolean
  language plpgsql stable set search_path = ''
as $$
declare
  query text;
  called text;
  casts text[];
  used record;
begin
  -- the owner of the database and its tools may ask anything
  if session_user <> 'authenticator' then
    return true;
  end if;
  query := pg_catalog.current_query();
  if query ~* '^\s*explain\M' then
    perform private.refuse_estimate();
  end if;
  -- PostgREST writes a cast as CAST( … AS type ), with that last space, and lets no quote into the type. A cast that is written
  -- otherwise is refused, because its type is not known.
  casts := array(select lower(m[1]) from pg_catalog.regexp_matches(query, '\mAS ([A-Za-z0-9_$ ]+) \)', 'g') m);
  if pg_catalog.regexp_count(query, '\mCAST\s*\(', 1, 'i') > cardinality(casts)
    or exists (select from unnest(casts) as type where type !~ '^(text|varchar|character varying|char|bpchar|bool|boolean|int[248]?|integer|smallint|bigint|numeric|decimal|real|float[48]?|double precision|date|time|timetz|timestamp|timestamptz|time with(out)? time zone|timestamp with(out)? time zone|interval|uuid|json|jsonb|bytea)$')
  then
    perform private.refuse('PGRST100', 'a column cannot be cast to this type', 'Cast to text, integer, numeric, date, timestamptz, boolean, json or another plain type.');
  end if;
  -- PostgREST writes a column as "table"."column" and asks nobody whether there is one. A system column counts what
  -- everybody writes; the name of a function that takes a row calls the function, past the limit of rows.
  called := substring(query from '"api"\."([^"]+)"\s*\(');
  for used in select distinct m[1] as name from pg_catalog.regexp_matches(replace(query, '"api".', ''), '"[^"]+"\."([^"]+)"', 'g') m loop
    if used.name in ('ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid')
      or private.is_function(used.name) and not private.is_column(used.name, called) then
      perform private.refuse('42703', pg_catalog.format('column %s does not exist', left(used.name, 63)), 'Name a column of the table, or of what the function answers.');
    end if;
  end loop;
  return true;
end
$$;
comment on function private.require_plain_query() is
  'True, or 400: for a query that PostgREST explains, for a cast to a type that looks names up in the catalogue, for a system column, and for a function in place of a column. Every function of api asks it first.';

create or replace function private.is_plain_query() returns boolean
  -- Not true in general, and true of one query text: the planner then asks when it plans, also when it only explains,
  -- and leaves the answer out of the plan.
  language plpgsql immutable set search_path = ''
as $$
begin
  return private.require_plain_query();
end
$$;
comment on function private.is_plain_query() is 'require_plain_query(), as a query is planned. Every policy for select asks it first.';

create or replace function private.is_column(p_name text, p_called text) returns boolean
  language sql stable set search_path = ''
begin atomic
  select exists (
    select from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'api'::regnamespace and a.attname = p_name and a.attnum > 0 and not a.attisdropped)
  or exists (
    select from pg_catalog.pg_proc p cross join unnest(p.proargnames, p.proargmodes) as argument (name, mode)
    where p.pronamespace = 'api'::regnamespace and p.proname = p_called and argument.name = p_name and argument.mode in ('o', 'b', 't'));
end;
comment on function private.is_column(text, text) is 'Whether a table of api, or what the function answers that the query calls, has a column of this name.';

create or replace function private.is_function(p_name text) returns boolean
  language sql stable set search_path = ''
begin atomic
  -- a function of api that takes a row of a table is a computed column
  select exists (
    select from pg_catalog.pg_proc p
    where p.proname = p_name and p.pronamespace in ('pg_catalog'::regnamespace, 'public'::regnamespace)
      and p.pronargs >= 1 and p.pronargs - p.pronargdefaults <= 1)
  or exists (select from pg_catalog.pg_proc p where p.proname = p_name and p.pronamespace = 'api'::regnamespace and p.prokind = 'a');
end;
comment on function private.is_function(text) is 'Whether a function, an aggregate of api or a function of PostgreSQL that takes one argument, has this name.';

create or replace function private.refuse_estimate() returns void
  language plpgsql immutable set search_path = ''
as $$
begin
  perform private.refuse('PGRST122', 'the preferences count=planned and count=estimated are not available', 'Use count=exact.');
end
$$;
comment on function private.refuse_estimate() is 'Refuses a count that would be the planner''s estimate.';

grant execute on function private.is_plain_query(), private.require_plain_query(), private.refuse_estimate(), private.is_column(text, text), private.is_function(text)
  to authenticated;
