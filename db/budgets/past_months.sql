-- after: budgets/tables
-- The history of budgets. A change of a budget for every month leaves the earlier months as they were:
-- budgets_after_row() and categories_after_row() store the previous budget in api.past_budgets. They apply to
-- requests. An undo restores the rows of both tables itself.

create or replace function private.this_month() returns date
  language sql stable
  return date_trunc('month', current_date)::date;
comment on function private.this_month() is 'The first day of the current month, in the request''s time zone.';

create or replace function private.end_past_budgets(p_category_id uuid, p_currency text, p_month date) returns void
  language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- the past budget of this month now ends with it, and later past budgets are replaced
  delete from api.past_budgets p
    where p.category_id = p_category_id and p.currency = p_currency and p.until > p_month
      and exists (
        select from api.past_budgets earlier
        where earlier.category_id = p_category_id and earlier.currency = p_currency and earlier.until >= p_month
          and earlier.until < p.until
      );
  update api.past_budgets set until = p_month
  where category_id = p_category_id and currency = p_currency and until > p_month;
end
$$;
comment on function private.end_past_budgets(uuid, text, date) is
  'Ends the past budgets of a category and currency at p_month. From that month on the current budget applies.';

create or replace function private.store_past_budget(
  p_category_id uuid, p_currency text, p_until date, p_amount numeric, p_rollover boolean default false,
  p_starts_on date default null
) returns void
  language sql volatile security definer set search_path = ''
begin atomic
  insert into api.past_budgets (category_id, currency, until, amount, rollover, starts_on, user_id, organization_id)
    -- the deletion of a category also deletes its budgets
    select c.id, p_currency, p_until, p_amount, p_rollover, p_starts_on,
      case when c.organization_id is null then c.user_id else public.uid() end, c.organization_id
    from api.categories c
    where c.id = p_category_id and not exists (
      select from api.past_budgets p
      where p.category_id = p_category_id and p.currency = p_currency and p.until >= p_until);
end;
comment on function private.store_past_budget(uuid, text, date, numeric, boolean, date) is
  'Stores the budget of a category for the months before p_until; null is no budget. Months that have a past budget '
  'keep it.';
