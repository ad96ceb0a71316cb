-- after: core/reset
-- PostgreSQL's message for a refused value contains only the name of the constraint. These functions add a hint: the
-- COMMENT of each column of the constraint. A table's before_row() finds the first violation in PostgreSQL's order:
-- null columns first, then the constraints by name.

create or replace function private.constraints() returns table (table_name text, name text, columns text[])
  language sql stable
begin atomic
  select c.relname::text, k.conname::text,
    array(
      select a.attname::text
      from unnest(k.conkey) as i (attnum)
      join pg_attribute a on a.attrelid = k.conrelid and a.attnum = i.attnum
      order by a.attnum
    )
  from pg_constraint k join pg_class c on c.oid = k.conrelid
  where k.contype = 'c' and c.relnamespace = 'api'::regnamespace
  union all
  -- Real CHECK constraints would also apply to changes of other columns of older rows. The ones below apply only to
  -- new values.
  values
    ('accounts', 'accounts_balance_fits_currency', '{balance,currency}'::text[]),
    ('accounts', 'accounts_currency_known', '{currency}'),
    ('balances', 'balances_balance_fits_currency', '{balance}'),
    ('budgets', 'budgets_amount_fits_currency', '{amount,currency}'),
    ('budgets', 'budgets_currency_known', '{currency}'),
    ('categories', 'categories_budget_currency_known', '{budget_currency}'),
    ('categories', 'categories_monthly_budget_fits_currency', '{monthly_budget,budget_currency}'),
    ('exchange_rates', 'exchange_rates_base_known', '{base}'),
    ('exchange_rates', 'exchange_rates_quote_known', '{quote}'),
    ('line_items', 'line_items_amount_fits_currency', '{amount,currency}'),
    ('line_items', 'line_items_fit', '{amount}'),
    ('past_budgets', 'past_budgets_amount_fits_currency', '{amount,currency}'),
    ('past_budgets', 'past_budgets_currency_known', '{currency}'),
    ('subscriptions', 'subscriptions_amount_fits_currency', '{amount,currency}'),
    ('subscriptions', 'subscriptions_currency_known', '{currency}'),
    ('transactions', 'transactions_amount_fits_currency', '{amount,currency}'),
    ('transactions', 'transactions_currency_known', '{currency}');
end;
comment on function private.constraints() is 'All constraints on the values of a row of api, with their columns.';

create or replace function private.describe_columns(p_table regclass, variadic p_columns text[]) returns text
  language sql stable set search_path = ''
  return (
    select pg_catalog.string_agg(
      pg_catalog.format('%s: %s.', named.name,
        pg_catalog.replace(pg_catalog.col_description(a.attrelid, a.attnum), '`', '')),
        ' '
      order by named.at)
    from unnest(p_columns) with ordinality as named (name, at)
    join pg_catalog.pg_attribute a on a.attrelid = p_table and a.attname = named.name);
comment on function private.describe_columns(regclass, text[]) is
  'The allowed values of some columns of a table, from the columns'' comments.';

create or replace function private.reject_null(p_table regclass, p_column text) returns void
  language plpgsql set search_path = ''
as $$
declare
  name constant name := (select relname from pg_catalog.pg_class where oid = p_table);
begin
  raise not_null_violation using
    message = format('null value in column "%s" of relation "%s" violates not-null constraint', p_column, name),
    hint = private.describe_columns(p_table, p_column), schema = 'api', table = name, column = p_column;
end
$$;
comment on function private.reject_null(regclass, text) is 'Raises 23502 (HTTP 400) for a missing value.';

create or replace function private.reject_overflow(p_table regclass, p_column text) returns void
  language plpgsql set search_path = ''
as $$
begin
  raise numeric_value_out_of_range using
    message = 'numeric field overflow',
    detail = 'A field with precision 14, scale 2 must round to an absolute value less than 10^12.',
    hint = private.describe_columns(p_table, p_column);
end
$$;
comment on function private.reject_overflow(regclass, text) is
  'Raises 22003 (HTTP 400) for an amount that is too large, as the type numeric(14,2) does.';

create or replace function private.check_policy(p_table regclass, p_operation text, p_row anyelement) returns void
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
comment on function private.check_policy(regclass, text, anyelement) is
  'Raises 42501 if the policy does not let the caller write the row. PostgreSQL evaluates policies after the '
  'triggers; a trigger that refuses a value must evaluate the policy first.';

create or replace function private.reject_value(p_table regclass, p_constraint text) returns void
  language plpgsql set search_path = ''
as $$
declare
  relation constant name := (select relname from pg_catalog.pg_class where oid = p_table);
begin
  raise check_violation using
    message = format('new row for relation "%s" violates check constraint "%s"', relation, p_constraint),
    hint = private.describe_columns(p_table,
      variadic (select c.columns from private.constraints() c where c.table_name = relation and c.name = p_constraint)),
    schema = 'api', table = relation, constraint = p_constraint;
end
$$;
comment on function private.reject_value(regclass, text) is
  'Raises 23514 (HTTP 400) for a value that violates a constraint.';

create or replace function private.reject_row(
  p_table regclass, p_operation text, p_row anyelement, p_broken text
) returns void
  language plpgsql set search_path = ''
as $$
begin
  perform private.check_policy(p_table, p_operation, p_row);
  if exists (select from pg_catalog.pg_attribute where attrelid = p_table and attname = p_broken) then
    perform private.reject_null(p_table, p_broken);
  end if;
  perform private.reject_value(p_table, p_broken);
end
$$;
comment on function private.reject_row(regclass, text, anyelement, text) is
  'Refuses a row. p_broken is the name of a null column or of a violated constraint. Raises 42501 instead if the '
  'caller may not write the row.';
grant execute on function private.constraints(), private.describe_columns(regclass, text[]),
  private.reject_null(regclass, text), private.reject_overflow(regclass, text),
  private.check_policy(regclass, text, anyelement), private.reject_value(regclass, text),
  private.reject_row(regclass, text, anyelement, text) to authenticated;
