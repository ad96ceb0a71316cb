-- after: core
-- For each currency, a month's own budget comes before the budget for every month, and that before the category's
-- monthly_budget. Each day of a month is a whole number of 377580ths of the month, for 28, 29, 30 and 31 days. So the
-- sum of budgets is exact and rounded once.
-- Over 80 lines, because it is one statement: its parts share common table expressions.
create or replace function private.budget_comparison_statement(
  start_date text default null,
  end_date text default null,
  preset text default null,
  p_currency text default null,
  p_convert_to text default null
) returns text
  language plpgsql stable set search_path = ''
as $$
declare
  days constant daterange := private.date_range(
    start_date, end_date,
    case when start_date is null and end_date is null then coalesce(preset, 'this_month') else preset end);
  context constant text := private.context_condition(public.uid(), public.org_id());
  target constant text := private.target_currency(p_convert_to);
  wanted constant text := case when p_currency is null then 'true'
    else format('currency = %L', private.parse_currency(p_currency)) end;
  first_month constant date := date_trunc('month', lower(days)::timestamp)::date;
  budgets text;
  carried_from date;
  is_budgeted boolean;
begin
  if lower(days) is null then
    perform private.invalid('a budget comparison needs an end date',
      'Send start_date and end_date, or a preset other than all_time.');
  end if;
  budgets := private.budget_terms(context, first_month);
  execute private.fill(
    $query$
      with {budgets}
      select (select min(since) from carrying),
        exists (select from usual where since < {range_end} and until > {first_month})
          or exists (select from own where month >= {first_month} and month < {range_end})
    $query$,
    'budgets', budgets,
    'first_month', quote_literal(first_month),
    'range_end', quote_literal(upper(days)))
    into carried_from, is_budgeted;
  -- without a budget there is nothing to compare
  if not is_budgeted then
    return null;
  end if;
  return private.fill(
    $query$
      with {budgets},
      weights as (
        -- each month of the range, and the part of it that the range covers
        select month::date,
          (
            least({range_end}::date, (month + interval '1 month')::date) - greatest({range_start}::date, month::date)
          ) * 377580
          / ((month + interval '1 month')::date - month::date) as weight
        from generate_series({first_month}::date::timestamp, {range_end}::timestamp - interval '1 day',
          interval '1 month') as month
      ), spent_by_category as (
        select category_id, currency, date_trunc('month', day::timestamp)::date as month, sum(amount) as amount
        from {spent_before_range}
        group by 1, 2, 3
      ), held_before as (
        -- the subcategories with a budget of their own in a month, which their parent's budget then leaves out
        select category_id, month from own where month < {first_month}
        union
        select category_id, month::date
        from (select distinct category_id, since, until from usual where since < {first_month}) u
        join generate_series(coalesce((select min(since) from carrying), {first_month})::timestamp,
          {first_month}::timestamp - interval '1 month', interval '1 month') as month
          on u.since <= month::date and u.until > month::date
      ), spent_before as (
        select case when h.category_id is null then coalesce(c.parent_id, s.category_id)
          else s.category_id end as category_id,
          s.currency, s.month,
          sum(s.amount) as amount
        from spent_by_category s
        join (select id, parent_id from api.categories where {context}) c on c.id = s.category_id
        left join held_before h on h.category_id = s.category_id and h.month = s.month
        group by 1, 2, 3
      ), months_before as (
        select c.category_id, c.currency, coalesce(o.amount, u.amount) + coalesce(s.amount, 0) as rest,
          -- a remainder reaches the range if every month after it carries over
          coalesce(bool_and(coalesce(o.rollover, u.rollover, false)) over (
            partition by c.category_id, c.currency
              order by c.month desc rows between unbounded preceding and 1 preceding), true) as is_carried
        from (
          select category_id, currency, month::date
          from carrying
          cross join lateral generate_series(since::timestamp, {first_month}::timestamp - interval '1 month',
            interval '1 month') as month
        ) c
        left join own o using (category_id, currency, month)
        left join spent_before s using (category_id, currency, month)
        left join usual u on u.category_id = c.category_id and u.currency = c.currency and u.since <= c.month
          and u.until > c.month
      ), budgeted as (
        select category_id, currency,
          round(sum(share) / 377580.00000000000000000000, least(private.currency_decimals(currency), 2)) as budget
        from (
          select category_id, currency,
            amount * (select sum(weight) from weights where month >= u.since and month < u.until) as share
          from usual u where since < {range_end} and until > {first_month}
          union all
          select o.category_id, o.currency, (o.amount - coalesce(u.amount, 0)) * w.weight
          from own o join weights w using (month)
          left join usual u on u.category_id = o.category_id and u.currency = o.currency and u.since <= o.month
            and u.until > o.month
          union all
          select category_id, currency, rest * (select weight from weights where month = {first_month})
          from months_before
          where is_carried
        ) shares
        group by 1, 2
      ), compared as (
        select category_id, currency, coalesce(sum(amount), 0.00) as budget, sum(left_out) as left_out
        from {budgets_of_range}
        group by 1, 2
      ), spent as (
        select case when c.parent_id is null or s.category_id in (select category_id from budgeted) then s.category_id
          else c.parent_id end as category_id,
          s.currency, -sum(s.amount) as actual, -sum(s.pending) as pending, sum(s.left_out) as left_out
        from (
          select category_id, currency, coalesce(sum(amount), 0.00) as amount, sum(count) as count,
            coalesce(sum(amount) filter (where status = 'pending'), 0.00) as pending, sum(left_out) as left_out
          from {spent_in_range}
          where category_id is not null group by 1, 2
        ) s
        join (select id, parent_id from api.categories where {context}) c on c.id = s.category_id
        where s.count <> 0
        group by 1, 2
      )
      select c.id, c.name, r.currency, coalesce(b.budget, 0.00), coalesce(s.actual, 0.00),
        coalesce(b.budget, 0) - coalesce(s.actual, 0),
        coalesce(s.pending, 0.00), (coalesce(b.left_out, 0) + coalesce(s.left_out, 0))::bigint
      from (
        select category_id, currency from compared
        union
        select category_id, currency from spent where category_id in (select category_id from budgeted)
      ) r
      join (select id, name from api.categories where {context}) c on c.id = r.category_id
      left join compared b using (category_id, currency)
      left join spent s using (category_id, currency)
      order by c.name, c.id, r.currency
    $query$,
    'context', context,
    'budgets', budgets,
    'first_month', quote_literal(first_month),
    'range_start', quote_literal(lower(days)),
    'range_end', quote_literal(upper(days)),
    'spent_before_range', private.report_transactions(context,
      p_condition => case when carried_from is null then 'false'
        else private.days_condition(daterange(carried_from, first_month)) end,
      p_group => 'category_id'),
    'budgets_of_range', private.converted_rows(
      private.fill(
        $query$
          select {last_day}::date as day, null as status, currency, category_id, null as key, budget as whole,
            budget as amount, 1 as count
          from budgeted where {wanted}
        $query$,
        'last_day', quote_literal(upper(days) - 1), 'wanted', wanted),
      context, target),
    'spent_in_range', private.report_transactions(context,
      p_condition => concat_ws(' and ', private.days_condition(days), wanted), p_group => 'category_id',
      p_convert_to => target));
end
$$;
comment on function private.budget_comparison_statement(text, text, text, text, text) is
  'The statement of api.get_budget_comparison(); null if the range has no budget.';
grant execute on function private.budget_comparison_statement(text, text, text, text, text) to authenticated;

-- Nested loops are disabled. The planner estimates one row per tenant and would compare each month with each other
-- month.
create or replace function api.get_budget_comparison(
  start_date text default null,
  end_date text default null,
  preset text default null,
  p_currency text default null,
  p_convert_to text default null
) returns table (category_id uuid, name text, currency text, budget numeric, actual numeric, difference numeric,
  pending numeric, left_out bigint)
  language plpgsql stable set search_path = '' set enable_sort = off set enable_nestloop = off
as $$
declare
  statement text;
begin
  statement := private.budget_comparison_statement(start_date, end_date, preset, p_currency, p_convert_to);
  if statement is not null then
    return query execute statement;
  end if;
end
$$;
comment on function api.get_budget_comparison(text, text, text, text, text) is
  E'Compares budgets with spending\n\n'
  'For the active context, from `start_date` to `end_date` (YYYY-MM-DD, both included) or for a `preset`; by '
  'default this month.\n\n'
  'The budget of a category, month and currency is the row of `budgets` for that month; otherwise the row for '
  'every month; otherwise the category''s `monthly_budget`, in its `budget_currency`. Each category with a budget '
  'in the range has a row for each currency of its budgets and its spending, ordered by the category''s name and '
  'then the currency. `budget` is prorated by days: half of April counts half; 0 if there is none in this '
  'currency. `actual` is the spending: expenses less refunds, as a positive number. `difference` is the remainder, '
  'negative if overspent. `pending` is the part of `actual` that is pending. Line items with a category count '
  'there, the rest of their transaction in its own category. Transfers and failed transactions do not count. '
  'Without any budget the result is empty.\n\n'
  'The budget of a category with subcategories also counts the spending of those that have no budget of their own '
  'in the range. A subcategory with its own budget has its own row, and its parent''s row leaves its spending out. '
  'So each expense is in one row at most, and the rows add up.\n\n'
  'If the budget of the range''s first month has `rollover`, the remainder of the month before is added to it, or '
  'the overspending subtracted. The same applies to that month, and so on, for up to 60 months. The sum begins '
  'with the first month for which the category has a row of `budgets` in this currency; a row for every month '
  'begins with its `starts_on`. A month without a budget has no remainder. For months before a change of a budget, '
  '`past_budgets` has the former one.\n\n'
  '`p_currency`: only rows of this currency. `p_convert_to`: a currency to which all amounts are converted, so '
  'that each category has one row. A transaction is converted at your context''s latest exchange rate on or before '
  'its day, a budget at the latest one on or before the last day of the range. Transactions and budgets without a '
  'rate are left out, and `left_out` counts them; get_missing_rates lists the transactions.\n\n'
  '400 for an invalid day, and for a range without an end or in the wrong order.';
grant execute on function api.get_budget_comparison(text, text, text, text, text) to authenticated;
