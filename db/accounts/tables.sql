-- after: identity/tables

create table api.accounts (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  type text not null,
  currency text not null default 'usd',
  balance private.opening_balance not null default 0.00,
  description text,
  institution text,
  account_number text,
  color text,
  icon text,
  user_id text default public.uid() references auth.users on delete set null,
  organization_id text default public.org_id() references auth.organizations on delete cascade,
  tenant text not null default private.left_out(),
  metadata jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  opened_on private.day,
  closed_on private.day,
  closed_until private.day,
  constraint accounts_of_tenant unique (id, tenant),
  constraint accounts_tenant_is_of_owner check (tenant = private.tenant_of(user_id, organization_id)),
  constraint accounts_account_number_is_masked check (account_number ~ '^[0-9]{1,4}$'),
  constraint accounts_balance_is_number check (balance <> 'NaN'),
  constraint accounts_closed_on_in_range check (closed_on >= '1900-01-01' and closed_on < '2200-01-01'),
  constraint accounts_closed_until_in_range check (closed_until >= '1900-01-01' and closed_until < '2200-01-01'),
  constraint accounts_color_is_hex check (color ~ '^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$'),
  constraint accounts_currency_form check (currency ~ '^[a-z]{3}$'),
  constraint accounts_days_in_order check (opened_on <= closed_on),
  constraint accounts_description_length check (char_length(description) <= 5000),
  constraint accounts_have_an_owner check (user_id is not null or organization_id is not null),
  constraint accounts_icon_length check (char_length(icon) <= 100),
  constraint accounts_institution_length check (char_length(institution) <= 255),
  constraint accounts_metadata_depth check (not jsonb_path_exists(metadata, '$.**{17}')),
  constraint accounts_metadata_numbers check (private.plain_numbers(metadata)),
  constraint accounts_metadata_size check (octet_length(metadata::text) <= 16384),
  constraint accounts_name_length check (char_length(name) between 1 and 255),
  constraint accounts_opened_on_in_range check (opened_on >= '1900-01-01' and opened_on < '2200-01-01'),
  constraint accounts_type_known check (
    type in ('checking', 'savings', 'credit_card', 'cash', 'investment', 'loan', 'asset')
  )
);
create index accounts_tenant on api.accounts (tenant, name);
create index accounts_user on api.accounts (user_id) where user_id is not null;
create index accounts_organization on api.accounts (organization_id) where organization_id is not null;
alter table api.accounts
  alter column tenant set (n_distinct = -0.5);

create table api.balances (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null,
  on_date private.day not null,
  balance private.amount not null,
  source text not null default 'manual',
  user_id text default public.uid() references auth.users on delete set null,
  organization_id text default public.org_id() references auth.organizations on delete cascade,
  tenant text not null default private.left_out(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint balances_account_id_fkey foreign key (tenant, account_id)
    references api.accounts (tenant, id) on delete cascade,
  constraint balances_tenant_is_of_owner check (tenant = private.tenant_of(user_id, organization_id)),
  constraint balances_one_a_day unique (account_id, on_date),
  constraint balances_balance_is_number check (balance <> 'NaN'),
  constraint balances_have_an_owner check (user_id is not null or organization_id is not null),
  constraint balances_on_date_in_range check (on_date >= '1900-01-01' and on_date < '2200-01-01'),
  constraint balances_source_known check (source in ('statement', 'manual'))
);
create index balances_tenant on api.balances (tenant, on_date desc);
create index balances_user on api.balances (user_id) where user_id is not null;
create index balances_organization on api.balances (organization_id) where organization_id is not null;
alter table api.balances
  alter column account_id set (n_distinct = -1),
  alter column tenant set (n_distinct = -1);

create table api.closings (
  id uuid primary key default gen_random_uuid(),
  closed_until private.day not null,
  user_id text default public.uid() references auth.users on delete set null,
  organization_id text default public.org_id() references auth.organizations on delete cascade,
  tenant text not null default private.left_out(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint closings_tenant_is_of_owner check (tenant = private.tenant_of(user_id, organization_id)),
  constraint closings_closed_until_in_range check (closed_until >= '1900-01-01' and closed_until < '2200-01-01'),
  constraint closings_have_an_owner check (user_id is not null or organization_id is not null)
);
create index closings_tenant on api.closings (tenant, closed_until desc);
create index closings_user on api.closings (user_id) where user_id is not null;
create index closings_organization on api.closings (organization_id) where organization_id is not null;
alter table api.closings
  alter column tenant set (n_distinct = -1);
