-- What makes the tables work together: transactions belong to accounts, are halves of transfers, come from imports; budgets,
-- exchange rates and imports have tables; a recurring cost has a currency, a beginning and an end.

-- A migration is one transaction, in which no index can be built or dropped concurrently. A million transactions take some
-- ten seconds, in which nobody writes. The new columns are null in every stored row, so no foreign key has a row to look up.
-- The day of the migration is one value, so adding starts_on rewrites no row.
-- squawk-ignore-file require-concurrent-index-creation, require-concurrent-index-deletion, adding-foreign-key-constraint, constraint-missing-not-valid, adding-field-with-default

-- Files of banks, each of which can be taken back as one.

create table api.imports (
  id uuid primary key default gen_random_uuid(),
  source text not null,
  account_id uuid references api.accounts on delete set null,
  file_name text,
  row_count bigint not null,
  user_id text references auth.users on delete set null,
  organization_id text references auth.organizations on delete cascade,
  created_at timestamptz not null default now(),
  constraint imports_source_length check (char_length(source) between 1 and 64),
  constraint imports_file_name_length check (char_length(file_name) between 1 and 255),
  constraint imports_row_count_in_range check (row_count between 1 and 5000),
  constraint imports_have_an_owner check (user_id is not null or organization_id is not null)
);
create index imports_personal on api.imports (user_id, organization_id, created_at desc);
create index imports_team on api.imports (organization_id, created_at desc);
create index imports_account on api.imports (account_id) where account_id is not null;

-- What may be spent on a category: in one month, or in every month that has no row of its own.

create table api.budgets (
  id uuid primary key default gen_random_uuid(),
  category_id uuid not null references api.categories on delete cascade,
  month date,
  amount numeric(14,2) not null,
  currency text not null default 'usd',
  rollover boolean not null default false,
  user_id text references auth.users on delete set null,
  organization_id text references auth.organizations on delete cascade,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint budgets_month_is_first_day check (extract(day from month) = 1),
  constraint budgets_month_in_range check (month >= '1900-01-01' and month < '2200-01-01'),
  constraint budgets_amount_is_amount check (amount >= 0 and amount <> 'NaN'),
  constraint budgets_currency_form check (currency ~ '^[a-z]{3}$'),
  constraint budgets_have_an_owner check (user_id is not null or organization_id is not null),
  -- A category is of one tenant, so its budgets are. A trigger refuses a stranger's category before this is asked.
  constraint budgets_one_a_month unique nulls not distinct (category_id, currency, month)
);
create index budgets_personal on api.budgets (user_id, organization_id, month);
create index budgets_team on api.budgets (organization_id, month);

-- What one unit of a currency was worth in another on a day, as a person or a team has it.

create table api.exchange_rates (
  id uuid primary key default gen_random_uuid(),
  on_date date not null,
  base text not null,
  quote text not null,
  rate numeric(24,12) not null,
  user_id text references auth.users on delete set null,
  organization_id text references auth.organizations on delete cascade,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint exchange_rates_on_date_in_range check (on_date >= '1900-01-01' and on_date < '2200-01-01'),
  constraint exchange_rates_base_form check (base ~ '^[a-z]{3}$'),
  constraint exchange_rates_quote_form check (quote ~ '^[a-z]{3}$'),
  constraint exchange_rates_are_of_two_currencies check (base <> quote),
  constraint exchange_rates_rate_is_positive check (rate > 0 and rate <> 'NaN'),
  constraint exchange_rates_have_an_owner check (user_id is not null or organization_id is not null)
);
-- Of all rows and not of a part: the planner would scan the whole of a part that it takes for empty, and the foreign key to users
-- asks for neither part.
create unique index exchange_rates_personal on api.exchange_rates (user_id, organization_id, base, quote, on_date desc) nulls not distinct;
create unique index exchange_rates_team on api.exchange_rates (organization_id, base, quote, on_date desc);

-- Currencies and how many decimals their amounts have. The rows are in db/rules/currencies.sql.

create table private.currencies (
  code text primary key check (code ~ '^[a-z]{3}$'),
  decimals bigint not null check (decimals between 0 and 4)
);

-- Transactions of which the line items are added up when the database transaction ends; outside of one it is empty.

create table private.line_item_checks (
  id bigint generated always as identity primary key,
  transaction_ids uuid[] not null
);

alter table api.transactions
  add column account_id uuid references api.accounts on delete set null,
  add column transfer_id uuid,
  add column import_id uuid references api.imports on delete set null;
-- a report reads the index of a context alone, and leaves transfers out
drop index api.transactions_personal_dates, api.transactions_team_dates;
create index transactions_personal_dates on api.transactions (user_id, transaction_date desc)
  include (amount, currency, status, category_id, organization_id, transfer_id) where organization_id is null;
create index transactions_team_dates on api.transactions (organization_id, transaction_date desc)
  include (amount, currency, status, category_id, user_id, transfer_id) where organization_id is not null;
-- Of two indexes that cost the same the planner takes the younger, and for it each row has a tenant, a category and an account
-- of its own. So those by which fewer rows are read come after those of the context.
drop index api.transactions_category_dates;
create index transactions_category_dates on api.transactions (category_id, transaction_date desc) where category_id is not null;
create index transactions_account on api.transactions (account_id, transaction_date desc)
  include (amount, status, user_id, organization_id) where account_id is not null;
create index transactions_transfer on api.transactions (transfer_id) where transfer_id is not null;
create index transactions_import on api.transactions (import_id) where import_id is not null;
-- which occurrence of a recurring cost is recorded
create index transactions_subscription on api.transactions (external_id) where source = 'subscription';

-- a report by category asks which line items of a context are filed under one of their own
create index line_items_personal_filed on api.line_items (user_id, transaction_id)
  include (category_id, amount) where organization_id is null and category_id is not null;
create index line_items_team_filed on api.line_items (organization_id, transaction_id)
  include (category_id, amount) where organization_id is not null and category_id is not null;

alter table api.subscriptions
  add column currency text not null default 'usd',
  add column starts_on date not null default current_date,
  add column ends_on date,
  add column account_id uuid references api.accounts on delete set null,
  add column is_active boolean not null default true,
  add constraint subscriptions_currency_form check (currency ~ '^[a-z]{3}$'),
  add constraint subscriptions_starts_on_in_range check (starts_on >= '1900-01-01' and starts_on < '2200-01-01'),
  add constraint subscriptions_ends_on_in_range check (ends_on >= '1900-01-01' and ends_on < '2200-01-01'),
  add constraint subscriptions_days_in_order check (starts_on <= ends_on);
create index subscriptions_account on api.subscriptions (account_id) where account_id is not null;

alter table api.categories
  add column budget_currency text not null default 'usd',
  add constraint categories_budget_currency_form check (budget_currency ~ '^[a-z]{3}$');

-- see 0004; and an account, a transfer, an import or a category that is named is the cheaper way yet
do $$
declare
  owned text;
begin
  foreach owned in array array['imports', 'budgets', 'exchange_rates'] loop
    execute format('alter table api.%I alter column user_id set (n_distinct = -1), alter column organization_id set (n_distinct = -1)', owned);
  end loop;
end
$$;
alter table api.transactions
  alter column account_id set (n_distinct = -1), alter column transfer_id set (n_distinct = -1), alter column import_id set (n_distinct = -1);
alter table api.budgets alter column category_id set (n_distinct = -1);
analyze api.transactions, api.subscriptions, api.categories, api.imports, api.budgets, api.exchange_rates;
