-- What may be spent on a category, by month.

comment on table api.budgets is
$$Budgets: what may be spent on a category, by month

A row with a `month` is that month's; one without is every month's that has no row of its own; a category without either has its `monthly_budget`. `/rpc/get_budget_comparison` compares them with what was spent.

A row for every month has `starts_on`: from that month on, `rollover` adds up what is left. Changing or deleting such a row leaves the months before the current one as they were, in `past_budgets`; to change these too, send another `starts_on`, from which on the row then holds, or give a month a row of its own.

A category has one row for a month and currency. `POST` with `on_conflict=category_id,currency,month` and `Prefer: resolution=merge-duplicates` sets it, whether it is there or not.$$;
comment on column api.budgets.category_id is 'Id of a category of the same context';
comment on column api.budgets.month is 'First day of the month, YYYY-MM-01, between 1900 and 2199; null is every month';
comment on column api.budgets.starts_on is 'First day of the month from which on a row for every month is added up, YYYY-MM-01, between 1900 and 2199; default the month in which it is created. A row of one month has none: null';
comment on column api.budgets.amount is 'What may be spent; 0 or more, 2 decimal places, more are rounded half away from zero; a third is refused where the currency has 3, such as `kwd`; a whole number in a currency without decimals, such as `jpy`';
comment on column api.budgets.currency is 'ISO 4217 code, such as `usd`, `eur` or `jpy`, stored in lower case';
comment on column api.budgets.rollover is 'Whether what was left of the month before, or overspent, is carried over to it';

select pg_temp.protect_owned('budgets', 'budget');

create trigger budgets_lower_currency
  before insert or update of currency on api.budgets
  for each row
  when (new.currency <> lower(new.currency))
  execute function private.lower_currency();
-- The name comes after the trigger that fills the owner.
create trigger budgets_2_check_category_of_key
  before insert or update of category_id on api.budgets
  for each row
  when (new.category_id is not null)
  execute function private.check_category_of_key();
create trigger budgets_check_category
  after insert or update of category_id on api.budgets
  for each row execute function private.check_category();
-- These come after the trigger that sets created_at.
create trigger budgets_start
  before insert or update on api.budgets
  for each row
  when (new.month is null and new.starts_on is null)
  execute function private.begin_budget();
create trigger budgets_start_of_changed
  before update on api.budgets
  for each row
  when (old.month is null and new.month is not null and new.starts_on = old.starts_on)
  execute function private.begin_budget();
create trigger budgets_keep_past_of_created
  after insert on api.budgets
  for each row
  when (new.month is null and current_user = 'authenticated')
  execute function private.keep_past_of_budget();
create trigger budgets_keep_past_of_changed
  after update on api.budgets
  for each row
  when ((old.month is null or new.month is null) and current_user = 'authenticated')
  execute function private.keep_past_of_budget();
create trigger budgets_keep_past_of_deleted
  after delete on api.budgets
  for each row
  when (old.month is null and current_user = 'authenticated')
  execute function private.keep_past_of_budget();
