-- after: transactions/tables
-- Due days of recurring rows. Each occurrence is counted from the first one and not from the previous one. So a cost
-- that began on the 31st is due on the last day of a shorter month, and on the 31st again after it.

create or replace function private.months_between(p_first date, p_last date) returns integer
  language sql immutable parallel safe
  return (extract(year from p_last)::integer - extract(year from p_first)::integer) * 12
    + extract(month from p_last)::integer - extract(month from p_first)::integer;
comment on function private.months_between(date, date) is
  'The number of months from the month of one day to the month of another.';

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
      case s.period
        when 'monthly' then 1
        when 'quarterly' then 3
        when 'semi-annually' then 6
        when 'yearly' then 12
      end as months
    where s.is_active
  ) span
  cross join lateral (
    -- the numbers of the possible occurrences in the range; when counted by months, the first and the last may lie
    -- outside it
    select generate_series(
      case when days is null then private.months_between(s.starts_on, first) / months
        else (first - s.starts_on + days - 1) / days end,
      case when days is null then private.months_between(s.starts_on, last) / months
        else (last - s.starts_on) / days end) as number
    where first <= last
  ) n
  cross join lateral (
    select case when days is null then (s.starts_on + make_interval(months => n.number * months))::date
      else s.starts_on + n.number * days end as due_on
  ) o
  where o.due_on between span.first and span.last;
end;
comment on function private.occurrences(api.subscriptions, date, date) is
  'The due days of a subscription between two days, both included, in order. The run time depends only on the '
  'number of due days in the range, not on the age of the first one.';

-- The transaction of an occurrence has the subscription in subscription_id and the day in due_on. Both halves of a
-- transfer have them. Its source and external_id do not matter afterwards: an import may replace them with the
-- bank's.

create or replace function private.recorded_transaction(
  s api.subscriptions, p_due_on date
) returns setof api.transactions
  language plpgsql stable rows 1 set search_path = ''
as $$
begin
  return query
    select t.* from api.transactions t where t.subscription_id = s.id and t.due_on = p_due_on
    -- the outgoing half of a transfer, or the older transaction
    order by s.kind = 'transfer' and t.amount > 0, t.created_at, t.id limit 1;
end
$$;
comment on function private.recorded_transaction(api.subscriptions, date) is
  'The transaction that records an occurrence of a subscription, if it exists.';

create or replace function private.bank_row_of(s api.subscriptions, p_due_on date) returns setof api.transactions
  language plpgsql stable rows 1 set search_path = '' set enable_seqscan = off
as $$
begin
  return query
    select t.*
    from private.rows_of_amount(case when s.kind = 'income' then s.amount else -s.amount end, p_due_on, 5) t
    cross join lateral (select coalesce(t.booked_on, t.transaction_date::date) as day) b
    cross join lateral (select private.words_of(concat_ws(' ', t.name, t.description)) as words) w
    where t.external_id is not null and t.subscription_id is null and t.currency = s.currency
      and t.organization_id is not distinct from s.organization_id and t.account_id is not distinct from s.account_id
      and case when s.kind = 'transfer'
        then exists (
          select from api.transactions other
          where other.transfer_id = t.transfer_id and other.account_id = s.to_account_id
        )
        else t.transfer_id is null
      end
      -- a row that is nearer to another due day without a record belongs to that day
      and not exists (
        select
        from private.occurrences(s, b.day - 5, b.day + 5) o
        where abs(o.due_on - b.day) < abs(p_due_on - b.day)
          and not exists (select from private.recorded_transaction(s, o.due_on)))
    -- a row with a word of the title comes before a nearer one without
    order by private.common_share(private.words_of(s.title), w.words) = 0, abs(b.day - p_due_on),
      private.common_share(private.words_of(s.title), w.words) desc, t.created_at, t.id
    limit 1;
end
$$;
comment on function private.bank_row_of(api.subscriptions, date) is
  'The imported transaction that paid an occurrence of a subscription, if it exists: it has the same account, '
  'currency and amount, is up to five days away, and records no other occurrence.';

create or replace function private.max_occurrences() returns integer
  language sql immutable parallel safe
  return 100000;
comment on function private.max_occurrences() is 'The maximum number of due days that a report adds up.';

create or replace function private.due_occurrences(p_first date, p_last date, p_most integer)
  returns table (
    subscription_id uuid, title text, due_on date, kind text, amount numeric, currency text, category_id uuid,
    account_id uuid, to_account_id uuid, is_recorded boolean)
  language plpgsql stable set search_path = ''
as $$
declare
  context constant text := private.context_condition(public.uid(), public.org_id());
  subscriptions api.subscriptions[];
  found bigint;
begin
  execute format('select array_agg(s) from api.subscriptions s where %s', context) into subscriptions;
  return query execute private.fill(
    $query$
      select d.id, d.title, d.due_on, d.kind, d.amount::numeric, d.currency, d.category_id, d.account_id,
        d.to_account_id,
        -- becomes one hash of the marked transactions
        (d.id, d.due_on) in (
          select subscription_id, due_on
          from api.transactions
          where subscription_id = any ($4) and due_on between $1 and $2 and {context})
      from (
        select s.*, o.due_on from unnest($5) s cross join lateral private.occurrences(s, $1, $2) o limit $3
      ) d
    $query$, 'context', context)
    using p_first, p_last, p_most + 1, array(select s.id from unnest(subscriptions) s), subscriptions;
  get diagnostics found = row_count;
  if found > p_most then
    perform private.invalid(format('the range has more than %s due dates', p_most),
      'Use a shorter range.');
  end if;
end
$$;
comment on function private.due_occurrences(date, date, integer) is
  'The due days of the active context''s subscriptions between two days, both included, without order. Raises 400 '
  'if there are more than p_most.';

grant execute on function private.occurrences(api.subscriptions, date, date), private.months_between(date, date),
  private.recorded_transaction(api.subscriptions, date), private.bank_row_of(api.subscriptions, date),
  private.max_occurrences(), private.due_occurrences(date, date, integer) to authenticated;
