-- Recurring expenses.

comment on table api.subscriptions is
$$Subscriptions: recurring expenses

You see your personal ones and, while an organization is active, the organization's. Embed the category with `select=*,category:categories(id,name)`.$$;
comment on column api.subscriptions.title is 'Title, 1 to 255 characters';
comment on column api.subscriptions.amount is 'Cost per billing period. 2 decimal places, more are rounded half away from zero';
comment on column api.subscriptions.period is '`monthly`, `yearly`, `quarterly`, `semi-annually`, `weekly` or `daily`';
comment on column api.subscriptions.description is 'Up to 5000 characters';
comment on column api.subscriptions.logo_url is 'http or https URL, up to 2048 characters';
comment on column api.subscriptions.interval_in_days is 'Custom interval for a non-standard period, 1 to 3660';
comment on column api.subscriptions.category_id is 'A category of the same context';

select pg_temp.protect_owned('subscriptions', 'subscription');

create trigger subscriptions_check_category
  after insert or update of category_id on api.subscriptions
  for each row
  when (new.category_id is not null)
  execute function private.check_category();
