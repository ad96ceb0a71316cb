create or replace function api.get_budget_comparison(
  start_date text default null,
  end_date text default null,
  preset text default null,
  p_currency text default null
) returns table (category_id uuid, name text, currency text, budget numeric, actual numeric, difference numeric)
  language plpgsql stable set search_path = ''
as $$
#variable_conflict use_column
declare
  days constant daterange := private.date_range(
    start_date, end_date, case when start_date is null and end_date is null then coalesce(preset, 'this_month') else preset end);
  context constant text := private.context_condition(public.uid(), public.org_id());
  condition text;
  currencies text[];
begin
  if lower(days) is null then
    perform private.invalid('a budget needs a range with an end', 'Send start_date and end_date, or a preset other than all_time.');
  end if;
  condition := format(
    $condition$%s and status <> 'failed' and %s and %s$condition$,
    context, private.days_condition('transaction_date', days),
    case when p_currency is null then 'true' else format('currency = %L', lower(p_currency)) end);
  execute format(
    $query$
      select array_agg(distinct t.currency)
      from (select category_id, currency from api.transactions where %s) t
      join api.categories c on c.id = t.category_id and c.monthly_budget is not null
    $query$, condition) into currencies;
  if array_length(currencies, 1) > 1 then
    perform private.invalid(
      'a budget is of one currency, and there are several: ' || array_to_string(currencies, ', '),
      'Add p_currency, such as p_currency=' || currencies[1] || '.');
  end if;
  return query execute format(
    $query$
      with months as (
        -- each month of the range, and the part of it that the range covers
        select (least(%2$L::date, (month + interval '1 month')::date) - greatest(%1$L::date, month::date))::numeric
          / ((month + interval '1 month')::date - month::date) as part
        from generate_series(date_trunc('month', %1$L::timestamp), %2$L::timestamp - interval '1 day', interval '1 month') as month
      ), spent as (
        select category_id, -sum(amount) as actual
        from api.transactions
        where %3$s and category_id is not null
        group by category_id
      )
      select c.id, c.name, %4$L::text, b.budget, coalesce(s.actual, 0.00), b.budget - coalesce(s.actual, 0)
      from api.categories c
      cross join lateral (select round(c.monthly_budget * sum(part), 2) as budget from months) b
      left join spent s on s.category_id = c.id
      where %5$s and c.monthly_budget is not null
      order by c.name, c.id
    $query$,
    lower(days), upper(days), condition,
    coalesce(lower(p_currency), currencies[1], 'usd'),
    context);
end
$$;
comment on function api.get_budget_comparison(text, text, text, text) is
$$Budgets compared with what was spent

Of the active context, for the days from `start_date` to `end_date` (YYYY-MM-DD, both included) or a `preset`; without any, this month.

One row for each category that has a `monthly_budget`: `budget` is the monthly budget prorated by days (half of April is half of it), `actual` what was spent (expenses less refunds, as a positive number), `difference` what is left, negative when overspent. Failed transactions do not count.

Budgets are of one currency. If the categories' transactions have several, the answer is 400 and names them; `p_currency` chooses one.$$;
grant execute on function api.get_budget_comparison(text, text, text, text) to authenticated;
