-- The budget of each category and month, and the months with a rollover.

create or replace function private.budget_terms(p_context text, p_first_month date) returns text
  language sql immutable set search_path = ''
  return format(
    $terms$
      own as (
        select category_id, currency, month, amount, rollover from api.budgets where %1$s and month is not null
      ), every as (
        select category_id, currency, amount, rollover, starts_on, 'infinity'::date as until from api.budgets where %1$s and month is null
        union all
        select category_id, currency, amount, rollover, starts_on, until from api.past_budgets where %1$s
      ), held as (
        select category_id, currency, amount, rollover, until from every
        union all
        select c.id, c.budget_currency, c.monthly_budget, false, 'infinity'
        from (select * from api.categories where %1$s) c left join every e on e.category_id = c.id and e.currency = c.budget_currency and e.until = 'infinity'
        where c.monthly_budget is not null and e.category_id is null
      ), usual as (
        select *
        from (select *, coalesce(lag(until) over (partition by category_id, currency order by until), '-infinity') as since from held) h
        where amount is not null
      ), carrying as (
        select category_id, currency, greatest(%2$L::date - interval '60 months', first.month)::date as since
        from (select category_id, currency, rollover from own where month = %2$L) o
        full join (select category_id, currency, rollover from usual where since <= %2$L and until > %2$L) u using (category_id, currency)
        left join (
          select category_id, currency, min(month) as month
          from (select category_id, currency, month from own union all select category_id, currency, starts_on from every) begun
          group by 1, 2
        ) first using (category_id, currency)
        where coalesce(o.rollover, u.rollover) and first.month < %2$L
      )
    $terms$,
    p_context, p_first_month);
comment on function private.budget_terms(text, date) is
$$The common table expressions of a budget comparison, as SQL text that stands after "with"

`own`: budgets of one month. `usual`: for each category and currency, the budget of the months from `since` to before `until` that have no row of their own. `carrying`: the categories and currencies whose budget carries over into the first month of the range, with the first month of the sum.$$;
grant execute on function private.budget_terms(text, date) to authenticated;
