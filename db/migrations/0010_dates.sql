-- What a caller writes as a day or a moment is of a type of its own, so that PostgREST reads it with a function that says its
-- form when it cannot be read: db/functions/private/dates.sql.
-- The domains have no constraint, so no row is written anew. The indexes of a part of transactions are: a million rows take some
-- ten seconds, in which nobody writes.
-- squawk-ignore-file changing-column-type, ban-create-domain-with-constraint, require-concurrent-index-creation, require-concurrent-index-deletion

create domain private.day as date;
-- PostgREST 12 takes the default for `Prefer: missing=default` from the domain and never from the column, so a column with a
-- default needs a domain that has the same: github.com/PostgREST/postgrest/issues/3706
create domain private.first_day as date default current_date;
create domain private.moment as timestamptz default now();

-- Triggers and functions with an SQL body remember the type of a column. What db/functions and db/rules give is given again
-- after the migrations.
do $$
declare
  changed constant regclass[] := array['api.transactions', 'api.subscriptions', 'api.budgets', 'api.exchange_rates'];
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

alter table api.transactions alter column transaction_date type private.moment;
alter table api.subscriptions alter column starts_on type private.first_day, alter column ends_on type private.day;
alter table api.budgets alter column month type private.day;
alter table api.exchange_rates alter column on_date type private.day;
-- a column that gets another type loses what the planner knew of it
analyze api.transactions, api.subscriptions, api.budgets, api.exchange_rates;

-- Those of the context have been built anew, and are younger than these two: 0007_money.sql says why they must not be.
drop index api.transactions_category_dates, api.transactions_account;
create index transactions_category_dates on api.transactions (category_id, transaction_date desc) where category_id is not null;
create index transactions_account on api.transactions (account_id, transaction_date desc)
  include (amount, status, user_id, organization_id) where account_id is not null;
