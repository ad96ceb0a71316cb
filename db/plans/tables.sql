-- after: identity/tables

create table private.products (
  id text primary key,
  rank bigint not null,
  name text not null,
  constraint products_rank_unique unique (rank)
);

insert into private.products (id, rank, name) values
  ('personal', 10, 'Personal'),
  ('teams', 20, 'Teams'),
  ('business', 30, 'Business');

create table api.app_subscriptions (
  id uuid primary key default gen_random_uuid(),
  user_id text not null references auth.users on delete cascade,
  product_id text not null references private.products,
  status text not null default 'sub_active',
  period_start timestamptz not null default now(),
  period_end timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint app_subscriptions_period_in_order check (period_start <= period_end),
  constraint app_subscriptions_status_form check (status ~ '^sub_[a-z_]{1,32}$')
);
create index app_subscriptions_user_id on api.app_subscriptions (user_id, period_end);
create index app_subscriptions_product_id on api.app_subscriptions (product_id);
