-- after: budgets/tables, core/fill
-- The budget of each category and month, and the months with a rollover.

create or replace function private.budget_terms(p_context text, p_first_month date) returns text
  language sql immutable set search_path = ''
  return private.fill(
    $terms$
      own as (
        select category_id, currency, month, amount, rollover from api.budgets where {context} and month is not null
      ), every as (
        select category_id, currency, amount, rollover, starts_on, 'infinity'::date as until
        from api.budgets
        where {context} and month is null
        union all
        select category_id, currency, amount, rollover, starts_on, until from api.past_budgets where {context}
      ), held as (
        select category_id, currency, amount, rollover, until from every
        union all
        select c.id, c.budget_currency, c.monthly_budget, false, 'infinity'
        from (select * from api.categories where {context}) c
        left join every e on e.category_id = c.id and e.currency = c.budget_currency and e.until = 'infinity'
        where c.monthly_budget is not null and e.category_id is null
      ), usual as (
        select *
        from (
          select *, coalesce(lag(until) over (partition by category_id, currency order by until), '-infinity') as since
          from held
        ) h
        where amount is not null
      ), carrying as (
        select category_id, currency, greatest({first_month}::date - interval '60 months', first.month)::date as since
        from (select category_id, currency, rollover from own where month = {first_month}) o
        full join (
          select category_id, currency, rollover from usual where since <= {first_month} and until > {first_month}
        ) u using (category_id, currency)
        left join (
          select category_id, currency, min(month) as month
          from (
            select category_id, currency, month from own union all select category_id, currency, starts_on from every
          ) begun
          group by 1, 2
        ) first using (category_id, currency)
        where coalesce(o.rollover, u.rollover) and first.month < {first_month}
      )
    $terms$,
    'context', p_context, 'first_month', quote_literal(p_first_month));
comment on function private.budget_terms(text, date) is
  E'The common table expressions of a budget comparison, as SQL text that stands after "with"\n\n'
  '`own`: budgets of one month. `usual`: for each category and currency, the budget of the months from `since` to '
  'before `until` that have no row of their own. `carrying`: the categories and currencies whose budget carries over '
  'into the first month of the range, with the first month of the sum.';
grant execute on function private.budget_terms(text, date) to authenticated;
