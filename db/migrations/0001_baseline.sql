-- The first migration: tables, indexes, constraints, roles and schemas as they were before the first release. From then on
-- this folder is history: a file that has been applied is never edited. What may change in place, and so is not here:
-- functions (db/functions), and row rules, grants, comments, triggers and defaults that call a function (db/rules).

-- Who may connect, where things live, and what nobody gets by default. Roles belong to the whole server, not to this database, so each may already exist. Passwords are not set here: a
-- migration runs once and passwords change; db/migrate.ts sets them on every run.

do $roles$
declare
  wanted text;
begin
  foreach wanted in array array['anon', 'authenticated', 'authenticator', 'auth_service'] loop
    begin
      execute format('create role %I nologin noinherit', wanted);
    exception
      -- another database of this server, perhaps at this very moment, has created it
      when duplicate_object or unique_violation then null;
    end;
  end loop;
end
$roles$;
comment on role anon is 'A data request without a token.';
comment on role authenticated is 'A data request with a valid token.';
comment on role authenticator is 'PostgREST''s login. Holds no right of its own; becomes anon or authenticated for each request.';
comment on role auth_service is 'The auth service''s login. Reaches schema auth, its mail queue, and what it must read of a user''s plan.';

grant anon, authenticated to authenticator;

-- A function is executable by everyone unless this says otherwise. Only the global form works: the per-schema form can
-- add to the default but never take from it.
alter default privileges revoke execute on functions from public;
revoke create on schema public from public;

create schema api;
create schema auth;
create schema if not exists private;
-- graphile-worker keeps its own tables and migrates them itself, as the service that runs it.
grant auth_service to current_user;
-- private.postgrest_processes() must see what the login's sessions wait for, which only a member of its role may.
grant authenticator to current_user;
create schema graphile_worker authorization auth_service;

-- What both surfaces must agree on and neither can know alone.
create table private.settings (
  singleton boolean primary key default true check (singleton),
  public_url text not null,
  key_rotation_requested_at timestamptz
);

-- People. Ids are text because the engine makes them; nothing may depend on their form.

create table auth.users (
  id text primary key,
  name text not null,
  email text not null,
  email_verified boolean not null default false,
  image text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint users_email_unique unique (email),
  constraint users_email_lower_case check (email = lower(email))
);

-- How a person proves who they are. E-mail and password make one row with provider_id 'credential'.

create table auth.accounts (
  id text primary key,
  account_id text not null,
  provider_id text not null,
  user_id text not null references auth.users on delete cascade,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  password text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint accounts_provider_account_unique unique (provider_id, account_id),
  constraint accounts_password_is_hashed check (password ~ '^[0-9a-f]{32}:[0-9a-f]{128}$')
);
create index accounts_user_id on auth.accounts (user_id);

-- Teams.

create table auth.organizations (
  id text primary key,
  name text not null,
  slug text not null,
  logo text,
  metadata text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint organizations_slug_unique unique (slug)
);

-- Who belongs to which organization, as what.

create table auth.members (
  id text primary key,
  organization_id text not null references auth.organizations on delete cascade,
  user_id text not null references auth.users on delete cascade,
  role text not null,
  created_at timestamptz not null default now(),
  constraint members_organization_user_unique unique (organization_id, user_id),
  constraint members_role_known check (role in ('owner', 'admin', 'editor', 'viewer'))
);
create index members_user_id on auth.members (user_id);
create unique index members_one_owner on auth.members (organization_id) where role = 'owner';

-- Signed-in browsers and programs. A token of the data surface lives no longer than its row here.

create table auth.sessions (
  id text primary key,
  token text not null,
  user_id text not null references auth.users on delete cascade,
  active_organization_id text,
  ip_address text,
  user_agent text,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint sessions_token_unique unique (token),
  -- The active organization is one the user belongs to; when that ends, the session falls back to the personal context.
  constraint sessions_active_organization_is_ours foreign key (active_organization_id, user_id)
    references auth.members (organization_id, user_id) on delete set null (active_organization_id)
);
create index sessions_user_id on auth.sessions (user_id);
create index sessions_active_organization on auth.sessions (active_organization_id, user_id);
create index sessions_expires_at on auth.sessions (expires_at);

-- One-time values with an end, such as password resets. The identifier is stored hashed.

create table auth.verifications (
  id text primary key,
  identifier text not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index verifications_identifier on auth.verifications (identifier);
create index verifications_expires_at on auth.verifications (expires_at);

-- Invitations into an organization, each for one address and one use.

create table auth.invitations (
  id text primary key,
  organization_id text not null references auth.organizations on delete cascade,
  email text not null,
  role text not null,
  status text not null default 'pending',
  inviter_id text not null references auth.users on delete cascade,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  constraint invitations_email_lower_case check (email = lower(email)),
  constraint invitations_role_known check (role in ('admin', 'editor', 'viewer')),
  constraint invitations_status_known check (status in ('pending', 'accepted', 'rejected', 'canceled'))
);
create index invitations_organization_id on auth.invitations (organization_id);
create index invitations_inviter_id on auth.invitations (inviter_id);
create index invitations_email on auth.invitations (email);
create unique index invitations_one_pending on auth.invitations (organization_id, email) where status = 'pending';

-- Signing keys. The private half is encrypted under the service's secret; the public half goes to PostgREST.

create table auth.jwks (
  id text primary key,
  public_key text not null,
  private_key text not null,
  alg text not null default 'RS256',
  crv text,
  created_at timestamptz not null default now(),
  signs_from timestamptz,
  expires_at timestamptz,
  constraint jwks_alg_is_rs256 check (alg = 'RS256'),
  -- A JWK's private members are d, p, q, dp, dq, qi. Encrypted text is a JSON string, never an object.
  constraint jwks_private_key_is_encrypted check (private_key !~ '"d"\s*:'),
  constraint jwks_public_key_is_public check (public_key::jsonb ? 'n' and not public_key::jsonb ? 'd')
);
-- A key is published, then signs, then verifies what it signed until that has ended, then goes. At most one is in each
-- of the first two states.
create unique index jwks_one_pending on auth.jwks ((true)) where signs_from is null;
create unique index jwks_one_signing on auth.jwks ((true)) where signs_from is not null and expires_at is null;

-- Fixed-window counters: one row a key, shared by every process. Unlogged: a counter is worth no disk flush a request,
-- and survives every restart but a crash of the database itself, which empties it.

create unlogged table auth.rate_limits (
  key text primary key,
  window_started_at timestamptz not null,
  window_seconds bigint not null,
  count bigint not null
) with (fillfactor = 50);
create index rate_limits_window_started_at on auth.rate_limits (window_started_at);

-- What can be subscribed to, ranked: "Teams or higher" asks the rank.

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

-- The paid subscriptions of the application itself.

create table api.app_subscriptions (
  id uuid primary key default gen_random_uuid(),
  user_id text not null references auth.users on delete cascade,
  product_id text not null references private.products,
  status text not null default 'sub_active',
  period_start timestamptz not null default now(),
  period_end timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint app_subscriptions_status_form check (status ~ '^sub_[a-z_]{1,32}$'),
  constraint app_subscriptions_period_in_order check (period_start <= period_end)
);
create index app_subscriptions_user_id on api.app_subscriptions (user_id, period_end);
create index app_subscriptions_product_id on api.app_subscriptions (product_id);

-- Who may do what in an organization. Its rows are in db/rules/role_permissions.sql.

create table private.role_permissions (
  role text not null check (role in ('owner', 'admin', 'editor', 'viewer')),
  -- the table's name
  resource text not null,
  -- list_private: also sees the organization's dashboards of visibility private
  action text not null check (action in ('list', 'get', 'create', 'update', 'delete', 'list_private')),
  primary key (role, resource, action)
);

-- `Accept: application/vnd.rest.object+json`: one object instead of an array. PostgREST finds a handler for a media type
-- as an aggregate of an exposed schema that returns a domain of that name; it is no table and no function, so it is
-- neither in the description nor under /rpc. PostgREST's own application/vnd.pgrst.object+json works beside it.

create domain private."application/vnd.rest.object+json" as json;
-- what the aggregate keeps: how many rows, and the first of them
create type private.one_row as (seen bigint, first json);

-- What transactions, line items and subscriptions are filed under. The interface names only the reference to them.

create table api.categories (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  color text,
  icon text,
  monthly_budget numeric(14,2),
  user_id text references auth.users on delete set null,
  organization_id text references auth.organizations on delete cascade,
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

-- Money that moved, or will.

create table api.transactions (
  id uuid primary key default gen_random_uuid(),
  amount numeric(14,2) not null,
  name text not null,
  currency text not null default 'usd',
  user_id text references auth.users on delete set null,
  organization_id text references auth.organizations on delete cascade,
  external_id text,
  category_id uuid references api.categories on delete set null,
  reference_no text,
  description text,
  status text not null default 'paid',
  source text not null default 'manual',
  metadata jsonb,
  transaction_date timestamptz not null default now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint transactions_amount_is_number check (amount <> 'NaN'),
  constraint transactions_name_length check (char_length(name) between 1 and 255),
  constraint transactions_currency_form check (currency ~ '^[a-z]{3}$'),
  constraint transactions_external_id_length check (char_length(external_id) between 1 and 255),
  constraint transactions_reference_no_length check (char_length(reference_no) <= 255),
  constraint transactions_description_length check (char_length(description) <= 5000),
  constraint transactions_status_known check (status in ('paid', 'pending', 'failed')),
  constraint transactions_source_length check (char_length(source) between 1 and 64),
  constraint transactions_metadata_size check (octet_length(metadata::text) <= 16384),
  constraint transactions_metadata_depth check (not jsonb_path_exists(metadata, '$.**{17}')),
  constraint transactions_date_in_range check (transaction_date >= '1900-01-01 00:00:00+00' and transaction_date < '2200-01-01 00:00:00+00'),
  -- a user who leaves takes the personal rows along and leaves the team's
  constraint transactions_have_an_owner check (user_id is not null or organization_id is not null)
);
-- Each begins with a tenant. An index that began with the date would tempt the planner to walk everybody's rows in the
-- hope of meeting fifty visible ones soon.
create index transactions_personal on api.transactions (user_id, organization_id, transaction_date desc);
create index transactions_team on api.transactions (organization_id, transaction_date desc);
create index transactions_category_id on api.transactions (category_id) where category_id is not null;
create unique index transactions_personal_import on api.transactions (user_id, source, external_id)
  where organization_id is null and external_id is not null;
create unique index transactions_team_import on api.transactions (organization_id, source, external_id)
  where organization_id is not null and external_id is not null;
-- For the planner a tenant is some thirty rows, however large the table. It cannot know who asks; from the average it
-- would conclude that fifty visible rows are met soon anywhere, and for a caller with forty-nine it would read everybody's.
alter table api.transactions
  alter column user_id set (n_distinct = -0.03),
  alter column organization_id set (n_distinct = -0.03);

-- Free labels. The interface names only that transactions have them.

create table api.tags (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  user_id text references auth.users on delete set null,
  organization_id text references auth.organizations on delete cascade,
  created_at timestamptz not null default now(),
  constraint tags_name_length check (char_length(name) between 1 and 100),
  constraint tags_have_an_owner check (user_id is not null or organization_id is not null)
);
create index tags_personal on api.tags (user_id, organization_id, name);
create index tags_team on api.tags (organization_id, name);
-- see transactions
alter table api.tags
  alter column user_id set (n_distinct = -0.03),
  alter column organization_id set (n_distinct = -0.03);

-- The parts a transaction is made of. Whose they are is their transaction's matter, so there is no owner pair here.

create table api.line_items (
  id uuid primary key default gen_random_uuid(),
  transaction_id uuid not null references api.transactions on delete cascade,
  name text not null,
  amount numeric(14,2) not null,
  quantity numeric(14,3) not null default 1,
  category_id uuid references api.categories on delete set null,
  constraint line_items_name_length check (char_length(name) between 1 and 255),
  constraint line_items_amount_is_number check (amount <> 'NaN'),
  constraint line_items_quantity_is_number check (quantity <> 'NaN')
);
create index line_items_transaction_id on api.line_items (transaction_id);
create index line_items_category_id on api.line_items (category_id) where category_id is not null;

-- Which transaction has which tag. The pair is the key, which is also how PostgREST knows to embed across it.

create table api.transaction_tags (
  transaction_id uuid not null references api.transactions on delete cascade,
  tag_id uuid not null references api.tags on delete cascade,
  primary key (transaction_id, tag_id)
);
create index transaction_tags_tag_id on api.transaction_tags (tag_id);

-- Recurring expenses. Not the application's own plans: those are app_subscriptions.

create table api.subscriptions (
  id uuid primary key default gen_random_uuid(),
  title text not null,
  amount numeric(14,2) not null,
  period text not null,
  description text,
  logo_url text,
  interval_in_days bigint,
  category_id uuid references api.categories on delete set null,
  user_id text references auth.users on delete set null,
  organization_id text references auth.organizations on delete cascade,
  constraint subscriptions_title_length check (char_length(title) between 1 and 255),
  constraint subscriptions_amount_is_number check (amount <> 'NaN'),
  constraint subscriptions_period_known check (period in ('monthly', 'yearly', 'quarterly', 'semi-annually', 'weekly', 'daily')),
  constraint subscriptions_description_length check (char_length(description) <= 5000),
  constraint subscriptions_logo_url_form check (logo_url ~ '^https?://[^[:space:]]+$' and char_length(logo_url) <= 2048),
  constraint subscriptions_interval_in_days_in_range check (interval_in_days between 1 and 3660),
  constraint subscriptions_have_an_owner check (user_id is not null or organization_id is not null)
);
create index subscriptions_personal on api.subscriptions (user_id, organization_id, title);
create index subscriptions_team on api.subscriptions (organization_id, title);
create index subscriptions_category_id on api.subscriptions (category_id) where category_id is not null;
-- see transactions
alter table api.subscriptions
  alter column user_id set (n_distinct = -0.03),
  alter column organization_id set (n_distinct = -0.03);

-- Where money is kept.

create table api.accounts (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  type text not null,
  currency text not null default 'usd',
  balance numeric(14,2) not null default 0,
  description text,
  institution text,
  account_number text,
  color text,
  icon text,
  user_id text references auth.users on delete set null,
  organization_id text references auth.organizations on delete cascade,
  metadata jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint accounts_name_length check (char_length(name) between 1 and 255),
  constraint accounts_type_known check (type in ('checking', 'savings', 'credit_card', 'cash', 'investment')),
  constraint accounts_currency_form check (currency ~ '^[a-z]{3}$'),
  constraint accounts_balance_is_number check (balance <> 'NaN'),
  constraint accounts_description_length check (char_length(description) <= 5000),
  constraint accounts_institution_length check (char_length(institution) <= 255),
  constraint accounts_account_number_is_masked check (account_number ~ '^[0-9]{1,4}$'),
  constraint accounts_color_is_hex check (color ~ '^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$'),
  constraint accounts_icon_length check (char_length(icon) <= 100),
  constraint accounts_metadata_size check (octet_length(metadata::text) <= 16384),
  constraint accounts_metadata_depth check (not jsonb_path_exists(metadata, '$.**{17}')),
  constraint accounts_have_an_owner check (user_id is not null or organization_id is not null)
);
create index accounts_personal on api.accounts (user_id, organization_id, name);
create index accounts_team on api.accounts (organization_id, name);
-- see transactions
alter table api.accounts
  alter column user_id set (n_distinct = -0.03),
  alter column organization_id set (n_distinct = -0.03);

-- Arrangements of widgets. The one table where a viewer sees less than the others: only what is shared.

create table api.dashboards (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  description text,
  layout jsonb not null,
  filters jsonb,
  date_range jsonb,
  is_default boolean not null default false,
  visibility text not null default 'private',
  user_id text references auth.users on delete set null,
  organization_id text references auth.organizations on delete cascade,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint dashboards_name_length check (char_length(name) between 1 and 255),
  constraint dashboards_description_length check (char_length(description) <= 5000),
  constraint dashboards_layout_size check (octet_length(layout::text) <= 65536),
  constraint dashboards_layout_depth check (not jsonb_path_exists(layout, '$.**{17}')),
  constraint dashboards_filters_size check (octet_length(filters::text) <= 16384),
  constraint dashboards_filters_depth check (not jsonb_path_exists(filters, '$.**{17}')),
  constraint dashboards_visibility_known check (visibility in ('private', 'shared', 'public')),
  constraint dashboards_have_an_owner check (user_id is not null or organization_id is not null)
);
create index dashboards_personal on api.dashboards (user_id, organization_id, name);
create index dashboards_team on api.dashboards (organization_id, name);
-- see transactions
alter table api.dashboards
  alter column user_id set (n_distinct = -0.03),
  alter column organization_id set (n_distinct = -0.03);
