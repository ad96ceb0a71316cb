-- Balances of accounts as a bank or a user has stated them.

-- The tables are new.
-- squawk-ignore-file require-concurrent-index-creation

create table api.balances (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references api.accounts on delete cascade,
  on_date private.day not null,
  balance numeric not null,
  source text not null default 'manual',
  user_id text references auth.users on delete set null,
  organization_id text references auth.organizations on delete cascade,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint balances_on_date_in_range check (on_date >= '1900-01-01' and on_date < '2200-01-01'),
  constraint balances_balance_is_number check (balance <> 'NaN'),
  constraint balances_source_known check (source in ('statement', 'manual')),
  constraint balances_have_an_owner check (user_id is not null or organization_id is not null),
  constraint balances_one_a_day unique (account_id, on_date)
);
create index balances_personal on api.balances (user_id, organization_id, on_date desc);
create index balances_team on api.balances (organization_id, on_date desc);
alter table api.balances alter column user_id set (n_distinct = -1), alter column organization_id set (n_distinct = -1),
  alter column account_id set (n_distinct = -1);
analyze api.balances;
