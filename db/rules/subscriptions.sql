-- Recurring expenses.

comment on table api.subscriptions is
$$Subscriptions: recurring expenses

You see your personal ones and, while an organization is active, the organization's. `select=*,next_due_on,monthly_cost` brings along when each is due next and what it costs in a month; `/rpc/get_upcoming` answers all days of a range, and `/rpc/record_subscription` makes one of them a transaction. Embed the category with `select=*,category:categories(id,name)`.$$;
comment on column api.subscriptions.title is 'Title, 1 to 255 characters';
comment on column api.subscriptions.amount is 'Cost per billing period. 2 decimal places, more are rounded half away from zero; a third is refused where the currency has 3, such as `kwd`; a whole number in a currency without decimals, such as `jpy`';
comment on column api.subscriptions.period is '`monthly`, `yearly`, `quarterly`, `semi-annually`, `weekly` or `daily`';
comment on column api.subscriptions.description is 'Up to 5000 characters';
comment on column api.subscriptions.logo_url is 'http or https URL, up to 2048 characters';
comment on column api.subscriptions.interval_in_days is 'Custom interval for a non-standard period, 1 to 3660';
comment on column api.subscriptions.category_id is 'Id of a category of the same context';
comment on column api.subscriptions.currency is 'ISO 4217 code, such as `usd`, `eur` or `jpy`, stored in lower case; with an `account_id` that of the account';
comment on column api.subscriptions.starts_on is 'The first day it is due, from which the others are counted: a date between 1900 and 2199. Default today';
comment on column api.subscriptions.ends_on is 'The last day on which it can be due: a date between 1900 and 2199, not before starts_on; null is no end';
comment on column api.subscriptions.account_id is 'Id of an account of the same context, which pays it';
comment on column api.subscriptions.is_active is 'Whether it is due at all';

select pg_temp.protect_owned('subscriptions', 'subscription');

create trigger subscriptions_check_category
  after insert or update of category_id on api.subscriptions
  for each row
  when (new.category_id is not null)
  execute function private.check_category();
create trigger subscriptions_lower_currency
  before insert or update of currency on api.subscriptions
  for each row
  when (new.currency <> lower(new.currency))
  execute function private.lower_currency();
create trigger subscriptions_check_account
  after insert or update of account_id, currency on api.subscriptions
  for each row
  when (new.account_id is not null)
  execute function private.check_account();
