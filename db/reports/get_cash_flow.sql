-- after: core
-- The report get_cash_flow(). cash_flow_statement() returns its statement as text,
-- built from the parts in db/reports/report_rows.sql.

-- Over 80 lines, because it is one statement: its parts share common table expressions.
create or replace function private.cash_flow_statement(
  "grouping" text default 'monthly',
  periods integer default null,
  p_currency text default null,
  p_account_id uuid default null,
  upcoming integer default 0,
  p_convert_to text default null,
  p_from text default null,
  p_to text default null
) returns text
  language plpgsql stable set search_path = ''
as $$
declare
  unit constant text := private.period_unit("grouping", coalesce(periods, 12));
  context constant text := private.context_condition(public.uid(), public.org_id());
  target constant text := private.target_currency(p_convert_to);
  step constant interval := private.period_step(unit);
  days constant daterange := private.days_of_periods(unit, periods, p_from, p_to);
  first constant timestamp := date_trunc(unit, lower(days)::timestamp);
  last constant timestamp := date_trunc(unit, (upper(days) - 1)::timestamp);
  by_account constant jsonb := case when p_account_id is not null then
    jsonb_build_array(jsonb_build_object('field', 'account_id', 'operation', 'eq', 'value', p_account_id)) end;
  wanted text;
begin
  if upcoming is null or upcoming not between 0 and 120 then
    perform private.invalid('upcoming is out of range', 'Must be 0 to 120.');
  end if;
  if upcoming > 0 and p_to is not null then
    perform private.invalid('upcoming can''t be combined with p_to', 'Planned periods come after the current one.');
  end if;
  wanted := case when p_currency is null then 'true'
    else format('currency = %L', private.parse_currency(p_currency)) end;
  return private.fill(
    $query$
      with due as materialized (
        select due_on as day, null as status, currency, category_id, null as key, signed as whole, signed as amount,
          1 as count
        from private.due_occurrences(current_date, {last_planned_day}, private.max_occurrences())
        cross join lateral (
          select case when kind = 'income' or {is_arrival} then amount else -amount end as signed
        ) as occurrence
        where {upcoming} > 0 and not is_recorded and {wanted} and {is_counted_occurrence}
      ), flow as (
        select date_trunc({unit}, day::timestamp) as period, currency,
          coalesce(sum(amount) filter (where {is_income}), 0.00) as income,
          coalesce(-sum(amount) filter (where not ({is_income})), 0.00) as expenses,
          coalesce(sum(amount) filter (where status = 'pending'), 0.00) as pending,
          sum(left_out) as left_out,
          is_planned
        from (
          select day, status, currency, category_id, whole, amount, left_out, false as is_planned from {booked}
          union all
          select day, status, currency, category_id, whole, amount, left_out, true from {due}
          {booked_ahead}
        ) counted
        group by 1, 2, is_planned
      ), currencies as (
        select distinct currency from flow
        union
        -- without any transactions, one series of zeros
        select {usual_currency} where not exists (select from flow)
      )
      select p.period::date, c.currency, coalesce(f.income, 0.00), coalesce(f.expenses, 0.00),
        coalesce(f.income - f.expenses, 0.00), p.is_planned,
        coalesce(f.pending, 0.00), coalesce(f.left_out, 0)
      from (
        select period, false as is_planned
        from generate_series({first_period}::timestamp, {last_period}::timestamp, {step}::interval) as period
        union all
        select {last_period}::timestamp + coming * {step}::interval, true
        from generate_series(0, {upcoming}) as coming
        where {upcoming} > 0
      ) p
      cross join currencies c
      left join flow f on f.period = p.period and f.currency = c.currency and f.is_planned = p.is_planned
      order by c.currency, p.period, p.is_planned
    $query$,
    'last_planned_day', quote_literal((last + (upcoming + 1) * step)::date - 1),
    'upcoming', upcoming::text,
    'wanted', wanted,
    'unit', quote_literal(unit),
    'booked', private.report_transactions(context, p_filters => by_account,
      p_condition => concat_ws(' and ', private.days_condition(days), wanted),
      p_group => 'true', p_convert_to => target),
    'due', private.converted_rows('select * from due', context, case when upcoming > 0 then target end),
    'usual_currency', quote_literal(coalesce(target, lower(p_currency), 'usd')),
    'first_period', quote_literal(first),
    'last_period', quote_literal(last),
    'step', quote_literal(step),
    'is_arrival', case when p_account_id is null then 'false'
      else format('to_account_id is not distinct from %L', p_account_id) end,
    'is_income', private.side_condition(context, 'income', 'whole'),
    'booked_ahead', case when upcoming = 0 then ''
      else 'union all select day, status, currency, category_id, whole, amount, left_out, true from '
        || private.report_transactions(context, p_filters => by_account,
          p_condition => concat_ws(' and ',
            private.days_condition(daterange((last + step)::date, (last + (upcoming + 1) * step)::date)), wanted),
          p_group => 'true', p_convert_to => target) end,
    -- a transfer counts for one account only, as in the other reports
    'is_counted_occurrence', case when p_account_id is null then $sql$kind <> 'transfer'$sql$
      else format('%L in (account_id, to_account_id)', p_account_id) end);
end
$$;
comment on function private.cash_flow_statement(text, integer, text, uuid, integer, text, text, text) is
  'The statement of api.get_cash_flow().';
grant execute on function
  private.cash_flow_statement(text, integer, text, uuid, integer, text, text, text) to authenticated;

create or replace function api.get_cash_flow(
  "grouping" text default 'monthly',
  periods integer default null,
  p_currency text default null,
  p_account_id uuid default null,
  upcoming integer default 0,
  p_convert_to text default null,
  p_from text default null,
  p_to text default null
) returns table (period date, currency text, income numeric, expenses numeric, net numeric, is_planned boolean,
  pending numeric, left_out bigint)
  language plpgsql stable set search_path = '' set enable_sort = off
as $$
begin
  return query execute private.cash_flow_statement("grouping", periods, p_currency, p_account_id, upcoming,
    p_convert_to, p_from, p_to);
end
$$;
comment on function api.get_cash_flow(text, integer, text, uuid, integer, text, text, text) is
  E'Income, expenses and net by period\n\n'
  'For the active context. `grouping`: `daily`, `weekly`, `monthly` (the default), `quarterly` or `yearly`. '
  '`periods`: their number, 1 to 120; default 12. The last one contains `p_to`, or today. `p_from` and `p_to`: the '
  'first and the last day that count, as YYYY-MM-DD, both included, in up to 120 periods; the first and the last '
  'period may be incomplete. `p_from` comes without `periods`, and `p_to` without `upcoming`. Without `p_to` the '
  'current period counts as a whole. `p_account_id`: only transactions of this account, and the halves of '
  'transfers in it, as money in or out.\n\n'
  'The kind of a transaction''s category decides between income and expenses: a refund in a category of expenses '
  'lowers `expenses`. Without a category the sign decides. Line items with a category count there.\n\n'
  '`p_convert_to`: a currency to which each transaction is converted, at your context''s latest exchange rate on '
  'or before its day; the result is then one series. A transaction without a rate is left out, and `left_out` '
  'counts it; get_missing_rates lists them.\n\n'
  '`upcoming`: the number of planned future periods, 0 (the default) to 120. Unless it is 0, each currency also '
  'has a row with `is_planned` true for the current period and for each future one: the income and expenses of '
  'your context''s subscriptions that are due from today on and not recorded, and with `p_account_id` the '
  'recurring transfers of that account. They are converted like transactions of their due day. The planned row of '
  'a future period also counts the transactions of its days, such as days recorded ahead. 400 for more than '
  '100,000 due days.\n\n'
  'Each row: `period` (its first day), `currency`, `income` and `expenses` (both as positive numbers), `net` (income '
  'less expenses), `is_planned`, `pending` (the part of `net` that is pending), `left_out` (transactions or due days '
  'without a rate). Oldest first; periods without transactions have zeros. Without `p_convert_to` each currency is a '
  'series of its own; `p_currency` selects one. Without any transactions there is one series, in `p_currency` or '
  '`usd`. Without `p_account_id` transfers do not count; failed transactions never do. Weeks begin on Monday. The day '
  'of a transaction is its `booked_on`, or otherwise the day of its moment in UTC or in the time zone of `Prefer: '
  'timezone=…`.';
grant execute on function api.get_cash_flow(text, integer, text, uuid, integer, text, text, text) to authenticated;
