-- after: identity/tables

create table api.exchange_rates (
  id uuid primary key default gen_random_uuid(),
  on_date private.day not null,
  base text not null,
  quote text not null,
  rate private.rate not null,
  user_id text default public.uid() references auth.users on delete set null,
  organization_id text default public.org_id() references auth.organizations on delete cascade,
  tenant text not null default private.left_out(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint exchange_rates_tenant_is_of_owner check (tenant = private.tenant_of(user_id, organization_id)),
  constraint exchange_rates_are_of_two_currencies check (base <> quote),
  constraint exchange_rates_base_form check (base ~ '^[a-z]{3}$'),
  constraint exchange_rates_have_an_owner check (user_id is not null or organization_id is not null),
  constraint exchange_rates_on_date_in_range check (on_date >= '1900-01-01' and on_date < '2200-01-01'),
  constraint exchange_rates_quote_form check (quote ~ '^[a-z]{3}$'),
  constraint exchange_rates_rate_is_positive check (rate > 0 and rate <> 'NaN')
);
create index exchange_rates_tenant on api.exchange_rates (tenant, base, quote, on_date desc);
-- Clients name these keys in on_conflict.
create unique index exchange_rates_personal on api.exchange_rates (user_id, organization_id, base, quote, on_date desc)
  nulls not distinct;
create unique index exchange_rates_team on api.exchange_rates (organization_id, base, quote, on_date desc);
alter table api.exchange_rates
  alter column tenant set (n_distinct = -1);

create table private.instance_rates (
  currency text not null,
  on_date date not null,
  rate numeric(24,12) not null,
  constraint instance_rates_pkey primary key (currency, on_date),
  constraint instance_rates_rate_is_positive check (rate > 0 and rate <> 'NaN')
);
