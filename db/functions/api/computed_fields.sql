-- Computed fields. PostgREST presents a function of one unnamed row as a column of that table, and not as a function of /rpc.

create or replace function api.current_balance(api.accounts) returns numeric
  language sql stable
  return private.balance_on($1, current_date);
comment on function api.current_balance(api.accounts) is
  'Balance of the account today: the opening `balance`, from `opened_on` on, plus all paid transactions dated up to the end of today, including transfers. Today is UTC''s, or of the time zone in `Prefer: timezone=…`. Not part of `*`: `select=*,current_balance`';
grant execute on function api.current_balance(api.accounts) to authenticated;

create or replace function api.search_text(api.transactions) returns text
  language sql immutable parallel safe
  return private.search_text($1.name, $1.description, $1.reference_no);
comment on function api.search_text(api.transactions) is
  'Name, description and reference in lower case and without accents, for a search: `search_text=like.*uber*` finds `Über`. Letters such as `ß`, `æ` and `ø` are `ss`, `ae` and `o`. If a text has other letters than ASCII, the texts follow as they were written. Not part of `*`';
grant execute on function api.search_text(api.transactions) to authenticated;

create or replace function api.sort_name(api.transactions) returns text
  language sql immutable parallel safe
  return private.folded($1.name);
comment on function api.sort_name(api.transactions) is
  'Name in lower case and without accents, for an order that is the same in every database: `order=sort_name` is apfel, Äpfel, Zebra. Not part of `*`';
grant execute on function api.sort_name(api.transactions) to authenticated;

create or replace function api.monthly_cost(api.subscriptions) returns numeric
  language sql immutable parallel safe
begin atomic
  -- enough decimal places that no monthly cost is at half a cent before it is rounded
  select case when $1.kind = 'expense' then round($1.amount::numeric(34, 20) * months.share / months.of, least(private.currency_decimals($1.currency), 2)) end
  from (
    select
      case when $1.interval_in_days is not null or $1.period in ('daily', 'weekly') then 365 else 1 end as share,
      case
        when $1.interval_in_days is not null then 12 * $1.interval_in_days
        else case $1.period when 'daily' then 12 when 'weekly' then 84 when 'monthly' then 1 when 'quarterly' then 3 when 'semi-annually' then 6 when 'yearly' then 12 end
      end as of
  ) months;
end;
comment on function api.monthly_cost(api.subscriptions) is
  'Average cost per month in its currency, with its decimals, so that costs of all periods compare: a year has 12 months and 365 days. Null for an income and a transfer, which cost nothing, so a sum has only expenses. Does not depend on whether it is due now';
grant execute on function api.monthly_cost(api.subscriptions) to authenticated;

create or replace function api.next_due_on(api.subscriptions) returns date
  language plpgsql stable set search_path = ''
as $$
begin
  -- occurrences() returns one day at a time, in order: the search ends at the first day that is not recorded
  return (
    select o.due_on
    from private.occurrences($1, current_date, coalesce($1.ends_on, date '2199-12-31')) o
    where not exists (select from private.recorded_transaction($1, o.due_on))
    limit 1);
end
$$;
comment on function api.next_due_on(api.subscriptions) is
  'The first day from today on, on which it is due and not recorded; null if there is none. Today is UTC''s, or of the time zone in `Prefer: timezone=…`';
grant execute on function api.next_due_on(api.subscriptions) to authenticated;
