-- after: accounts/tables, categories/tables

create table api.subscriptions (
  id uuid primary key default gen_random_uuid(),
  title text not null,
  amount private.amount not null,
  period text not null,
  description text,
  logo_url text,
  interval_in_days bigint,
  category_id uuid,
  user_id text default public.uid() references auth.users on delete set null,
  organization_id text default public.org_id() references auth.organizations on delete cascade,
  tenant text not null default private.left_out(),
  currency text not null default 'usd',
  starts_on private.first_day not null default current_date,
  ends_on private.day,
  account_id uuid,
  is_active boolean not null default true,
  kind text not null default private.left_out(),
  -- Without a foreign key: PostgREST would no longer know which of two accounts an embedded `accounts` is. Triggers
  -- replace it.
  to_account_id uuid,
  constraint subscriptions_of_tenant unique (id, tenant),
  constraint subscriptions_category_id_fkey foreign key (tenant, category_id)
    references api.categories (tenant, id) on delete set null (category_id),
  constraint subscriptions_account_id_fkey foreign key (tenant, account_id)
    references api.accounts (tenant, id) on delete set null (account_id),
  constraint subscriptions_tenant_is_of_owner check (tenant = private.tenant_of(user_id, organization_id)),
  constraint subscriptions_accounts_fit_kind check (
    case
      when kind = 'transfer'
        then account_id <> to_account_id is not false
          and (not is_active or account_id is not null and to_account_id is not null)
      else to_account_id is null end),
  constraint subscriptions_amount_fits_kind check (amount >= 0 and (kind <> 'transfer' or amount > 0)),
  constraint subscriptions_amount_is_number check (amount <> 'NaN'),
  constraint subscriptions_currency_form check (currency ~ '^[a-z]{3}$'),
  constraint subscriptions_days_in_order check (starts_on <= ends_on),
  constraint subscriptions_description_length check (char_length(description) <= 5000),
  constraint subscriptions_ends_on_in_range check (ends_on >= '1900-01-01' and ends_on < '2200-01-01'),
  constraint subscriptions_have_an_owner check (user_id is not null or organization_id is not null),
  constraint subscriptions_interval_in_days_in_range check (interval_in_days between 1 and 3660),
  constraint subscriptions_kind_known check (kind in ('expense', 'income', 'transfer')),
  constraint subscriptions_logo_url_form check (
    logo_url ~ '^https?://[^[:space:]]+$' and char_length(logo_url) <= 2048
  ),
  constraint subscriptions_period_known check (
    period in ('monthly', 'yearly', 'quarterly', 'semi-annually', 'weekly', 'daily')
  ),
  constraint subscriptions_starts_on_in_range check (starts_on >= '1900-01-01' and starts_on < '2200-01-01'),
  constraint subscriptions_title_length check (char_length(title) between 1 and 255)
);
create index subscriptions_tenant on api.subscriptions (tenant, title);
create index subscriptions_user on api.subscriptions (user_id) where user_id is not null;
create index subscriptions_organization on api.subscriptions (organization_id) where organization_id is not null;
create index subscriptions_category_id on api.subscriptions (category_id) where category_id is not null;
create index subscriptions_account on api.subscriptions (account_id) where account_id is not null;
create index subscriptions_to_account on api.subscriptions (to_account_id) where to_account_id is not null;
alter table api.subscriptions
  alter column tenant set (n_distinct = -0.5);
