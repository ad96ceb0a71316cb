-- A change of a budget for every month does not rewrite the months before. Its triggers write down what the budget was, as a row of
-- api.past_budgets. They bind the callers of the data surface: undo brings back the rows of both tables by itself.

create or replace function private.this_month() returns date
  language sql stable
  return date_trunc('month', current_date)::date;
comment on function private.this_month() is 'The first day of the current month, in the request''s time zone.';

create or replace function private.restate_budget(p_category_id uuid, p_currency text, p_month date) returns void
  language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- the past budget that held in this month ends with it, and those after it are replaced
  delete from api.past_budgets p
    where p.category_id = p_category_id and p.currency = p_currency and p.until > p_month
      and exists (
        select from api.past_budgets earlier
        where earlier.category_id = p_category_id and earlier.currency = p_currency and earlier.until >= p_month and earlier.until < p.until
      );
  update api.past_budgets set until = p_month where category_id = p_category_id and currency = p_currency and until > p_month;
end
$$;
comment on function private.restate_budget(uuid, text, date) is 'Lets the past budgets of a category and currency end by a month, from which on the current budget holds.';

create or replace function private.keep_past_budget(
  p_category_id uuid, p_currency text, p_until date, p_amount numeric, p_rollover boolean default false, p_starts_on date default null
) returns void
  language sql volatile security definer set search_path = ''
begin atomic
  insert into api.past_budgets (category_id, currency, until, amount, rollover, starts_on, user_id, organization_id)
    -- a category that is being deleted takes its budgets along
    select c.id, p_currency, p_until, p_amount, p_rollover, p_starts_on, case when c.organization_id is null then c.user_id else public.uid() end, c.organization_id
    from api.categories c
    where c.id = p_category_id and not exists (
      select from api.past_budgets p where p.category_id = p_category_id and p.currency = p_currency and p.until >= p_until);
end;
comment on function private.keep_past_budget(uuid, text, date, numeric, boolean, date) is
  'Writes down the budget that a category had in the months before p_until; null is none. Months that have a past budget keep it.';

create or replace function private.keep_past_of_budget() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  own record;
  holds_from date := private.this_month();
begin
  if tg_op = 'UPDATE' then
    if new.starts_on <> old.starts_on then
      holds_from := new.starts_on;
    end if;
    if old.month is null and new.month is null and (old.category_id, old.currency) = (new.category_id, new.currency) then
      if holds_from = new.starts_on and new.starts_on <> old.starts_on then
        perform private.restate_budget(new.category_id, new.currency, holds_from);
      end if;
      if (old.amount, old.rollover) <> (new.amount, new.rollover) then
        perform private.keep_past_budget(old.category_id, old.currency, holds_from, old.amount, old.rollover, old.starts_on);
      end if;
      return null;
    end if;
  end if;
  if tg_op <> 'INSERT' then
    if old.month is null then
      perform private.keep_past_budget(old.category_id, old.currency, private.this_month(), old.amount, old.rollover, old.starts_on);
    end if;
  end if;
  if tg_op <> 'DELETE' then
    if new.month is null then
      if tg_op = 'INSERT' or old.month is not null then
        holds_from := new.starts_on;
      end if;
      perform private.restate_budget(new.category_id, new.currency, holds_from);
      select case when c.budget_currency = new.currency then c.monthly_budget end as amount, date_trunc('month', c.created_at) < holds_from as is_older into own
        from api.categories c where c.id = new.category_id;
      -- A category's first budget holds for every month. One that takes the place of another leaves the months before it.
      if tg_op = 'UPDATE' and old.month is null or own.amount is not null and own.is_older
        or exists (select from api.past_budgets where category_id = new.category_id and currency = new.currency) then
        perform private.keep_past_budget(new.category_id, new.currency, holds_from, own.amount);
      end if;
    end if;
  end if;
  return null;
end
$$;
comment on function private.keep_past_of_budget() is 'Writes down what a category''s budget was before a row for every month is created, changed or deleted.';

create or replace function private.keep_past_of_category() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if old.monthly_budget is not null
    and not exists (select from api.budgets where category_id = old.id and currency = old.budget_currency and month is null) then
    perform private.keep_past_budget(old.id, old.budget_currency, private.this_month(), old.monthly_budget);
  end if;
  if new.monthly_budget is not null and (old.monthly_budget is null or old.budget_currency <> new.budget_currency)
    and not exists (select from api.budgets where category_id = new.id and currency = new.budget_currency and month is null)
    and (old.monthly_budget is not null or exists (select from api.past_budgets where category_id = new.id and currency = new.budget_currency)) then
    perform private.keep_past_budget(new.id, new.budget_currency, private.this_month(), null);
  end if;
  return null;
end
$$;
comment on function private.keep_past_of_category() is 'Writes down what a category''s monthly budget was before it is changed.';
