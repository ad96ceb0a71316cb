-- Due days of recurring costs. Each occurrence is counted from the first one and not from the previous one. So a cost that began on the
-- 31st is due on the last day of a shorter month, and on the 31st again after it.

create or replace function private.months_between(p_first date, p_last date) returns integer
  language sql immutable parallel safe
  return (extract(year from p_last)::integer - extract(year from p_first)::integer) * 12
    + extract(month from p_last)::integer - extract(month from p_first)::integer;
comment on function private.months_between(date, date) is 'The number of months from the month of one day to the month of another.';

create or replace function private.occurrences(s api.subscriptions, p_first date, p_last date)
  returns table (due_on date)
  language sql immutable parallel safe
begin atomic
  select o.due_on
  from (
    select
      greatest(s.starts_on, p_first) as first,
      least(s.ends_on, p_last) as last,
      coalesce(s.interval_in_days, case s.period when 'daily' then 1 when 'weekly' then 7 end)::integer as days,
      case s.period when 'monthly' then 1 when 'quarterly' then 3 when 'semi-annually' then 6 when 'yearly' then 12 end as months
    where s.is_active
  ) span
  cross join lateral (
    -- the numbers of the possible occurrences in the range; when counted by months, the first and the last may lie outside it
    select generate_series(
      case when days is null then private.months_between(s.starts_on, first) / months else (first - s.starts_on + days - 1) / days end,
      case when days is null then private.months_between(s.starts_on, last) / months else (last - s.starts_on) / days end) as number
    where first <= last
  ) n
  cross join lateral (
    select case when days is null then (s.starts_on + make_interval(months => n.number * months))::date else s.starts_on + n.number * days end as due_on
  ) o
  where o.due_on between span.first and span.last;
end;
comment on function private.occurrences(api.subscriptions, date, date) is
  'The due days of a recurring cost between two days, both included, in order. The run time depends only on the number of due days in the range, not on the age of the first one.';

-- The transaction of an occurrence is identified like an imported transaction: by its context, source and external_id. The query looks
-- for the external_id only, in the index transactions_subscription. With the tenant as a condition, the planner would estimate one row and
-- read all of the tenant's. An external_id that the same step computes from a column could use no index, because row security comes first.

create or replace function private.occurrence_id(p_subscription_id uuid, p_due_on date) returns text
  language sql stable parallel safe
  return p_subscription_id || ':' || to_char(p_due_on, 'YYYY-MM-DD');
comment on function private.occurrence_id(uuid, date) is 'The external_id of the transaction of an occurrence. Its source is subscription.';

create or replace function private.recorded_transaction(s api.subscriptions, p_due_on date) returns setof api.transactions
  language plpgsql stable rows 1 set search_path = ''
as $$
begin
  return query
    select t.* from api.transactions t
    where t.source = 'subscription' and t.external_id = private.occurrence_id(s.id, p_due_on)
      and private.same_tenant(t.user_id, t.organization_id, s.user_id, s.organization_id);
end
$$;
comment on function private.recorded_transaction(api.subscriptions, date) is 'The transaction that records an occurrence of a recurring cost, if it exists.';

create or replace function private.due_costs(p_first date, p_last date, p_most integer)
  returns table (subscription_id uuid, title text, due_on date, amount numeric, currency text, category_id uuid, account_id uuid, is_recorded boolean)
  language plpgsql stable set search_path = ''
as $$
declare
  context constant text := private.context_condition(public.uid(), public.org_id());
  found bigint;
begin
  return query execute format(
    $query$
      select d.id, d.title, d.due_on, d.amount, d.currency, d.category_id, d.account_id, exists (
        select from api.transactions t
        where t.source = 'subscription' and t.external_id = d.external_id
          and private.same_tenant(t.user_id, t.organization_id, d.user_id, d.organization_id))
      from (
        select s.*, o.due_on, private.occurrence_id(s.id, o.due_on) as external_id
        from (select * from api.subscriptions where %s) s cross join lateral private.occurrences(s, $1, $2) o
        limit $3
      ) d
    $query$, context) using p_first, p_last, p_most + 1;
  get diagnostics found = row_count;
  if found > p_most then
    perform private.invalid(format('there are more than %s days on which something is due', p_most), 'Ask for a shorter range.');
  end if;
end
$$;
comment on function private.due_costs(date, date, integer) is
  'The due days of the active context''s recurring costs between two days, both included, without order. Raises 400 if there are more than p_most.';

grant execute on function private.occurrences(api.subscriptions, date, date), private.months_between(date, date),
  private.occurrence_id(uuid, date), private.recorded_transaction(api.subscriptions, date), private.due_costs(date, date, integer) to authenticated;
