-- What transactions, line items and subscriptions are filed under. The interface names only the reference to them.

create table api.categories (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  color text,
  icon text,
  monthly_budget numeric(14,2),
  user_id text default public.uid() references auth.users on delete set null,
  organization_id text default public.org_id() references auth.organizations on delete cascade,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint categories_name_length check (char_length(name) between 1 and 255),
  constraint categories_color_is_hex check (color ~ '^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$'),
  constraint categories_icon_length check (char_length(icon) <= 100),
  constraint categories_monthly_budget_is_amount check (monthly_budget >= 0 and monthly_budget <> 'NaN'),
  constraint categories_have_an_owner check (user_id is not null or organization_id is not null)
);
create index categories_personal on api.categories (user_id, organization_id, name);
create index categories_team on api.categories (organization_id, name);
-- for the planner a tenant is some thirty rows, however large the table: see transactions
alter table api.categories
  alter column user_id set (n_distinct = -0.03),
  alter column organization_id set (n_distinct = -0.03);

comment on table api.categories is
$$Categories of transactions and subscriptions

A category is used within its own context: a team row takes the team's categories, a personal row your own. Deleting one here leaves its transactions and subscriptions without a category; `/rpc/delete_category` can move them to another one first.$$;
comment on column api.categories.id is 'Identifier';
comment on column api.categories.name is 'Name, 1 to 255 characters';
comment on column api.categories.color is 'Hex code: `#rgb`, `#rrggbb` or `#rrggbbaa`';
comment on column api.categories.icon is 'Icon identifier, up to 100 characters';
comment on column api.categories.monthly_budget is 'What may be spent in a month; 0 or more, 2 decimal places. `/rpc/get_budget_comparison` compares it with what was spent';
comment on column api.categories.user_id is 'Who created it. Filled from the JWT; cannot be changed';
comment on column api.categories.organization_id is 'The team it belongs to. Filled from the JWT when an organization is active; send null for a personal category; cannot be changed';
comment on column api.categories.created_at is 'Set by the service';
comment on column api.categories.updated_at is 'Set by the service at each change';

alter table api.categories enable row level security;
create policy categories_read on api.categories
  for select to authenticated
  using (
    (organization_id is null and user_id = (select public.uid()))
    or (organization_id = (select public.org_id()) and (select private.can('categories', 'list')))
  );
create policy categories_create on api.categories
  for insert to authenticated
  with check (
    (organization_id is null and user_id = (select public.uid()))
    or (organization_id = (select public.org_id()) and (select private.can('categories', 'create')))
    or private.deny('categories')
  );
create policy categories_update on api.categories
  for update to authenticated
  using (
    (organization_id is null and user_id = (select public.uid()))
    or (organization_id = (select public.org_id()) and (select private.can('categories', 'list')))
  )
  with check (
    (organization_id is null and user_id = (select public.uid()))
    or (organization_id = (select public.org_id()) and (select private.can('categories', 'update')))
    or private.deny('categories')
  );
create policy categories_delete on api.categories
  for delete to authenticated
  using (
    (organization_id is null and user_id = (select public.uid()))
    or (organization_id = (select public.org_id()) and (select private.can('categories', 'list')))
  );

-- anon may ask and has no policy, so it reads nothing; it is not granted anything else.
grant select on api.categories to anon;
grant select, insert, update, delete on api.categories to authenticated;

-- requires functions/row_triggers.sql
-- requires functions/owner_pair.sql
create trigger categories_set_owner
  before insert on api.categories
  for each row execute function private.set_owner();
create trigger categories_keep_owner
  before update on api.categories
  for each row
  when (old.id <> new.id or old.user_id is distinct from new.user_id or old.organization_id is distinct from new.organization_id)
  execute function private.keep_owner();
create trigger categories_require_delete
  before delete on api.categories
  for each row
  when (old.organization_id is not null)
  execute function private.require_delete();
create trigger categories_set_timestamps
  before insert or update on api.categories
  for each row execute function private.set_timestamps();
