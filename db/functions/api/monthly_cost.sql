create or replace function api.monthly_cost(api.subscriptions) returns numeric
  language sql immutable parallel safe
begin atomic
  -- so many decimal places that no cost of a month comes to lie at half a cent before it is rounded
  select round($1.amount::numeric(34, 20) * months.share / months.of, 2)
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
  'What it costs in a month, in its currency, so that costs of all periods compare: a year has 12 months and 365 days. It says nothing of whether it is due now';
grant execute on function api.monthly_cost(api.subscriptions) to authenticated;
