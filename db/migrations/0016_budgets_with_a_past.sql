-- Budgets for every month get a first month, and categories keep their former budgets.

-- The column is empty in nearly all rows, and there are few budgets, so the constraints may read them.
-- squawk-ignore-file constraint-missing-not-valid, require-concurrent-index-creation

alter table api.budgets add column starts_on private.day;
-- Filling the column is no change of what a person has written: updated_at stays.
alter table api.budgets disable trigger user;
update api.budgets set starts_on = date_trunc('month', created_at)::date where month is null;
alter table api.budgets enable trigger user;
alter table api.budgets
  add constraint budgets_starts_on_is_first_day check (extract(day from starts_on) = 1),
  add constraint budgets_starts_on_in_range check (starts_on >= '1900-01-01' and starts_on < '2200-01-01'),
  add constraint budgets_starts_on_of_every_month check ((month is null) = (starts_on is not null));

create table api.past_budgets (
  id uuid primary key default gen_random_uuid(),
  category_id uuid not null references api.categories on delete cascade,
  currency text not null default 'usd',
  until private.day not null,
  amount numeric,
  rollover boolean not null default false,
  starts_on private.day,
  user_id text references auth.users on delete set null,
  organization_id text references auth.organizations on delete cascade,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint past_budgets_until_is_first_day check (extract(day from until) = 1),
  constraint past_budgets_until_in_range check (until >= '1900-01-01' and until < '2200-01-01'),
  constraint past_budgets_amount_is_amount check (amount >= 0 and amount <> 'NaN'),
  constraint past_budgets_starts_on_is_first_day check (extract(day from starts_on) = 1),
  constraint past_budgets_starts_on_in_range check (starts_on >= '1900-01-01' and starts_on < '2200-01-01'),
  constraint past_budgets_currency_form check (currency ~ '^[a-z]{3}$'),
  constraint past_budgets_have_an_owner check (user_id is not null or organization_id is not null),
  constraint past_budgets_one_until unique (category_id, currency, until)
);
create index past_budgets_personal on api.past_budgets (user_id, organization_id, until);
create index past_budgets_team on api.past_budgets (organization_id, until);
alter table api.past_budgets alter column user_id set (n_distinct = -1), alter column organization_id set (n_distinct = -1),
  alter column category_id set (n_distinct = -1);
analyze api.past_budgets;
