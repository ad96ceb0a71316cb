-- Amounts that callers write have types of their own, so that PostgREST reads them with a function that checks their form:
-- db/functions/private/numbers.sql. The domains have no constraint, so no row is written anew. The indexes that contain an amount are:
-- a million rows take some seconds, in which no request writes.
-- squawk-ignore-file changing-column-type, ban-create-domain-with-constraint, require-concurrent-index-creation, require-concurrent-index-deletion

create domain private.amount as numeric;
create domain private.rate as numeric(24,12);
-- PostgREST 12 takes the default for `Prefer: missing=default` from the domain and never from the column, so a column with a
-- default needs a domain that has the same: github.com/PostgREST/postgrest/issues/3706
create domain private.opening_balance as numeric default 0.00;
create domain private.quantity as numeric(14,3) default 1;

-- Triggers and functions with an SQL body remember the type of a column. The files of db/functions and db/rules create them again after
-- the migrations.
do $$
declare
  changed constant regclass[] := array['api.transactions', 'api.subscriptions', 'api.budgets', 'api.past_budgets', 'api.line_items', 'api.accounts',
    'api.balances', 'api.categories', 'api.exchange_rates'];
  found record;
  remembering text;
begin
  for found in select tgname, tgrelid::regclass as on_table from pg_trigger where tgrelid = any (changed) and not tgisinternal loop
    execute format('drop trigger %I on %s', found.tgname, found.on_table);
  end loop;
  with recursive dependent (id) as (
    select d.objid from pg_depend d
    where d.classid = 'pg_proc'::regclass and d.refclassid = 'pg_class'::regclass and d.refobjid = any (changed) and d.refobjsubid > 0
    union
    select d.objid from pg_depend d join dependent on d.refobjid = dependent.id
    where d.classid = 'pg_proc'::regclass and d.refclassid = 'pg_proc'::regclass
  )
  select string_agg(id::regprocedure::text, ', ') into remembering from dependent;
  if remembering is not null then
    execute format('drop routine %s', remembering);
  end if;
end
$$;

alter table api.transactions alter column amount type private.amount;
alter table api.subscriptions alter column amount type private.amount;
alter table api.budgets alter column amount type private.amount;
alter table api.past_budgets alter column amount type private.amount;
alter table api.line_items alter column amount type private.amount, alter column quantity type private.quantity;
alter table api.accounts alter column balance type private.opening_balance;
alter table api.balances alter column balance type private.amount;
alter table api.categories alter column monthly_budget type private.amount;
alter table api.exchange_rates alter column rate type private.rate;
-- a column that gets another type loses its statistics
analyze api.transactions, api.subscriptions, api.budgets, api.past_budgets, api.line_items, api.accounts, api.balances, api.categories, api.exchange_rates;

-- The indexes of a context have been built anew, and are younger than these two: 0007_money.sql says why they must not be.
drop index api.transactions_category_dates, api.transactions_pending;
create index transactions_category_dates on api.transactions (category_id, transaction_date desc, id) where category_id is not null;
create index transactions_pending on api.transactions (account_id) where status = 'pending' and account_id is not null;
