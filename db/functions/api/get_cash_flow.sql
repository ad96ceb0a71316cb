create or replace function api.get_cash_flow(
  "grouping" text default 'monthly',
  periods integer default 12,
  p_currency text default null
) returns table (period date, currency text, income numeric, expenses numeric, net numeric)
  language plpgsql stable set search_path = ''
as $$
#variable_conflict use_column
declare
  unit constant text := case "grouping"
    when 'daily' then 'day' when 'weekly' then 'week' when 'monthly' then 'month' when 'quarterly' then 'quarter' when 'yearly' then 'year' end;
  step interval;
  first timestamp;
begin
  if unit is null then
    perform private.invalid(format('unknown grouping %s', coalesce(quote_literal(left("grouping", 40)), 'null')), 'It is daily, weekly, monthly, quarterly or yearly.');
  end if;
  if periods is null or periods not between 1 and 120 then
    perform private.invalid('periods is out of range', 'It is 1 to 120.');
  end if;
  step := case unit when 'quarter' then interval '3 months' else ('1 ' || unit)::interval end;
  first := date_trunc(unit, current_date::timestamp) - (periods - 1) * step;
  return query execute format(
    $query$
      with flow as (
        select date_trunc(%1$L, transaction_date at time zone current_setting('TimeZone')) as period, currency,
          coalesce(sum(amount) filter (where amount > 0), 0.00) as income,
          coalesce(-sum(amount) filter (where amount < 0), 0.00) as expenses
        from api.transactions
        where %2$s and status <> 'failed' and %3$s and %4$s
        group by 1, 2
      ), currencies as (
        select distinct currency from flow
        union
        -- of nothing: one series of zeros
        select %5$L where not exists (select from flow)
      )
      select p.period::date, c.currency, coalesce(f.income, 0.00), coalesce(f.expenses, 0.00), coalesce(f.income - f.expenses, 0.00)
      from generate_series(%6$L::timestamp, %7$L::timestamp, %8$L::interval) as p (period)
      cross join currencies c
      left join flow f on f.period = p.period and f.currency = c.currency
      order by c.currency, p.period
    $query$,
    unit,
    private.context_condition(public.uid(), public.org_id()),
    private.days_condition('transaction_date', daterange(first::date, (first + periods * step)::date)),
    case when p_currency is null then 'true' else format('currency = %L', lower(p_currency)) end,
    coalesce(lower(p_currency), 'usd'),
    first, first + (periods - 1) * step, step);
end
$$;
comment on function api.get_cash_flow(text, integer, text) is
$$Income, expenses and net by period

Of the active context. `grouping`: `daily`, `weekly`, `monthly` (the default), `quarterly` or `yearly`. `periods`: how many, 1 to 120, the current one last; default 12.

Each row: `period` (its first day), `currency`, `income` and `expenses` (both as positive numbers), `net` (income less expenses). Oldest first, periods without transactions with zeros. Each currency is a series of its own; `p_currency` chooses one, and where there is nothing it is `usd`. Failed transactions do not count. Weeks begin on Monday; days are UTC's, or of the time zone in `Prefer: timezone=…`.$$;
grant execute on function api.get_cash_flow(text, integer, text) to authenticated;
