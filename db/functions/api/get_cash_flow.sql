-- The report get_cash_flow(). cash_flow_statement() returns its statement as text,
-- built from the parts in db/functions/private/reports.sql.

create or replace function private.cash_flow_statement(
  "grouping" text default 'monthly',
  periods integer default 12,
  p_currency text default null,
  p_account_id uuid default null,
  upcoming integer default 0,
  p_convert_to text default null
) returns text
  language plpgsql stable set search_path = ''
as $$
declare
  unit constant text := case "grouping"
    when 'daily' then 'day' when 'weekly' then 'week' when 'monthly' then 'month' when 'quarterly' then 'quarter' when 'yearly' then 'year' end;
  context constant text := private.context_condition(public.uid(), public.org_id());
  target constant text := private.target_currency(p_convert_to);
  step interval;
  first timestamp;
  last timestamp;
  wanted text;
begin
  if unit is null then
    perform private.invalid(format('unknown grouping %s', coalesce(quote_literal(left("grouping", 40)), 'null')), 'It is daily, weekly, monthly, quarterly or yearly.');
  end if;
  if periods is null or periods not between 1 and 120 then
    perform private.invalid('periods is out of range', 'It is 1 to 120.');
  end if;
  if upcoming is null or upcoming not between 0 and 120 then
    perform private.invalid('upcoming is out of range', 'It is 0 to 120.');
  end if;
  step := case unit when 'quarter' then interval '3 months' else ('1 ' || unit)::interval end;
  first := date_trunc(unit, current_date::timestamp) - (periods - 1) * step;
  last := first + (periods - 1) * step;
  wanted := concat_ws(' and ', 'true',
    case when p_currency is not null then format('currency = %L', private.parse_currency(p_currency)) end,
    case when p_account_id is not null then format('account_id = %L', p_account_id) end);
  return format(
    $query$
      with due as materialized (
        select due_on as day, null as status, currency, category_id, amount as whole, amount, 1 as count
        from private.due_costs(current_date, %1$L, 10000) where %2$s > 0 and not is_recorded and %3$s
      ), flow as (
        select date_trunc(%4$L, day::timestamp) as period, currency,
          coalesce(sum(amount) filter (where amount > 0), 0.00) as income,
          coalesce(-sum(amount) filter (where amount < 0), 0.00) as expenses,
          false as is_planned
        from %5$s
        group by 1, 2
        union all
        select date_trunc(%4$L, day::timestamp), currency,
          coalesce(-sum(amount) filter (where amount < 0), 0.00), coalesce(sum(amount) filter (where amount > 0), 0.00), true
        from %6$s
        group by 1, 2
      ), currencies as (
        select distinct currency from flow
        union
        -- without any transactions, one series of zeros
        select %7$L where not exists (select from flow)
      )
      select p.period::date, c.currency, coalesce(f.income, 0.00), coalesce(f.expenses, 0.00), coalesce(f.income - f.expenses, 0.00), p.is_planned
      from (
        select period, false as is_planned from generate_series(%8$L::timestamp, %9$L::timestamp, %10$L::interval) as period
        union all
        select %9$L::timestamp + coming * %10$L::interval, true from generate_series(0, %2$s) as coming where %2$s > 0
      ) p
      cross join currencies c
      left join flow f on f.period = p.period and f.currency = c.currency and f.is_planned = p.is_planned
      order by c.currency, p.period, p.is_planned
    $query$,
    (last + (upcoming + 1) * step)::date - 1, upcoming, wanted, unit,
    private.report_transactions(context,
      p_condition => concat_ws(' and ', private.days_condition(daterange(first::date, (first + periods * step)::date)), wanted), p_convert_to => target),
    private.converted_rows('select * from due', context, case when upcoming > 0 then target end),
    coalesce(target, lower(p_currency), 'usd'), first, last, step);
end
$$;
comment on function private.cash_flow_statement(text, integer, text, uuid, integer, text) is 'The statement of api.get_cash_flow().';
grant execute on function private.cash_flow_statement(text, integer, text, uuid, integer, text) to authenticated;

create or replace function api.get_cash_flow(
  "grouping" text default 'monthly',
  periods integer default 12,
  p_currency text default null,
  p_account_id uuid default null,
  upcoming integer default 0,
  p_convert_to text default null
) returns table (period date, currency text, income numeric, expenses numeric, net numeric, is_planned boolean)
  language plpgsql stable set search_path = '' set enable_sort = off
as $$
begin
  return query execute private.cash_flow_statement("grouping", periods, p_currency, p_account_id, upcoming, p_convert_to);
end
$$;
comment on function api.get_cash_flow(text, integer, text, uuid, integer, text) is
$$Income, expenses and net by period

For the active context. `grouping`: `daily`, `weekly`, `monthly` (the default), `quarterly` or `yearly`. `periods`: their number, 1 to 120, of which the current one is the last; default 12. `p_account_id`: only transactions of this account.

`p_convert_to`: a currency to which each transaction is converted, at your context's latest exchange rate on or before its day; the result is then one series. 400 for a missing rate, with the pair and the day.

`upcoming`: the number of planned future periods, 0 (the default) to 120. Unless it is 0, each currency also has a row with `is_planned` true for the current period and for each future one: the costs of your context's subscriptions that are due from today on and not recorded. They are converted like transactions of their due day. 400 for more than 10,000 due days.

Each row: `period` (its first day), `currency`, `income` and `expenses` (both as positive numbers), `net` (income less expenses), `is_planned`. Oldest first; periods without transactions have zeros. Without `p_convert_to` each currency is a series of its own; `p_currency` selects one. Without any transactions there is one series, in `p_currency` or `usd`. Transfers and failed transactions do not count. Weeks begin on Monday. The day of a transaction is its `booked_on`, or otherwise the day of its moment in UTC or in the time zone of `Prefer: timezone=…`.$$;
grant execute on function api.get_cash_flow(text, integer, text, uuid, integer, text) to authenticated;
