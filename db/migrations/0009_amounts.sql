-- Amounts are numbers without a scale of the column's, so that a trigger sees what was sent and can refuse a decimal that a
-- currency has and no amount is stored with. That trigger rounds and bounds all others (db/functions/private/amounts.sql), so
-- what is stored stays as it is.

-- No row is written again. PostgreSQL builds again the indexes of a part of transactions and line items that include an amount,
-- and asks the constraints of amounts: a million transactions take some seconds, in which nobody writes.
-- squawk-ignore-file changing-column-type

do $$
declare
  amounts constant text[] := '{transactions.amount,subscriptions.amount,budgets.amount,line_items.amount,accounts.balance,categories.monthly_budget}';
  found record;
  stale text;
begin
  -- PostgreSQL changes no type that a trigger's condition or a function's body names. db/functions and db/rules make all of them
  -- again when the migrations are through.
  for found in
    select t.tgname, t.tgrelid::regclass as on_table
    from pg_trigger t join unnest(amounts) as amount on t.tgrelid = format('api.%s', split_part(amount, '.', 1))::regclass
    where not t.tgisinternal
    group by 1, 2
  loop
    execute format('drop trigger %I on %s', found.tgname, found.on_table);
  end loop;
  with recursive depending as (
    select d.objid as oid
    from unnest(amounts) as amount
    join pg_attribute a on a.attrelid = format('api.%s', split_part(amount, '.', 1))::regclass and a.attname = split_part(amount, '.', 2)
    join pg_depend d on d.refclassid = 'pg_class'::regclass and d.refobjid = a.attrelid and d.refobjsubid = a.attnum
    where d.classid = 'pg_proc'::regclass
    union
    select d.objid from depending join pg_depend d on d.refclassid = 'pg_proc'::regclass and d.refobjid = depending.oid where d.classid = 'pg_proc'::regclass
  )
  select string_agg(oid::regprocedure::text, ', ') into stale from depending;
  -- all at once, because one may need another
  if stale is not null then
    execute format('drop routine %s', stale);
  end if;
end
$$;

alter table api.transactions alter column amount type numeric;
alter table api.subscriptions alter column amount type numeric;
alter table api.budgets alter column amount type numeric;
alter table api.line_items alter column amount type numeric;
-- as it is stored, so that a default needs no rounding
alter table api.accounts alter column balance type numeric, alter column balance set default 0.00;
alter table api.categories alter column monthly_budget type numeric;

-- a column that changes its type has no statistics
analyze api.transactions (amount), api.subscriptions (amount), api.budgets (amount), api.line_items (amount), api.accounts (balance), api.categories (monthly_budget);
