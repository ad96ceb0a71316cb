-- after: rates/currencies
-- Computed fields. PostgREST presents a function of one unnamed row as a column of that table, and not as a function
-- of /rpc.

create or replace function api.monthly_cost(api.subscriptions) returns numeric
  language sql immutable parallel safe
begin atomic
  -- enough decimal places that no monthly cost is at half a cent before it is rounded
  select case
    when $1.kind = 'expense'
      then round($1.amount::numeric(34, 20) * months.share / months.of,
        least(private.currency_decimals($1.currency), 2))
  end
  from (
    select
      case when $1.interval_in_days is not null or $1.period in ('daily', 'weekly') then 365 else 1 end as share,
      case
        when $1.interval_in_days is not null then 12 * $1.interval_in_days
        else case $1.period
          when 'daily' then 12
          when 'weekly' then 84
          when 'monthly' then 1
          when 'quarterly' then 3
          when 'semi-annually' then 6
          when 'yearly' then 12
        end
      end as of
  ) months;
end;
comment on function api.monthly_cost(api.subscriptions) is
  'Average cost per month in its currency, with its decimals, so that costs of all periods compare: a year has 12 '
  'months and 365 days. Null for an income and a transfer, which cost nothing, so a sum has only expenses. Does not '
  'depend on whether it is due now';
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
  'The first day from today on, on which it is due and not recorded; null if there is none. Today is UTC''s, or of '
  'the time zone in `Prefer: timezone=…`';
grant execute on function api.next_due_on(api.subscriptions) to authenticated;
