-- after: identity/tables

create table api.categories (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  color text,
  icon text,
  monthly_budget private.amount,
  user_id text default public.uid() references auth.users on delete set null,
  organization_id text default public.org_id() references auth.organizations on delete cascade,
  tenant text not null default private.left_out(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  budget_currency text not null default 'usd',
  kind text not null default private.left_out(),
  parent_id uuid,
  constraint categories_of_tenant unique (id, tenant),
  constraint categories_parent_id_fkey foreign key (tenant, parent_id)
    references api.categories (tenant, id) on delete set null (parent_id),
  constraint categories_tenant_is_of_owner check (tenant = private.tenant_of(user_id, organization_id)),
  constraint categories_budget_currency_form check (budget_currency ~ '^[a-z]{3}$'),
  constraint categories_color_is_hex check (color ~ '^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$'),
  constraint categories_have_an_owner check (user_id is not null or organization_id is not null),
  constraint categories_icon_length check (char_length(icon) <= 100),
  constraint categories_kind_known check (kind in ('expense', 'income')),
  constraint categories_monthly_budget_is_amount check (monthly_budget >= 0 and monthly_budget <> 'NaN'),
  constraint categories_name_length check (char_length(name) between 1 and 255),
  constraint categories_parent_is_another check (parent_id <> id)
);
create index categories_tenant on api.categories (tenant, name);
create index categories_user on api.categories (user_id) where user_id is not null;
create index categories_organization on api.categories (organization_id) where organization_id is not null;
create index categories_parent on api.categories (parent_id) where parent_id is not null;
alter table api.categories
  alter column tenant set (n_distinct = -0.5);
