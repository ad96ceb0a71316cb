-- The former budgets of a category, which the triggers of budgets and categories write.

comment on table api.past_budgets is
$$Past budgets: what a category could spend in each month before a change

A change or deletion of a budget for every month, or of a category's `monthly_budget`, leaves the months before the current one as they were. The former budget is kept here, and holds for each month before `until` that has no row of its own in `budgets` and no earlier past budget. Deleting a row lets the next one, or the current budget, hold for these months.$$;
comment on column api.past_budgets.category_id is 'Id of a category of the same context';
comment on column api.past_budgets.currency is 'ISO 4217 code, such as `usd`, `eur` or `jpy`, stored in lower case';
comment on column api.past_budgets.until is 'First day of the month in which it no longer held, YYYY-MM-01, between 1900 and 2199';
comment on column api.past_budgets.amount is 'The budget of a month; null is no budget; 0 or more, 2 decimal places, more are rounded half away from zero; a third is refused where the currency has 3, such as `kwd`; a whole number in a currency without decimals, such as `jpy`';
comment on column api.past_budgets.rollover is 'Whether what was left of the month before, or overspent, was carried over to it';
comment on column api.past_budgets.starts_on is 'First day of the month from which on it was added up, YYYY-MM-01, between 1900 and 2199; null of a category''s `monthly_budget`';

select pg_temp.protect_owned('past_budgets', 'budget');

create trigger past_budgets_lower_currency
  before insert or update of currency on api.past_budgets
  for each row
  when (new.currency <> lower(new.currency))
  execute function private.lower_currency();
-- The name comes after the trigger that fills the owner.
create trigger past_budgets_2_check_category_of_key
  before insert or update of category_id on api.past_budgets
  for each row
  when (new.category_id is not null)
  execute function private.check_category_of_key();
create trigger past_budgets_check_category
  after insert or update of category_id on api.past_budgets
  for each row execute function private.check_category();
