-- Why a value is refused, in words for a person. PostgreSQL names the constraint and nothing else, so what the column takes is
-- added as the hint: the column's COMMENT, which is the one place that says it.

create or replace function private.what_fits(p_table regclass, variadic p_columns name[]) returns text
  language sql stable set search_path = ''
  return (
    select pg_catalog.string_agg(
      pg_catalog.format('%s: %s.', named.name, pg_catalog.replace(pg_catalog.col_description(a.attrelid, a.attnum), '`', '')), ' ' order by named.at)
    from unnest(p_columns) with ordinality as named (name, at)
    join pg_catalog.pg_attribute a on a.attrelid = p_table and a.attname = named.name);
comment on function private.what_fits(regclass, name[]) is 'What some columns of a table take, as their comments say it.';
grant execute on function private.what_fits(regclass, name[]) to authenticated;

create or replace function private.refuse_value(p_table regclass, p_rule text, p_columns name[]) returns void
  language plpgsql set search_path = ''
as $$
declare
  name constant name := (select relname from pg_catalog.pg_class where oid = p_table);
begin
  raise check_violation using
    message = format('new row for relation "%s" violates check constraint "%s"', name, p_rule),
    hint = private.what_fits(p_table, variadic p_columns), schema = 'api', table = name, constraint = p_rule;
end
$$;
comment on function private.refuse_value(regclass, text, name[]) is
  'Raises 23514 (HTTP 400) in the words that PostgreSQL has for a check constraint, with a hint that says what the columns of the rule take.';
grant execute on function private.refuse_value(regclass, text, name[]) to authenticated;

create or replace function private.refuse_null(p_table regclass, p_column name) returns void
  language plpgsql set search_path = ''
as $$
declare
  name constant name := (select relname from pg_catalog.pg_class where oid = p_table);
begin
  raise not_null_violation using
    message = format('null value in column "%s" of relation "%s" violates not-null constraint', p_column, name),
    hint = private.what_fits(p_table, p_column), schema = 'api', table = name, column = p_column;
end
$$;
comment on function private.refuse_null(regclass, name) is
  'Raises 23502 (HTTP 400) in the words that PostgreSQL has for a value that is missing, with a hint that says what the column takes.';
grant execute on function private.refuse_null(regclass, name) to authenticated;

create or replace function private.ask_policy(p_table regclass, p_operation text, p_row anyelement) returns void
  language plpgsql set search_path = ''
as $$
declare
  check_of_row constant text := (
    select pg_catalog.pg_get_expr(polwithcheck, polrelid) from pg_catalog.pg_policy
    where polrelid = p_table and polcmd = case p_operation when 'INSERT' then 'a' else 'w' end);
begin
  execute format('select %s from (select ($1).*) as r', check_of_row) using p_row;
end
$$;
comment on function private.ask_policy(regclass, text, anyelement) is
  'Ends the request with 42501 where the policy does not let the caller write the row. PostgreSQL asks it after the triggers; one that refuses a value asks it first.';
grant execute on function private.ask_policy(regclass, text, anyelement) to authenticated;

-- db/rules/_refusals.sql gives every table a trigger that calls this for a row that breaks a rule of its own, and for no other.
create or replace function private.explain_refusal() returns trigger
  language plpgsql set search_path = ''
as $$
declare
  rule record;
  is_broken boolean;
begin
  -- the owner of the database has PostgreSQL's own refusal, which shows the row
  if current_user <> 'authenticated' then
    return new;
  end if;
  -- PostgreSQL's order: whether the caller may write the row, then what is missing, then each constraint by its name
  perform private.ask_policy(tg_relid, tg_op, new);
  for rule in
    select attname from pg_catalog.pg_attribute where attrelid = tg_relid and attnum > 0 and not attisdropped and attnotnull order by attnum
  loop
    execute format('select ($1).%I is null', rule.attname) into is_broken using new;
    if is_broken then
      perform private.refuse_null(tg_relid, rule.attname);
    end if;
  end loop;
  for rule in
    select k.conname, pg_catalog.pg_get_expr(k.conbin, k.conrelid) as expression,
      array(select a.attname from unnest(k.conkey) as c (attnum) join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = c.attnum order by a.attnum) as columns
    from pg_catalog.pg_constraint k where k.conrelid = tg_relid and k.contype = 'c' order by k.conname
  loop
    execute format('select (%s) is false from (select ($1).*) as r', rule.expression) into is_broken using new;
    if is_broken then
      perform private.refuse_value(tg_relid, rule.conname, rule.columns);
    end if;
  end loop;
  return new;
end
$$;
comment on function private.explain_refusal() is
  'Refuses a row that breaks a constraint of its table, in PostgreSQL''s words and order, with a hint that says what the column takes.';

create or replace function private.refuse_row() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  -- as explain_refusal(); what the owner of the database restores may be older than the rule
  if current_user = 'authenticated' then
    perform private.ask_policy(tg_relid, tg_op, new);
    perform private.refuse_value(tg_relid, tg_argv[0], tg_argv[1:]::name[]);
  end if;
  return new;
end
$$;
comment on function private.refuse_row() is
  'Refuses a row that breaks a rule which holds for what is written from now on, and so is no constraint. The trigger''s condition says when; its arguments are the name of the rule and its columns.';
