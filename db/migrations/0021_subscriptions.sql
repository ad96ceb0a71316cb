-- Recurring expenses. Not the application's own plans: those are app_subscriptions.

create table api.subscriptions (
  id uuid primary key default gen_random_uuid(),
  title text not null,
  amount numeric(14,2) not null,
  period text not null,
  description text,
  logo_url text,
  interval_in_days bigint,
  category_id uuid references api.categories on delete set null,
  user_id text default public.uid() references auth.users on delete set null,
  organization_id text default public.org_id() references auth.organizations on delete cascade,
  constraint subscriptions_title_length check (char_length(title) between 1 and 255),
  constraint subscriptions_amount_is_number check (amount <> 'NaN'),
  constraint subscriptions_period_known check (period in ('monthly', 'yearly', 'quarterly', 'semi-annually', 'weekly', 'daily')),
  constraint subscriptions_description_length check (char_length(description) <= 5000),
  constraint subscriptions_logo_url_form check (logo_url ~ '^https?://[^[:space:]]+$' and char_length(logo_url) <= 2048),
  constraint subscriptions_interval_in_days_in_range check (interval_in_days between 1 and 3660),
  constraint subscriptions_have_an_owner check (user_id is not null or organization_id is not null)
);
create index subscriptions_personal on api.subscriptions (user_id, organization_id, title);
create index subscriptions_team on api.subscriptions (organization_id, title);
create index subscriptions_category_id on api.subscriptions (category_id) where category_id is not null;
-- see transactions
alter table api.subscriptions
  alter column user_id set (n_distinct = -0.03),
  alter column organization_id set (n_distinct = -0.03);

comment on table api.subscriptions is
$$Subscriptions: recurring expenses

You see your personal ones and, while an organization is active, the organization's. Embed the category with `select=*,category:categories(id,name)`.$$;
comment on column api.subscriptions.id is 'Identifier';
comment on column api.subscriptions.title is 'Title, 1 to 255 characters';
comment on column api.subscriptions.amount is 'Cost per billing period. 2 decimal places, more are rounded half away from zero';
comment on column api.subscriptions.period is '`monthly`, `yearly`, `quarterly`, `semi-annually`, `weekly` or `daily`';
comment on column api.subscriptions.description is 'Up to 5000 characters';
comment on column api.subscriptions.logo_url is 'http or https URL, up to 2048 characters';
comment on column api.subscriptions.interval_in_days is 'Custom interval for a non-standard period, 1 to 3660';
comment on column api.subscriptions.category_id is 'A category of the same context';
comment on column api.subscriptions.user_id is 'Owner. Filled from the JWT; cannot be changed';
comment on column api.subscriptions.organization_id is 'The team it belongs to. Filled from the JWT when an organization is active; send null for a personal subscription; cannot be changed';

alter table api.subscriptions enable row level security;
create policy subscriptions_read on api.subscriptions
  for select to authenticated
  using (
    (organization_id is null and user_id = (select public.uid()))
    or (organization_id = (select public.org_id()) and (select private.can('subscriptions', 'list')))
  );
create policy subscriptions_create on api.subscriptions
  for insert to authenticated
  with check (
    (organization_id is null and user_id = (select public.uid()))
    or (organization_id = (select public.org_id()) and (select private.can('subscriptions', 'create')))
    or private.deny('subscriptions')
  );
create policy subscriptions_update on api.subscriptions
  for update to authenticated
  using (
    (organization_id is null and user_id = (select public.uid()))
    or (organization_id = (select public.org_id()) and (select private.can('subscriptions', 'list')))
  )
  with check (
    (organization_id is null and user_id = (select public.uid()))
    or (organization_id = (select public.org_id()) and (select private.can('subscriptions', 'update')))
    or private.deny('subscriptions')
  );
create policy subscriptions_delete on api.subscriptions
  for delete to authenticated
  using (
    (organization_id is null and user_id = (select public.uid()))
    or (organization_id = (select public.org_id()) and (select private.can('subscriptions', 'list')))
  );

-- anon may ask and has no policy, so it reads nothing; it is not granted anything else.
grant select on api.subscriptions to anon;
grant select, insert, update, delete on api.subscriptions to authenticated;

-- requires functions/owner_pair.sql
-- requires functions/references.sql
create trigger subscriptions_set_owner
  before insert on api.subscriptions
  for each row execute function private.set_owner();
create trigger subscriptions_keep_owner
  before update on api.subscriptions
  for each row
  when (old.id <> new.id or old.user_id is distinct from new.user_id or old.organization_id is distinct from new.organization_id)
  execute function private.keep_owner();
create trigger subscriptions_require_delete
  before delete on api.subscriptions
  for each row
  when (old.organization_id is not null)
  execute function private.require_delete();
create trigger subscriptions_check_category
  after insert or update of category_id on api.subscriptions
  for each row
  when (new.category_id is not null)
  execute function private.check_category();
