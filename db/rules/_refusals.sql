-- Runs when all tables have their rules. Gives every table that callers write to what makes its refusals understandable, from
-- the catalogue, so that no rule is forgotten: db/lints/refusals_unexplained.sql.

-- An expression as PostgreSQL prints it of a constraint, with the columns as a trigger's condition names them.
create function pg_temp.of_new_row(p_table regclass, p_expression text) returns text
  language sql
  return (
    select string_agg(
      case
        when token = any (array(select quote_ident(attname) from pg_attribute where attrelid = p_table and attnum > 0 and not attisdropped))
          -- a type or a function may have the name of a column
          and before is distinct from ':' and before is distinct from '.' and after is distinct from '(' then 'new.' || token
        else token
      end, '' order by at)
    from (
      select token, at, lag(token) over (order by at) as before, lead(token) over (order by at) as after
      from (
        select m[1] as token, at
        -- texts, names, and each other character by itself
        from regexp_matches(p_expression, '(''(?:[^'']|'''')*''|"[^"]*"|\w+|.)', 'g') with ordinality as t (m, at)
      ) tokens
    ) placed);

do $refusals$
declare
  written record;
  early record;
begin
  for written in
    select c.oid::regclass as name, c.relname,
      array(
        select format('(%s) is false', pg_temp.of_new_row(c.oid, pg_get_expr(k.conbin, k.conrelid)))
        from pg_constraint k where k.conrelid = c.oid and k.contype = 'c' order by k.conname
      ) || array(
        select format('new.%I is null', a.attname)
        from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attnotnull order by a.attnum
      ) as broken
    from pg_class c
    where c.relnamespace = 'api'::regnamespace and c.relkind = 'r'
      and (has_table_privilege('authenticated', c.oid, 'insert') or has_table_privilege('authenticated', c.oid, 'update'))
  loop
    -- Triggers of one event run in the order of their names: this one after all that settle what is stored. It asks in its
    -- condition, so that a row that breaks nothing calls no function.
    execute format('create trigger %I before insert or update on %s for each row when (%s) execute function private.explain_refusal()',
      written.relname || '_z_1_explain_refusal', written.name, array_to_string(written.broken, ' or '));
  end loop;

  -- A foreign key refuses an unknown id by a trigger of the name RI_ConstraintTrigger…, without a hint. Those that refuse
  -- another tenant's row come before it, so that both ids are refused in the same words.
  for early in
    select t.tgname, t.tgrelid::regclass as on_table
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
    where c.relnamespace = 'api'::regnamespace and not t.tgisinternal and t.tgtype & 3 = 1 and p.prosrc ~ 'private\.refuse_reference\('
  loop
    execute format('alter trigger %I on %s rename to %I', early.tgname, early.on_table, '0_' || early.tgname);
  end loop;
end
$refusals$;
