-- after: categories/tables

create table api.budgets (
  id uuid primary key default gen_random_uuid(),
  category_id uuid not null,
  month private.day,
  amount private.amount not null,
  currency text not null default 'usd',
  rollover boolean not null default false,
  user_id text default public.uid() references auth.users on delete set null,
  organization_id text default public.org_id() references auth.organizations on delete cascade,
  tenant text not null default private.left_out(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  starts_on private.day,
  constraint budgets_category_id_fkey foreign key (tenant, category_id)
    references api.categories (tenant, id) on delete cascade,
  constraint budgets_tenant_is_of_owner check (tenant = private.tenant_of(user_id, organization_id)),
  -- A category has one tenant, so this key needs none.
  constraint budgets_one_a_month unique nulls not distinct (category_id, currency, month),
  constraint budgets_amount_is_amount check (amount >= 0 and amount <> 'NaN'),
  constraint budgets_currency_form check (currency ~ '^[a-z]{3}$'),
  constraint budgets_have_an_owner check (user_id is not null or organization_id is not null),
  constraint budgets_month_in_range check (month >= '1900-01-01' and month < '2200-01-01'),
  constraint budgets_month_is_first_day check (extract(day from month) = 1),
  constraint budgets_starts_on_in_range check (starts_on >= '1900-01-01' and starts_on < '2200-01-01'),
  constraint budgets_starts_on_is_first_day check (extract(day from starts_on) = 1),
  constraint budgets_starts_on_of_every_month check ((month is null) = (starts_on is not null))
);
create index budgets_tenant on api.budgets (tenant, month);
create index budgets_user on api.budgets (user_id) where user_id is not null;
create index budgets_organization on api.budgets (organization_id) where organization_id is not null;
alter table api.budgets
  alter column category_id set (n_distinct = -1),
  alter column tenant set (n_distinct = -1);

create table api.past_budgets (
  id uuid primary key default gen_random_uuid(),
  category_id uuid not null,
  currency text not null default 'usd',
  until private.day not null,
  amount private.amount,
  rollover boolean not null default false,
  starts_on private.day,
  user_id text default public.uid() references auth.users on delete set null,
  organization_id text default public.org_id() references auth.organizations on delete cascade,
  tenant text not null default private.left_out(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint past_budgets_category_id_fkey foreign key (tenant, category_id)
    references api.categories (tenant, id) on delete cascade,
  constraint past_budgets_tenant_is_of_owner check (tenant = private.tenant_of(user_id, organization_id)),
  constraint past_budgets_one_until unique (category_id, currency, until),
  constraint past_budgets_amount_is_amount check (amount >= 0 and amount <> 'NaN'),
  constraint past_budgets_currency_form check (currency ~ '^[a-z]{3}$'),
  constraint past_budgets_have_an_owner check (user_id is not null or organization_id is not null),
  constraint past_budgets_starts_on_in_range check (starts_on >= '1900-01-01' and starts_on < '2200-01-01'),
  constraint past_budgets_starts_on_is_first_day check (extract(day from starts_on) = 1),
  constraint past_budgets_until_in_range check (until >= '1900-01-01' and until < '2200-01-01'),
  constraint past_budgets_until_is_first_day check (extract(day from until) = 1)
);
create index past_budgets_tenant on api.past_budgets (tenant, until);
create index past_budgets_user on api.past_budgets (user_id) where user_id is not null;
create index past_budgets_organization on api.past_budgets (organization_id) where organization_id is not null;
alter table api.past_budgets
  alter column category_id set (n_distinct = -1),
  alter column tenant set (n_distinct = -1);
