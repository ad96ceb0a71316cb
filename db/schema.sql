-- The present, written by `npm run schema`. Change it in db/migrations, db/functions and db/rules.

create schema api;

create schema auth;

create schema graphile_worker;

create schema private;

create domain private."application/vnd.rest.object+json" as json;

create domain private.day as date;

create type private.effect as (table_name text, row_id uuid, tag_id uuid, organization_id text, action text, before_of uuid, after_of uuid, after_is_before boolean);

create domain private.first_day as date default CURRENT_DATE;

create domain private.moment as timestamp with time zone default now();

create type private.one_row as (seen bigint, first json);

create cast (json as private.day) with function private.read_day(json) as implicit;

create cast (json as private.first_day) with function private.read_first_day(json) as implicit;

create cast (json as private.moment) with function private.read_moment(json) as implicit;

create table api.accounts (
  id uuid default gen_random_uuid() not null,
  name text not null,
  type text not null,
  currency text default 'usd'::text not null,
  balance numeric default 0.00 not null,
  description text,
  institution text,
  account_number text,
  color text,
  icon text,
  user_id text default public.uid(),
  organization_id text default public.org_id(),
  metadata jsonb,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint accounts_account_number_is_masked CHECK ((account_number ~ '^[0-9]{1,4}$'::text)),
  constraint accounts_balance_is_number CHECK ((balance <> 'NaN'::numeric)),
  constraint accounts_color_is_hex CHECK ((color ~ '^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$'::text)),
  constraint accounts_currency_form CHECK ((currency ~ '^[a-z]{3}$'::text)),
  constraint accounts_description_length CHECK ((char_length(description) <= 5000)),
  constraint accounts_have_an_owner CHECK (((user_id IS NOT NULL) OR (organization_id IS NOT NULL))),
  constraint accounts_icon_length CHECK ((char_length(icon) <= 100)),
  constraint accounts_institution_length CHECK ((char_length(institution) <= 255)),
  constraint accounts_metadata_depth CHECK ((NOT jsonb_path_exists(metadata, '$.**{17}'::jsonpath))),
  constraint accounts_metadata_numbers CHECK (private.plain_numbers(metadata)) NOT VALID,
  constraint accounts_metadata_size CHECK ((octet_length((metadata)::text) <= 16384)),
  constraint accounts_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
  constraint accounts_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES auth.organizations(id) ON DELETE CASCADE,
  constraint accounts_pkey PRIMARY KEY (id),
  constraint accounts_type_known CHECK ((type = ANY (ARRAY['checking'::text, 'savings'::text, 'credit_card'::text, 'cash'::text, 'investment'::text]))),
  constraint accounts_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE SET NULL
);
alter table api.accounts alter column user_id set (n_distinct=-1);
alter table api.accounts alter column organization_id set (n_distinct=-1);
alter table api.accounts enable row level security;

create table api.activity (
  id uuid not null,
  happened_at timestamp with time zone not null,
  change_id uuid not null,
  actor_id text not null,
  user_id text,
  organization_id text,
  action text not null,
  table_name text not null,
  row_id uuid not null,
  before jsonb,
  after jsonb,
  constraint activity_action_known CHECK ((action = ANY (ARRAY['create'::text, 'update'::text, 'delete'::text]))),
  constraint activity_has_one_owner CHECK ((num_nonnulls(user_id, organization_id) = 1)),
  constraint activity_pkey PRIMARY KEY (id)
);
alter table api.activity alter column change_id set (n_distinct=-1);
alter table api.activity alter column user_id set (n_distinct=-1);
alter table api.activity alter column organization_id set (n_distinct=-1);
alter table api.activity alter column row_id set (n_distinct=-1);
alter table api.activity enable row level security;

create table api.app_subscriptions (
  id uuid default gen_random_uuid() not null,
  user_id text not null,
  product_id text not null,
  status text default 'sub_active'::text not null,
  period_start timestamp with time zone default now() not null,
  period_end timestamp with time zone not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint app_subscriptions_period_in_order CHECK ((period_start <= period_end)),
  constraint app_subscriptions_pkey PRIMARY KEY (id),
  constraint app_subscriptions_product_id_fkey FOREIGN KEY (product_id) REFERENCES private.products(id),
  constraint app_subscriptions_status_form CHECK ((status ~ '^sub_[a-z_]{1,32}$'::text)),
  constraint app_subscriptions_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE
);
alter table api.app_subscriptions enable row level security;

create table api.budgets (
  id uuid default gen_random_uuid() not null,
  category_id uuid not null,
  month private.day,
  amount numeric not null,
  currency text default 'usd'::text not null,
  rollover boolean default false not null,
  user_id text default public.uid(),
  organization_id text default public.org_id(),
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  starts_on private.day,
  constraint budgets_amount_is_amount CHECK (((amount >= (0)::numeric) AND (amount <> 'NaN'::numeric))),
  constraint budgets_category_id_fkey FOREIGN KEY (category_id) REFERENCES api.categories(id) ON DELETE CASCADE,
  constraint budgets_currency_form CHECK ((currency ~ '^[a-z]{3}$'::text)),
  constraint budgets_have_an_owner CHECK (((user_id IS NOT NULL) OR (organization_id IS NOT NULL))),
  constraint budgets_month_in_range CHECK ((((month)::date >= '1900-01-01'::date) AND ((month)::date < '2200-01-01'::date))),
  constraint budgets_month_is_first_day CHECK ((EXTRACT(day FROM month) = (1)::numeric)),
  constraint budgets_one_a_month UNIQUE NULLS NOT DISTINCT (category_id, currency, month),
  constraint budgets_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES auth.organizations(id) ON DELETE CASCADE,
  constraint budgets_pkey PRIMARY KEY (id),
  constraint budgets_starts_on_in_range CHECK ((((starts_on)::date >= '1900-01-01'::date) AND ((starts_on)::date < '2200-01-01'::date))),
  constraint budgets_starts_on_is_first_day CHECK ((EXTRACT(day FROM starts_on) = (1)::numeric)),
  constraint budgets_starts_on_of_every_month CHECK (((month IS NULL) = (starts_on IS NOT NULL))),
  constraint budgets_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE SET NULL
);
alter table api.budgets alter column category_id set (n_distinct=-1);
alter table api.budgets alter column user_id set (n_distinct=-1);
alter table api.budgets alter column organization_id set (n_distinct=-1);
alter table api.budgets enable row level security;

create table api.categories (
  id uuid default gen_random_uuid() not null,
  name text not null,
  color text,
  icon text,
  monthly_budget numeric,
  user_id text default public.uid(),
  organization_id text default public.org_id(),
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  budget_currency text default 'usd'::text not null,
  constraint categories_budget_currency_form CHECK ((budget_currency ~ '^[a-z]{3}$'::text)),
  constraint categories_color_is_hex CHECK ((color ~ '^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$'::text)),
  constraint categories_have_an_owner CHECK (((user_id IS NOT NULL) OR (organization_id IS NOT NULL))),
  constraint categories_icon_length CHECK ((char_length(icon) <= 100)),
  constraint categories_monthly_budget_is_amount CHECK (((monthly_budget >= (0)::numeric) AND (monthly_budget <> 'NaN'::numeric))),
  constraint categories_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
  constraint categories_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES auth.organizations(id) ON DELETE CASCADE,
  constraint categories_pkey PRIMARY KEY (id),
  constraint categories_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE SET NULL
);
alter table api.categories alter column user_id set (n_distinct=-1);
alter table api.categories alter column organization_id set (n_distinct=-1);
alter table api.categories enable row level security;

create table api.dashboards (
  id uuid default gen_random_uuid() not null,
  name text not null,
  description text,
  layout jsonb not null,
  filters jsonb,
  date_range jsonb,
  is_default boolean default false not null,
  visibility text default 'private'::text not null,
  user_id text default public.uid(),
  organization_id text default public.org_id(),
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint dashboards_date_range_form CHECK (private.is_date_range(date_range)),
  constraint dashboards_description_length CHECK ((char_length(description) <= 5000)),
  constraint dashboards_filters_depth CHECK ((NOT jsonb_path_exists(filters, '$.**{17}'::jsonpath))),
  constraint dashboards_filters_numbers CHECK (private.plain_numbers(filters)) NOT VALID,
  constraint dashboards_filters_size CHECK ((octet_length((filters)::text) <= 16384)),
  constraint dashboards_have_an_owner CHECK (((user_id IS NOT NULL) OR (organization_id IS NOT NULL))),
  constraint dashboards_layout_depth CHECK ((NOT jsonb_path_exists(layout, '$.**{17}'::jsonpath))),
  constraint dashboards_layout_form CHECK (private.is_layout(layout)),
  constraint dashboards_layout_numbers CHECK (private.plain_numbers(layout)) NOT VALID,
  constraint dashboards_layout_size CHECK ((octet_length((layout)::text) <= 65536)),
  constraint dashboards_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
  constraint dashboards_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES auth.organizations(id) ON DELETE CASCADE,
  constraint dashboards_pkey PRIMARY KEY (id),
  constraint dashboards_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE SET NULL,
  constraint dashboards_visibility_known CHECK ((visibility = ANY (ARRAY['private'::text, 'shared'::text, 'public'::text])))
);
alter table api.dashboards alter column user_id set (n_distinct=-1);
alter table api.dashboards alter column organization_id set (n_distinct=-1);
alter table api.dashboards enable row level security;

create table api.exchange_rates (
  id uuid default gen_random_uuid() not null,
  on_date private.day not null,
  base text not null,
  quote text not null,
  rate numeric(24,12) not null,
  user_id text default public.uid(),
  organization_id text default public.org_id(),
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint exchange_rates_are_of_two_currencies CHECK ((base <> quote)),
  constraint exchange_rates_base_form CHECK ((base ~ '^[a-z]{3}$'::text)),
  constraint exchange_rates_have_an_owner CHECK (((user_id IS NOT NULL) OR (organization_id IS NOT NULL))),
  constraint exchange_rates_on_date_in_range CHECK ((((on_date)::date >= '1900-01-01'::date) AND ((on_date)::date < '2200-01-01'::date))),
  constraint exchange_rates_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES auth.organizations(id) ON DELETE CASCADE,
  constraint exchange_rates_pkey PRIMARY KEY (id),
  constraint exchange_rates_quote_form CHECK ((quote ~ '^[a-z]{3}$'::text)),
  constraint exchange_rates_rate_is_positive CHECK (((rate > (0)::numeric) AND (rate <> 'NaN'::numeric))),
  constraint exchange_rates_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE SET NULL
);
alter table api.exchange_rates alter column user_id set (n_distinct=-1);
alter table api.exchange_rates alter column organization_id set (n_distinct=-1);
alter table api.exchange_rates enable row level security;

create table api.imports (
  id uuid default gen_random_uuid() not null,
  source text not null,
  account_id uuid,
  file_name text,
  row_count bigint not null,
  user_id text default public.uid(),
  organization_id text default public.org_id(),
  created_at timestamp with time zone default now() not null,
  constraint imports_account_id_fkey FOREIGN KEY (account_id) REFERENCES api.accounts(id) ON DELETE SET NULL,
  constraint imports_file_name_length CHECK (((char_length(file_name) >= 1) AND (char_length(file_name) <= 255))),
  constraint imports_have_an_owner CHECK (((user_id IS NOT NULL) OR (organization_id IS NOT NULL))),
  constraint imports_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES auth.organizations(id) ON DELETE CASCADE,
  constraint imports_pkey PRIMARY KEY (id),
  constraint imports_row_count_in_range CHECK (((row_count >= 1) AND (row_count <= 5000))),
  constraint imports_source_length CHECK (((char_length(source) >= 1) AND (char_length(source) <= 64))),
  constraint imports_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE SET NULL
);
alter table api.imports alter column user_id set (n_distinct=-1);
alter table api.imports alter column organization_id set (n_distinct=-1);
alter table api.imports enable row level security;

create table api.line_items (
  id uuid default gen_random_uuid() not null,
  transaction_id uuid not null,
  name text not null,
  amount numeric not null,
  quantity numeric(14,3) default 1 not null,
  category_id uuid,
  user_id text,
  organization_id text,
  constraint line_items_amount_is_number CHECK ((amount <> 'NaN'::numeric)),
  constraint line_items_category_id_fkey FOREIGN KEY (category_id) REFERENCES api.categories(id) ON DELETE SET NULL,
  constraint line_items_have_one_owner CHECK ((num_nonnulls(user_id, organization_id) = 1)),
  constraint line_items_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
  constraint line_items_pkey PRIMARY KEY (id),
  constraint line_items_quantity_is_number CHECK ((quantity <> 'NaN'::numeric)),
  constraint line_items_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES api.transactions(id) ON DELETE CASCADE
);
alter table api.line_items alter column transaction_id set (n_distinct=-1);
alter table api.line_items alter column category_id set (n_distinct=-1);
alter table api.line_items alter column user_id set (n_distinct=-1);
alter table api.line_items alter column organization_id set (n_distinct=-1);
alter table api.line_items enable row level security;

create table api.past_budgets (
  id uuid default gen_random_uuid() not null,
  category_id uuid not null,
  currency text default 'usd'::text not null,
  until private.day not null,
  amount numeric,
  rollover boolean default false not null,
  starts_on private.day,
  user_id text default public.uid(),
  organization_id text default public.org_id(),
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint past_budgets_amount_is_amount CHECK (((amount >= (0)::numeric) AND (amount <> 'NaN'::numeric))),
  constraint past_budgets_category_id_fkey FOREIGN KEY (category_id) REFERENCES api.categories(id) ON DELETE CASCADE,
  constraint past_budgets_currency_form CHECK ((currency ~ '^[a-z]{3}$'::text)),
  constraint past_budgets_have_an_owner CHECK (((user_id IS NOT NULL) OR (organization_id IS NOT NULL))),
  constraint past_budgets_one_until UNIQUE (category_id, currency, until),
  constraint past_budgets_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES auth.organizations(id) ON DELETE CASCADE,
  constraint past_budgets_pkey PRIMARY KEY (id),
  constraint past_budgets_starts_on_in_range CHECK ((((starts_on)::date >= '1900-01-01'::date) AND ((starts_on)::date < '2200-01-01'::date))),
  constraint past_budgets_starts_on_is_first_day CHECK ((EXTRACT(day FROM starts_on) = (1)::numeric)),
  constraint past_budgets_until_in_range CHECK ((((until)::date >= '1900-01-01'::date) AND ((until)::date < '2200-01-01'::date))),
  constraint past_budgets_until_is_first_day CHECK ((EXTRACT(day FROM until) = (1)::numeric)),
  constraint past_budgets_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE SET NULL
);
alter table api.past_budgets alter column category_id set (n_distinct=-1);
alter table api.past_budgets alter column user_id set (n_distinct=-1);
alter table api.past_budgets alter column organization_id set (n_distinct=-1);
alter table api.past_budgets enable row level security;

create table api.subscriptions (
  id uuid default gen_random_uuid() not null,
  title text not null,
  amount numeric not null,
  period text not null,
  description text,
  logo_url text,
  interval_in_days bigint,
  category_id uuid,
  user_id text default public.uid(),
  organization_id text default public.org_id(),
  currency text default 'usd'::text not null,
  starts_on private.first_day default CURRENT_DATE not null,
  ends_on private.day,
  account_id uuid,
  is_active boolean default true not null,
  constraint subscriptions_account_id_fkey FOREIGN KEY (account_id) REFERENCES api.accounts(id) ON DELETE SET NULL,
  constraint subscriptions_amount_is_number CHECK ((amount <> 'NaN'::numeric)),
  constraint subscriptions_category_id_fkey FOREIGN KEY (category_id) REFERENCES api.categories(id) ON DELETE SET NULL,
  constraint subscriptions_currency_form CHECK ((currency ~ '^[a-z]{3}$'::text)),
  constraint subscriptions_days_in_order CHECK (((starts_on)::date <= (ends_on)::date)),
  constraint subscriptions_description_length CHECK ((char_length(description) <= 5000)),
  constraint subscriptions_ends_on_in_range CHECK ((((ends_on)::date >= '1900-01-01'::date) AND ((ends_on)::date < '2200-01-01'::date))),
  constraint subscriptions_have_an_owner CHECK (((user_id IS NOT NULL) OR (organization_id IS NOT NULL))),
  constraint subscriptions_interval_in_days_in_range CHECK (((interval_in_days >= 1) AND (interval_in_days <= 3660))),
  constraint subscriptions_logo_url_form CHECK (((logo_url ~ '^https?://[^[:space:]]+$'::text) AND (char_length(logo_url) <= 2048))),
  constraint subscriptions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES auth.organizations(id) ON DELETE CASCADE,
  constraint subscriptions_period_known CHECK ((period = ANY (ARRAY['monthly'::text, 'yearly'::text, 'quarterly'::text, 'semi-annually'::text, 'weekly'::text, 'daily'::text]))),
  constraint subscriptions_pkey PRIMARY KEY (id),
  constraint subscriptions_starts_on_in_range CHECK ((((starts_on)::date >= '1900-01-01'::date) AND ((starts_on)::date < '2200-01-01'::date))),
  constraint subscriptions_title_length CHECK (((char_length(title) >= 1) AND (char_length(title) <= 255))),
  constraint subscriptions_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE SET NULL
);
alter table api.subscriptions alter column user_id set (n_distinct=-1);
alter table api.subscriptions alter column organization_id set (n_distinct=-1);
alter table api.subscriptions enable row level security;

create table api.tags (
  id uuid default gen_random_uuid() not null,
  name text not null,
  user_id text default public.uid(),
  organization_id text default public.org_id(),
  created_at timestamp with time zone default now() not null,
  constraint tags_have_an_owner CHECK (((user_id IS NOT NULL) OR (organization_id IS NOT NULL))),
  constraint tags_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  constraint tags_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES auth.organizations(id) ON DELETE CASCADE,
  constraint tags_pkey PRIMARY KEY (id),
  constraint tags_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE SET NULL
);
alter table api.tags alter column user_id set (n_distinct=-0.5);
alter table api.tags alter column organization_id set (n_distinct=-0.5);
alter table api.tags enable row level security;

create table api.transaction_tags (
  transaction_id uuid not null,
  tag_id uuid not null,
  user_id text,
  organization_id text,
  constraint transaction_tags_have_one_owner CHECK ((num_nonnulls(user_id, organization_id) = 1)),
  constraint transaction_tags_pkey PRIMARY KEY (transaction_id, tag_id),
  constraint transaction_tags_tag_id_fkey FOREIGN KEY (tag_id) REFERENCES api.tags(id) ON DELETE CASCADE,
  constraint transaction_tags_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES api.transactions(id) ON DELETE CASCADE
);
alter table api.transaction_tags alter column transaction_id set (n_distinct=-1);
alter table api.transaction_tags alter column tag_id set (n_distinct=-1);
alter table api.transaction_tags alter column user_id set (n_distinct=-1);
alter table api.transaction_tags alter column organization_id set (n_distinct=-1);
alter table api.transaction_tags enable row level security;

create table api.transactions (
  id uuid default gen_random_uuid() not null,
  amount numeric not null,
  name text not null,
  currency text default private.left_out() not null,
  user_id text default public.uid(),
  organization_id text default public.org_id(),
  external_id text,
  category_id uuid,
  reference_no text,
  description text,
  status text default 'paid'::text not null,
  source text default 'manual'::text not null,
  metadata jsonb,
  transaction_date private.moment default now() not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  account_id uuid,
  transfer_id uuid,
  import_id uuid,
  booked_on private.day,
  constraint transactions_account_id_fkey FOREIGN KEY (account_id) REFERENCES api.accounts(id) ON DELETE SET NULL,
  constraint transactions_amount_is_number CHECK ((amount <> 'NaN'::numeric)),
  constraint transactions_booked_on_is_day_of_date CHECK ((((transaction_date)::timestamp with time zone >= (((booked_on)::timestamp without time zone AT TIME ZONE 'UTC'::text) - '14:00:00'::interval)) AND ((transaction_date)::timestamp with time zone < (((booked_on)::timestamp without time zone AT TIME ZONE 'UTC'::text) + '36:00:00'::interval)))),
  constraint transactions_category_id_fkey FOREIGN KEY (category_id) REFERENCES api.categories(id) ON DELETE SET NULL,
  constraint transactions_currency_form CHECK ((currency ~ '^[a-z]{3}$'::text)),
  constraint transactions_date_in_range CHECK ((((transaction_date)::timestamp with time zone >= '1900-01-01 00:00:00+00'::timestamp with time zone) AND ((transaction_date)::timestamp with time zone < '2200-01-01 00:00:00+00'::timestamp with time zone))),
  constraint transactions_description_length CHECK ((char_length(description) <= 5000)),
  constraint transactions_external_id_length CHECK (((char_length(external_id) >= 1) AND (char_length(external_id) <= 255))),
  constraint transactions_have_an_owner CHECK (((user_id IS NOT NULL) OR (organization_id IS NOT NULL))),
  constraint transactions_import_id_fkey FOREIGN KEY (import_id) REFERENCES api.imports(id) ON DELETE SET NULL,
  constraint transactions_metadata_depth CHECK ((NOT jsonb_path_exists(metadata, '$.**{17}'::jsonpath))),
  constraint transactions_metadata_numbers CHECK (private.plain_numbers(metadata)) NOT VALID,
  constraint transactions_metadata_size CHECK ((octet_length((metadata)::text) <= 16384)),
  constraint transactions_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
  constraint transactions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES auth.organizations(id) ON DELETE CASCADE,
  constraint transactions_pkey PRIMARY KEY (id),
  constraint transactions_reference_no_length CHECK ((char_length(reference_no) <= 255)),
  constraint transactions_source_length CHECK (((char_length(source) >= 1) AND (char_length(source) <= 64))),
  constraint transactions_status_known CHECK ((status = ANY (ARRAY['paid'::text, 'pending'::text, 'failed'::text]))),
  constraint transactions_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE SET NULL
);
alter table api.transactions alter column user_id set (n_distinct=-1);
alter table api.transactions alter column organization_id set (n_distinct=-1);
alter table api.transactions alter column account_id set (n_distinct=-1);
alter table api.transactions alter column transfer_id set (n_distinct=-1);
alter table api.transactions alter column import_id set (n_distinct=-1);
alter table api.transactions enable row level security;

create table auth.accounts (
  id text not null,
  account_id text not null,
  provider_id text not null,
  user_id text not null,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamp with time zone,
  refresh_token_expires_at timestamp with time zone,
  scope text,
  password text,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint accounts_password_is_hashed CHECK ((password ~ '^[0-9a-f]{32}:[0-9a-f]{128}$'::text)),
  constraint accounts_pkey PRIMARY KEY (id),
  constraint accounts_provider_account_unique UNIQUE (provider_id, account_id),
  constraint accounts_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE
);

create table auth.api_keys (
  id text not null,
  name text not null,
  user_id text not null,
  organization_id text,
  role text not null,
  key_hash bytea not null,
  hint text not null,
  expires_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  constraint api_keys_key_hash_size CHECK ((length(key_hash) = 32)),
  constraint api_keys_key_hash_unique UNIQUE (key_hash),
  constraint api_keys_of_member FOREIGN KEY (organization_id, user_id) REFERENCES auth.members(organization_id, user_id) ON DELETE CASCADE,
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_role_fits CHECK (((organization_id IS NOT NULL) OR (role <> 'admin'::text))),
  constraint api_keys_role_known CHECK ((role = ANY (ARRAY['admin'::text, 'editor'::text, 'viewer'::text]))),
  constraint api_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE
);

create table auth.events (
  id text default (gen_random_uuid())::text not null,
  happened_at timestamp with time zone default clock_timestamp() not null,
  kind text not null,
  user_id text,
  organization_id text,
  actor_id text,
  ip_address text,
  user_agent text,
  device text,
  detail jsonb default '{}'::jsonb not null,
  mail_to text,
  constraint events_actor_id_fkey FOREIGN KEY (actor_id) REFERENCES auth.users(id) ON DELETE SET NULL,
  constraint events_detail_bounded CHECK ((octet_length((detail)::text) <= 4000)),
  constraint events_have_somebody CHECK ((num_nonnulls(user_id, organization_id) > 0)),
  constraint events_ip_address_bounded CHECK ((char_length(ip_address) <= 64)),
  constraint events_kind_known CHECK (
CASE
    WHEN (organization_id IS NULL) THEN (kind = ANY (ARRAY['signed_in'::text, 'sessions_revoked'::text, 'password_changed'::text, 'password_removed'::text, 'email_changed'::text, 'two_factor_enabled'::text, 'two_factor_disabled'::text, 'backup_codes_created'::text, 'backup_codes_voided'::text, 'device_trusted'::text, 'passkey_added'::text, 'passkey_deleted'::text, 'passkey_required'::text, 'passkey_not_required'::text, 'api_key_created'::text, 'api_key_revoked'::text, 'account_linked'::text, 'account_unlinked'::text]))
    ELSE (kind = ANY (ARRAY['member_joined'::text, 'member_left'::text, 'member_removed'::text, 'role_changed'::text, 'ownership_transferred'::text]))
END),
  constraint events_of_organizations_have_no_place CHECK (((organization_id IS NULL) OR (num_nonnulls(ip_address, user_agent, device, mail_to) = 0))),
  constraint events_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES auth.organizations(id) ON DELETE CASCADE,
  constraint events_pkey PRIMARY KEY (id),
  constraint events_user_agent_bounded CHECK ((char_length(user_agent) <= 512)),
  constraint events_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE SET NULL
);

create table auth.invitations (
  id text not null,
  organization_id text not null,
  email text not null,
  role text not null,
  status text default 'pending'::text not null,
  inviter_id text not null,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone default now() not null,
  constraint invitations_email_lower_case CHECK ((email = lower(email))),
  constraint invitations_inviter_id_fkey FOREIGN KEY (inviter_id) REFERENCES auth.users(id) ON DELETE CASCADE,
  constraint invitations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES auth.organizations(id) ON DELETE CASCADE,
  constraint invitations_pkey PRIMARY KEY (id),
  constraint invitations_role_known CHECK ((role = ANY (ARRAY['admin'::text, 'editor'::text, 'viewer'::text]))),
  constraint invitations_status_known CHECK ((status = ANY (ARRAY['pending'::text, 'accepted'::text, 'rejected'::text, 'canceled'::text])))
);

create table auth.jwks (
  id text not null,
  public_key text not null,
  private_key text not null,
  alg text default 'RS256'::text not null,
  crv text,
  created_at timestamp with time zone default now() not null,
  signs_from timestamp with time zone,
  expires_at timestamp with time zone,
  constraint jwks_alg_is_rs256 CHECK ((alg = 'RS256'::text)),
  constraint jwks_pkey PRIMARY KEY (id),
  constraint jwks_private_key_is_encrypted CHECK ((private_key !~ '"d"\s*:'::text)),
  constraint jwks_public_key_is_public CHECK ((((public_key)::jsonb ? 'n'::text) AND (NOT ((public_key)::jsonb ? 'd'::text))))
);

create table auth.members (
  id text not null,
  organization_id text not null,
  user_id text not null,
  role text not null,
  created_at timestamp with time zone default now() not null,
  constraint members_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES auth.organizations(id) ON DELETE CASCADE,
  constraint members_organization_user_unique UNIQUE (organization_id, user_id),
  constraint members_pkey PRIMARY KEY (id),
  constraint members_role_known CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'editor'::text, 'viewer'::text]))),
  constraint members_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE
);

create table auth.organizations (
  id text not null,
  name text not null,
  slug text not null,
  logo text,
  metadata text,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint organizations_pkey PRIMARY KEY (id),
  constraint organizations_slug_unique UNIQUE (slug)
);

create table auth.passkeys (
  id text not null,
  user_id text not null,
  name text not null,
  credential_id text not null,
  public_key text not null,
  counter bigint not null,
  backed_up boolean not null,
  created_at timestamp with time zone default now() not null,
  last_used_at timestamp with time zone,
  constraint passkeys_credential_unique UNIQUE (credential_id),
  constraint passkeys_pkey PRIMARY KEY (id),
  constraint passkeys_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE
);

create unlogged table auth.rate_limits (
  key text not null,
  window_started_at timestamp with time zone not null,
  window_seconds bigint not null,
  count bigint not null,
  constraint rate_limits_pkey PRIMARY KEY (key)
) with (fillfactor=50);

create table auth.sessions (
  id text not null,
  token text not null,
  user_id text not null,
  active_organization_id text,
  ip_address text,
  user_agent text,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint sessions_active_organization_is_ours FOREIGN KEY (active_organization_id, user_id) REFERENCES auth.members(organization_id, user_id) ON DELETE SET NULL (active_organization_id),
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_token_unique UNIQUE (token),
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE
);

create table auth.two_factor_tokens (
  token_hash text not null,
  user_id text not null,
  purpose text not null,
  expires_at timestamp with time zone not null,
  constraint two_factor_tokens_pkey PRIMARY KEY (token_hash),
  constraint two_factor_tokens_purpose_known CHECK ((purpose = ANY (ARRAY['sign-in'::text, 'device'::text]))),
  constraint two_factor_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.two_factors(user_id) ON DELETE CASCADE
);

create table auth.two_factors (
  user_id text not null,
  secret text not null,
  backup_codes text[] not null,
  last_step bigint default 0 not null,
  enabled_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  backup_codes_made_at timestamp with time zone default now(),
  constraint two_factors_pkey PRIMARY KEY (user_id),
  constraint two_factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE
);

create table auth.users (
  id text not null,
  name text not null,
  email text not null,
  email_verified boolean default false not null,
  image text,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  passkey_required boolean default false not null,
  constraint users_email_lower_case CHECK ((email = lower(email))),
  constraint users_email_unique UNIQUE (email),
  constraint users_pkey PRIMARY KEY (id)
);

create table auth.verifications (
  id text not null,
  identifier text not null,
  value text not null,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint verifications_pkey PRIMARY KEY (id)
);

create table private.bank_values (
  transaction_id uuid not null,
  said jsonb,
  constraint bank_values_pkey PRIMARY KEY (transaction_id)
);

create table private.import_updates (
  transaction_id uuid not null,
  import_id uuid not null,
  before jsonb not null,
  after jsonb not null,
  was_untouched boolean not null,
  taken_back_at timestamp with time zone,
  constraint import_updates_pkey PRIMARY KEY (transaction_id, import_id)
);

create table private.line_item_checks (
  id bigint generated always as identity not null,
  transaction_ids uuid[] not null,
  constraint line_item_checks_pkey PRIMARY KEY (id)
);

create table private.migrations (
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone default now() not null,
  constraint migrations_pkey PRIMARY KEY (name)
);

create table private.products (
  id text not null,
  rank bigint not null,
  name text not null,
  constraint products_pkey PRIMARY KEY (id),
  constraint products_rank_unique UNIQUE (rank)
);

create table private.role_permissions (
  role text not null,
  resource text not null,
  action text not null,
  constraint role_permissions_action_check CHECK ((action = ANY (ARRAY['list'::text, 'get'::text, 'create'::text, 'update'::text, 'delete'::text, 'list_private'::text, 'list_own'::text]))),
  constraint role_permissions_pkey PRIMARY KEY (role, resource, action),
  constraint role_permissions_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'editor'::text, 'viewer'::text])))
);

create table private.settings (
  singleton boolean default true not null,
  public_url text not null,
  key_rotation_requested_at timestamp with time zone,
  places_per_person bigint default 4 not null,
  places_of_anonymous bigint default 2 not null,
  tokens_issued_after bigint default 0 not null,
  constraint settings_pkey PRIMARY KEY (singleton),
  constraint settings_singleton_check CHECK (singleton)
);

create sequence private.line_item_checks_id_seq as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807 cache 1 owned by private.line_item_checks.id;

CREATE INDEX accounts_personal ON api.accounts USING btree (user_id, organization_id, name);

CREATE INDEX accounts_team ON api.accounts USING btree (organization_id, name);

CREATE INDEX activity_personal ON api.activity USING btree (user_id, happened_at DESC) WHERE (organization_id IS NULL);

CREATE INDEX activity_team ON api.activity USING btree (organization_id, happened_at DESC) WHERE (organization_id IS NOT NULL);

CREATE INDEX app_subscriptions_product_id ON api.app_subscriptions USING btree (product_id);

CREATE INDEX app_subscriptions_user_id ON api.app_subscriptions USING btree (user_id, period_end);

CREATE INDEX budgets_personal ON api.budgets USING btree (user_id, organization_id, month);

CREATE INDEX budgets_team ON api.budgets USING btree (organization_id, month);

CREATE INDEX categories_personal ON api.categories USING btree (user_id, organization_id, name);

CREATE INDEX categories_team ON api.categories USING btree (organization_id, name);

CREATE INDEX dashboards_personal ON api.dashboards USING btree (user_id, organization_id, name);

CREATE INDEX dashboards_team ON api.dashboards USING btree (organization_id, name);

CREATE UNIQUE INDEX exchange_rates_personal ON api.exchange_rates USING btree (user_id, organization_id, base, quote, on_date DESC) NULLS NOT DISTINCT;

CREATE UNIQUE INDEX exchange_rates_team ON api.exchange_rates USING btree (organization_id, base, quote, on_date DESC);

CREATE INDEX imports_account ON api.imports USING btree (account_id) WHERE (account_id IS NOT NULL);

CREATE INDEX imports_personal ON api.imports USING btree (user_id, organization_id, created_at DESC);

CREATE INDEX imports_team ON api.imports USING btree (organization_id, created_at DESC);

CREATE INDEX line_items_category_id ON api.line_items USING btree (category_id) WHERE (category_id IS NOT NULL);

CREATE INDEX line_items_personal ON api.line_items USING btree (user_id, transaction_id) WHERE (organization_id IS NULL);

CREATE INDEX line_items_personal_filed ON api.line_items USING btree (user_id, transaction_id) INCLUDE (category_id, amount) WHERE ((organization_id IS NULL) AND (category_id IS NOT NULL));

CREATE INDEX line_items_team ON api.line_items USING btree (organization_id, transaction_id) WHERE (organization_id IS NOT NULL);

CREATE INDEX line_items_team_filed ON api.line_items USING btree (organization_id, transaction_id) INCLUDE (category_id, amount) WHERE ((organization_id IS NOT NULL) AND (category_id IS NOT NULL));

CREATE INDEX line_items_transaction_id ON api.line_items USING btree (transaction_id);

CREATE INDEX past_budgets_personal ON api.past_budgets USING btree (user_id, organization_id, until);

CREATE INDEX past_budgets_team ON api.past_budgets USING btree (organization_id, until);

CREATE INDEX subscriptions_account ON api.subscriptions USING btree (account_id) WHERE (account_id IS NOT NULL);

CREATE INDEX subscriptions_category_id ON api.subscriptions USING btree (category_id) WHERE (category_id IS NOT NULL);

CREATE INDEX subscriptions_personal ON api.subscriptions USING btree (user_id, organization_id, title);

CREATE INDEX subscriptions_team ON api.subscriptions USING btree (organization_id, title);

CREATE INDEX tags_personal ON api.tags USING btree (user_id, organization_id, name);

CREATE INDEX tags_team ON api.tags USING btree (organization_id, name);

CREATE INDEX transaction_tags_personal ON api.transaction_tags USING btree (user_id, transaction_id) WHERE (organization_id IS NULL);

CREATE INDEX transaction_tags_tag_id ON api.transaction_tags USING btree (tag_id);

CREATE INDEX transaction_tags_team ON api.transaction_tags USING btree (organization_id, transaction_id) WHERE (organization_id IS NOT NULL);

CREATE INDEX transactions_account ON api.transactions USING btree (account_id, transaction_date DESC, id) INCLUDE (amount, status, user_id, organization_id, booked_on) WHERE (account_id IS NOT NULL);

CREATE INDEX transactions_category_dates ON api.transactions USING btree (category_id, transaction_date DESC, id) WHERE (category_id IS NOT NULL);

CREATE INDEX transactions_import ON api.transactions USING btree (import_id) WHERE (import_id IS NOT NULL);

CREATE INDEX transactions_personal ON api.transactions USING btree (user_id, organization_id, transaction_date DESC);

CREATE INDEX transactions_personal_dates ON api.transactions USING btree (user_id, transaction_date DESC, id) INCLUDE (amount, currency, status, category_id, organization_id, transfer_id, booked_on) WHERE (organization_id IS NULL);

CREATE UNIQUE INDEX transactions_personal_import ON api.transactions USING btree (user_id, source, external_id) WHERE ((organization_id IS NULL) AND (external_id IS NOT NULL));

CREATE INDEX transactions_subscription ON api.transactions USING btree (external_id) WHERE (source = 'subscription'::text);

CREATE INDEX transactions_team_dates ON api.transactions USING btree (organization_id, transaction_date DESC, id) INCLUDE (amount, currency, status, category_id, user_id, transfer_id, booked_on) WHERE (organization_id IS NOT NULL);

CREATE UNIQUE INDEX transactions_team_import ON api.transactions USING btree (organization_id, source, external_id) WHERE ((organization_id IS NOT NULL) AND (external_id IS NOT NULL));

CREATE INDEX transactions_transfer ON api.transactions USING btree (transfer_id) WHERE (transfer_id IS NOT NULL);

CREATE INDEX accounts_user_id ON auth.accounts USING btree (user_id);

CREATE INDEX api_keys_expires_at ON auth.api_keys USING btree (expires_at);

CREATE INDEX api_keys_of_member ON auth.api_keys USING btree (organization_id, user_id) WHERE (organization_id IS NOT NULL);

CREATE INDEX api_keys_user_id ON auth.api_keys USING btree (user_id);

CREATE INDEX events_actor_id ON auth.events USING btree (actor_id) WHERE (actor_id IS NOT NULL);

CREATE INDEX events_device ON auth.events USING btree (user_id, device) WHERE (device IS NOT NULL);

CREATE INDEX events_happened_at ON auth.events USING btree (happened_at);

CREATE INDEX events_of_account ON auth.events USING btree (user_id, happened_at DESC, id DESC);

CREATE INDEX events_of_organization ON auth.events USING btree (organization_id, happened_at DESC, id DESC) WHERE (organization_id IS NOT NULL);

CREATE INDEX events_to_mail ON auth.events USING btree (happened_at) WHERE (mail_to IS NOT NULL);

CREATE INDEX invitations_email ON auth.invitations USING btree (email);

CREATE INDEX invitations_expires_at ON auth.invitations USING btree (expires_at);

CREATE INDEX invitations_inviter_id ON auth.invitations USING btree (inviter_id);

CREATE UNIQUE INDEX invitations_one_pending ON auth.invitations USING btree (organization_id, email) WHERE (status = 'pending'::text);

CREATE INDEX invitations_organization_id ON auth.invitations USING btree (organization_id);

CREATE UNIQUE INDEX jwks_one_pending ON auth.jwks USING btree ((true)) WHERE (signs_from IS NULL);

CREATE UNIQUE INDEX jwks_one_signing ON auth.jwks USING btree ((true)) WHERE ((signs_from IS NOT NULL) AND (expires_at IS NULL));

CREATE UNIQUE INDEX members_one_owner ON auth.members USING btree (organization_id) WHERE (role = 'owner'::text);

CREATE INDEX members_user_id ON auth.members USING btree (user_id);

CREATE INDEX passkeys_user_id ON auth.passkeys USING btree (user_id);

CREATE INDEX rate_limits_window_started_at ON auth.rate_limits USING btree (window_started_at);

CREATE INDEX sessions_active_organization ON auth.sessions USING btree (active_organization_id, user_id);

CREATE INDEX sessions_expires_at ON auth.sessions USING btree (expires_at);

CREATE INDEX sessions_user_id ON auth.sessions USING btree (user_id);

CREATE INDEX two_factor_tokens_expires_at ON auth.two_factor_tokens USING btree (expires_at);

CREATE INDEX two_factor_tokens_user_id ON auth.two_factor_tokens USING btree (user_id);

CREATE INDEX verifications_expires_at ON auth.verifications USING btree (expires_at);

CREATE INDEX verifications_identifier ON auth.verifications USING btree (identifier);

CREATE INDEX import_updates_import ON private.import_updates USING btree (import_id);

create policy accounts_create on api.accounts for insert to authenticated
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('accounts'::text, 'create'::text) AS can))) THEN true
    ELSE private.deny('accounts'::text)
END);

create policy accounts_delete on api.accounts for delete to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('accounts'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id)))));

create policy accounts_read on api.accounts for select to authenticated
  using ((private.is_not_explained() AND (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('accounts'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id))))));

create policy accounts_update on api.accounts for update to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('accounts'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id)))))
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('accounts'::text, 'update'::text) AS can))) THEN true
    ELSE private.deny('accounts'::text)
END);

create policy activity_read on api.activity for select to authenticated
  using ((private.is_not_explained() AND (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('activity'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND (actor_id = ( SELECT public.uid() AS uid)) AND ( SELECT private.can('activity'::text, 'list_own'::text) AS can)))));

create policy app_subscriptions_read_own on api.app_subscriptions for select to authenticated
  using ((private.is_not_explained() AND (user_id = ( SELECT private.personal_id() AS personal_id))));

create policy budgets_create on api.budgets for insert to authenticated
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('budgets'::text, 'create'::text) AS can))) THEN true
    ELSE private.deny('budgets'::text)
END);

create policy budgets_delete on api.budgets for delete to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('budgets'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id)))));

create policy budgets_read on api.budgets for select to authenticated
  using ((private.is_not_explained() AND (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('budgets'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id))))));

create policy budgets_update on api.budgets for update to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('budgets'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id)))))
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('budgets'::text, 'update'::text) AS can))) THEN true
    ELSE private.deny('budgets'::text)
END);

create policy categories_create on api.categories for insert to authenticated
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('categories'::text, 'create'::text) AS can))) THEN true
    ELSE private.deny('categories'::text)
END);

create policy categories_delete on api.categories for delete to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('categories'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id)))));

create policy categories_read on api.categories for select to authenticated
  using ((private.is_not_explained() AND (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('categories'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id))))));

create policy categories_update on api.categories for update to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('categories'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id)))))
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('categories'::text, 'update'::text) AS can))) THEN true
    ELSE private.deny('categories'::text)
END);

create policy dashboards_create on api.dashboards for insert to authenticated
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('dashboards'::text, 'create'::text) AS can))) THEN true
    ELSE private.deny('dashboards'::text)
END);

create policy dashboards_delete on api.dashboards for delete to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('dashboards'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id)) AND ((visibility = ANY (ARRAY['shared'::text, 'public'::text])) OR ( SELECT private.can('dashboards'::text, 'list_private'::text) AS can)))));

create policy dashboards_read on api.dashboards for select to authenticated
  using ((private.is_not_explained() AND (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('dashboards'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id)) AND ((visibility = ANY (ARRAY['shared'::text, 'public'::text])) OR ( SELECT private.can('dashboards'::text, 'list_private'::text) AS can))))));

create policy dashboards_update on api.dashboards for update to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('dashboards'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id)) AND ((visibility = ANY (ARRAY['shared'::text, 'public'::text])) OR ( SELECT private.can('dashboards'::text, 'list_private'::text) AS can)))))
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('dashboards'::text, 'update'::text) AS can))) THEN true
    ELSE private.deny('dashboards'::text)
END);

create policy exchange_rates_create on api.exchange_rates for insert to authenticated
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('exchange_rates'::text, 'create'::text) AS can))) THEN true
    ELSE private.deny('exchange_rates'::text)
END);

create policy exchange_rates_delete on api.exchange_rates for delete to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('exchange_rates'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id)))));

create policy exchange_rates_read on api.exchange_rates for select to authenticated
  using ((private.is_not_explained() AND (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('exchange_rates'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id))))));

create policy exchange_rates_update on api.exchange_rates for update to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('exchange_rates'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id)))))
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('exchange_rates'::text, 'update'::text) AS can))) THEN true
    ELSE private.deny('exchange_rates'::text)
END);

create policy imports_delete on api.imports for delete to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('imports'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id)))));

create policy imports_read on api.imports for select to authenticated
  using ((private.is_not_explained() AND (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('imports'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id))))));

create policy line_items_create on api.line_items for insert to authenticated
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('line_items'::text, 'create'::text) AS can))) THEN true
    ELSE private.deny('line_items'::text)
END);

create policy line_items_delete on api.line_items for delete to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('line_items'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id)))));

create policy line_items_read on api.line_items for select to authenticated
  using ((private.is_not_explained() AND (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('line_items'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id))))));

create policy line_items_update on api.line_items for update to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('line_items'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id)))))
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('line_items'::text, 'update'::text) AS can))) THEN true
    ELSE private.deny('line_items'::text)
END);

create policy past_budgets_create on api.past_budgets for insert to authenticated
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('past_budgets'::text, 'create'::text) AS can))) THEN true
    ELSE private.deny('past_budgets'::text)
END);

create policy past_budgets_delete on api.past_budgets for delete to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('past_budgets'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id)))));

create policy past_budgets_read on api.past_budgets for select to authenticated
  using ((private.is_not_explained() AND (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('past_budgets'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id))))));

create policy past_budgets_update on api.past_budgets for update to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('past_budgets'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id)))))
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('past_budgets'::text, 'update'::text) AS can))) THEN true
    ELSE private.deny('past_budgets'::text)
END);

create policy subscriptions_create on api.subscriptions for insert to authenticated
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('subscriptions'::text, 'create'::text) AS can))) THEN true
    ELSE private.deny('subscriptions'::text)
END);

create policy subscriptions_delete on api.subscriptions for delete to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('subscriptions'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id)))));

create policy subscriptions_read on api.subscriptions for select to authenticated
  using ((private.is_not_explained() AND (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('subscriptions'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id))))));

create policy subscriptions_update on api.subscriptions for update to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('subscriptions'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id)))))
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('subscriptions'::text, 'update'::text) AS can))) THEN true
    ELSE private.deny('subscriptions'::text)
END);

create policy tags_create on api.tags for insert to authenticated
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('tags'::text, 'create'::text) AS can))) THEN true
    ELSE private.deny('tags'::text)
END);

create policy tags_delete on api.tags for delete to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('tags'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id)))));

create policy tags_read on api.tags for select to authenticated
  using ((private.is_not_explained() AND (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('tags'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id))))));

create policy tags_update on api.tags for update to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('tags'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id)))))
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('tags'::text, 'update'::text) AS can))) THEN true
    ELSE private.deny('tags'::text)
END);

create policy transaction_tags_create on api.transaction_tags for insert to authenticated
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('transaction_tags'::text, 'create'::text) AS can))) THEN true
    ELSE private.deny('transaction_tags'::text)
END);

create policy transaction_tags_delete on api.transaction_tags for delete to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('transaction_tags'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id)))));

create policy transaction_tags_read on api.transaction_tags for select to authenticated
  using ((private.is_not_explained() AND (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('transaction_tags'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id))))));

create policy transaction_tags_update on api.transaction_tags for update to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('transaction_tags'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id)))))
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('transaction_tags'::text, 'update'::text) AS can))) THEN true
    ELSE private.deny('transaction_tags'::text)
END);

create policy transactions_create on api.transactions for insert to authenticated
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('transactions'::text, 'create'::text) AS can))) THEN true
    ELSE private.deny('transactions'::text)
END);

create policy transactions_delete on api.transactions for delete to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('transactions'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id)))));

create policy transactions_read on api.transactions for select to authenticated
  using ((private.is_not_explained() AND ((transaction_date)::timestamp with time zone >= ( SELECT
        CASE
            WHEN ("right"(rtrim(split_part(current_query(), ' ORDER BY "api"."transactions"."transaction_date" DESC'::text, 1)), 7) = ANY (ARRAY['ON TRUE'::text, 'ctions"'::text, 'IS NULL'::text])) THEN private.oldest_of_page(private.rows_of_page('transactions'::text))
            ELSE '-infinity'::timestamp with time zone
        END AS "case")) AND (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('transactions'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id))))));

create policy transactions_update on api.transactions for update to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('transactions'::text, 'list'::text) AS can) AND (organization_id = ( SELECT public.org_id() AS org_id)))))
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT private.personal_id() AS personal_id))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('transactions'::text, 'update'::text) AS can))) THEN true
    ELSE private.deny('transactions'::text)
END);

CREATE TRIGGER "1_before_statement" BEFORE INSERT OR DELETE OR UPDATE ON api.accounts FOR EACH STATEMENT EXECUTE FUNCTION private.lock_tenants_of_statement();

CREATE TRIGGER "2_before_row" BEFORE INSERT OR DELETE OR UPDATE ON api.accounts FOR EACH ROW EXECUTE FUNCTION private.accounts_before_row();

CREATE TRIGGER "3_after_row" AFTER UPDATE OF currency ON api.accounts FOR EACH ROW WHEN ((old.currency <> new.currency)) EXECUTE FUNCTION private.accounts_after_row();

CREATE TRIGGER "4_record_change" AFTER UPDATE ON api.accounts REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_change();

CREATE TRIGGER "4_record_creation" AFTER INSERT ON api.accounts REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_creation();

CREATE TRIGGER "4_record_deletion" AFTER DELETE ON api.accounts REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_deletion();

CREATE TRIGGER "1_forget_import_updates" AFTER DELETE ON api.activity REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION private.forget_import_updates();

CREATE TRIGGER "1_updated_at" BEFORE UPDATE ON api.app_subscriptions FOR EACH ROW EXECUTE FUNCTION private.set_updated_at();

CREATE TRIGGER "1_before_statement" BEFORE INSERT OR DELETE OR UPDATE ON api.budgets FOR EACH STATEMENT EXECUTE FUNCTION private.lock_tenants_of_statement();

CREATE TRIGGER "2_before_row" BEFORE INSERT OR DELETE OR UPDATE ON api.budgets FOR EACH ROW EXECUTE FUNCTION private.budgets_before_row();

CREATE TRIGGER "3_after_row" AFTER INSERT OR DELETE OR UPDATE ON api.budgets FOR EACH ROW WHEN ((CURRENT_USER = 'authenticated'::name)) EXECUTE FUNCTION private.budgets_after_row();

CREATE TRIGGER "4_record_change" AFTER UPDATE ON api.budgets REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_change();

CREATE TRIGGER "4_record_creation" AFTER INSERT ON api.budgets REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_creation();

CREATE TRIGGER "4_record_deletion" AFTER DELETE ON api.budgets REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_deletion();

CREATE TRIGGER "1_before_statement" BEFORE INSERT OR DELETE OR UPDATE ON api.categories FOR EACH STATEMENT EXECUTE FUNCTION private.lock_tenants_of_statement();

CREATE TRIGGER "2_before_row" BEFORE INSERT OR DELETE OR UPDATE ON api.categories FOR EACH ROW EXECUTE FUNCTION private.categories_before_row();

CREATE TRIGGER "3_after_row" AFTER UPDATE OF monthly_budget, budget_currency ON api.categories FOR EACH ROW WHEN ((((old.monthly_budget IS DISTINCT FROM new.monthly_budget) OR (old.budget_currency IS DISTINCT FROM new.budget_currency)) AND (CURRENT_USER = 'authenticated'::name))) EXECUTE FUNCTION private.categories_after_row();

CREATE TRIGGER "4_record_change" AFTER UPDATE ON api.categories REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_change();

CREATE TRIGGER "4_record_creation" AFTER INSERT ON api.categories REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_creation();

CREATE TRIGGER "4_record_deletion" AFTER DELETE ON api.categories REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_deletion();

CREATE TRIGGER "1_before_statement" BEFORE INSERT OR DELETE OR UPDATE ON api.dashboards FOR EACH STATEMENT EXECUTE FUNCTION private.lock_tenants_of_statement();

CREATE TRIGGER "2_before_row" BEFORE INSERT OR DELETE OR UPDATE ON api.dashboards FOR EACH ROW EXECUTE FUNCTION private.dashboards_before_row();

CREATE TRIGGER "1_before_statement" BEFORE INSERT OR DELETE OR UPDATE ON api.exchange_rates FOR EACH STATEMENT EXECUTE FUNCTION private.lock_tenants_of_statement();

CREATE TRIGGER "2_before_row" BEFORE INSERT OR DELETE OR UPDATE ON api.exchange_rates FOR EACH ROW EXECUTE FUNCTION private.exchange_rates_before_row();

CREATE TRIGGER "3_record_change" AFTER UPDATE ON api.exchange_rates REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_change();

CREATE TRIGGER "3_record_creation" AFTER INSERT ON api.exchange_rates REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_creation();

CREATE TRIGGER "3_record_deletion" AFTER DELETE ON api.exchange_rates REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_deletion();

CREATE TRIGGER "1_before_statement" BEFORE INSERT OR DELETE OR UPDATE ON api.imports FOR EACH STATEMENT EXECUTE FUNCTION private.lock_tenants_of_statement();

CREATE TRIGGER "2_before_row" BEFORE INSERT OR DELETE OR UPDATE ON api.imports FOR EACH ROW EXECUTE FUNCTION private.imports_before_row();

CREATE TRIGGER "3_take_updates_back" BEFORE DELETE ON api.imports FOR EACH ROW WHEN ((CURRENT_USER = 'authenticated'::name)) EXECUTE FUNCTION private.take_import_updates_back();

CREATE TRIGGER "4_record_change" AFTER UPDATE ON api.imports REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_change();

CREATE TRIGGER "4_record_creation" AFTER INSERT ON api.imports REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_creation();

CREATE TRIGGER "4_record_deletion" AFTER DELETE ON api.imports REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_deletion();

CREATE TRIGGER "1_before_statement" BEFORE INSERT OR DELETE OR UPDATE ON api.line_items FOR EACH STATEMENT EXECUTE FUNCTION private.lock_tenants_of_statement();

CREATE TRIGGER "2_before_row" BEFORE INSERT OR DELETE OR UPDATE ON api.line_items FOR EACH ROW EXECUTE FUNCTION private.line_items_before_row();

CREATE TRIGGER "3_after_row" AFTER INSERT OR UPDATE OF category_id ON api.line_items FOR EACH ROW WHEN ((new.category_id IS NOT NULL)) EXECUTE FUNCTION private.line_items_after_row();

CREATE TRIGGER "4_keep_items_of_transfer_changed" AFTER UPDATE ON api.line_items REFERENCING NEW TABLE AS written FOR EACH STATEMENT WHEN ((CURRENT_USER = 'authenticated'::name)) EXECUTE FUNCTION private.keep_items_of_transfer();

CREATE TRIGGER "4_keep_items_of_transfer_created" AFTER INSERT ON api.line_items REFERENCING NEW TABLE AS written FOR EACH STATEMENT WHEN ((CURRENT_USER = 'authenticated'::name)) EXECUTE FUNCTION private.keep_items_of_transfer();

CREATE TRIGGER "5_note_changed" AFTER UPDATE ON api.line_items REFERENCING OLD TABLE AS overwritten NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION private.note_line_items();

CREATE TRIGGER "5_note_created" AFTER INSERT ON api.line_items REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION private.note_line_items();

CREATE TRIGGER "6_record_change" AFTER UPDATE ON api.line_items REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_change();

CREATE TRIGGER "6_record_creation" AFTER INSERT ON api.line_items REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_creation();

CREATE TRIGGER "6_record_deletion" AFTER DELETE ON api.line_items REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_deletion();

CREATE TRIGGER "1_before_statement" BEFORE INSERT OR DELETE OR UPDATE ON api.past_budgets FOR EACH STATEMENT EXECUTE FUNCTION private.lock_tenants_of_statement();

CREATE TRIGGER "2_before_row" BEFORE INSERT OR DELETE OR UPDATE ON api.past_budgets FOR EACH ROW EXECUTE FUNCTION private.past_budgets_before_row();

CREATE TRIGGER "3_record_change" AFTER UPDATE ON api.past_budgets REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_change();

CREATE TRIGGER "3_record_creation" AFTER INSERT ON api.past_budgets REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_creation();

CREATE TRIGGER "3_record_deletion" AFTER DELETE ON api.past_budgets REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_deletion();

CREATE TRIGGER "1_before_statement" BEFORE INSERT OR DELETE OR UPDATE ON api.subscriptions FOR EACH STATEMENT EXECUTE FUNCTION private.lock_tenants_of_statement();

CREATE TRIGGER "2_before_row" BEFORE INSERT OR DELETE OR UPDATE ON api.subscriptions FOR EACH ROW EXECUTE FUNCTION private.subscriptions_before_row();

CREATE TRIGGER "3_after_row" AFTER INSERT OR UPDATE OF category_id, account_id, currency ON api.subscriptions FOR EACH ROW WHEN (((new.category_id IS NOT NULL) OR (new.account_id IS NOT NULL))) EXECUTE FUNCTION private.subscriptions_after_row();

CREATE TRIGGER "4_record_change" AFTER UPDATE ON api.subscriptions REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_change();

CREATE TRIGGER "4_record_creation" AFTER INSERT ON api.subscriptions REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_creation();

CREATE TRIGGER "4_record_deletion" AFTER DELETE ON api.subscriptions REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_deletion();

CREATE TRIGGER "1_before_statement" BEFORE INSERT OR DELETE OR UPDATE ON api.tags FOR EACH STATEMENT EXECUTE FUNCTION private.lock_tenants_of_statement();

CREATE TRIGGER "2_before_row" BEFORE INSERT OR DELETE OR UPDATE ON api.tags FOR EACH ROW EXECUTE FUNCTION private.tags_before_row();

CREATE TRIGGER "3_record_change" AFTER UPDATE ON api.tags REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_change();

CREATE TRIGGER "3_record_creation" AFTER INSERT ON api.tags REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_creation();

CREATE TRIGGER "3_record_deletion" AFTER DELETE ON api.tags REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_deletion();

CREATE TRIGGER "1_before_statement" BEFORE INSERT OR DELETE OR UPDATE ON api.transaction_tags FOR EACH STATEMENT EXECUTE FUNCTION private.lock_tenants_of_statement();

CREATE TRIGGER "2_before_row" BEFORE INSERT OR DELETE OR UPDATE ON api.transaction_tags FOR EACH ROW EXECUTE FUNCTION private.transaction_tags_before_row();

CREATE TRIGGER "3_after_row" AFTER INSERT OR UPDATE ON api.transaction_tags FOR EACH ROW EXECUTE FUNCTION private.transaction_tags_after_row();

CREATE TRIGGER "4_record_change" AFTER UPDATE ON api.transaction_tags REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_changed_association();

CREATE TRIGGER "4_record_creation" AFTER INSERT ON api.transaction_tags REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_association();

CREATE TRIGGER "4_record_deletion" AFTER DELETE ON api.transaction_tags REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_deletion();

CREATE TRIGGER "1_before_statement" BEFORE INSERT OR DELETE OR UPDATE ON api.transactions FOR EACH STATEMENT EXECUTE FUNCTION private.lock_tenants_of_statement();

CREATE TRIGGER "2_before_naming_day" BEFORE UPDATE OF booked_on ON api.transactions FOR EACH ROW WHEN ((CURRENT_USER = 'authenticated'::name)) EXECUTE FUNCTION private.note_sent_day();

CREATE TRIGGER "3_before_row" BEFORE INSERT OR DELETE OR UPDATE ON api.transactions FOR EACH ROW EXECUTE FUNCTION private.transactions_before_row();

CREATE TRIGGER "4_after_row" AFTER INSERT OR UPDATE OF category_id, account_id, currency ON api.transactions FOR EACH ROW WHEN (((new.category_id IS NOT NULL) OR (new.account_id IS NOT NULL) OR (new.import_id IS NOT NULL))) EXECUTE FUNCTION private.transactions_after_row();

CREATE TRIGGER "5_after_insert_by_caller" AFTER INSERT ON api.transactions FOR EACH ROW WHEN (((new.transfer_id IS NOT NULL) AND (CURRENT_USER = 'authenticated'::name))) EXECUTE FUNCTION private.transactions_after_row_by_caller();

CREATE TRIGGER "5_after_update_by_caller" AFTER UPDATE ON api.transactions FOR EACH ROW WHEN ((((old.transfer_id IS NOT NULL) OR (new.transfer_id IS NOT NULL) OR (old.import_id IS NOT NULL)) AND (CURRENT_USER = 'authenticated'::name))) EXECUTE FUNCTION private.transactions_after_row_by_caller();

CREATE TRIGGER "6_after_update_by_owner" AFTER UPDATE OF transfer_id, user_id, organization_id ON api.transactions FOR EACH ROW WHEN (((old.transfer_id IS DISTINCT FROM new.transfer_id) OR (old.organization_id IS DISTINCT FROM new.organization_id) OR ((new.organization_id IS NULL) AND (old.user_id IS DISTINCT FROM new.user_id)))) EXECUTE FUNCTION private.transactions_after_update_by_owner();

CREATE TRIGGER "7_after_delete" AFTER DELETE ON api.transactions REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION private.transactions_after_delete();

CREATE TRIGGER "7_change_other_halves" AFTER UPDATE ON api.transactions REFERENCING NEW TABLE AS written FOR EACH STATEMENT WHEN ((CURRENT_USER = 'authenticated'::name)) EXECUTE FUNCTION private.change_other_halves();

CREATE TRIGGER "8_record_change" AFTER UPDATE ON api.transactions REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_change();

CREATE TRIGGER "8_record_creation" AFTER INSERT ON api.transactions REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_creation();

CREATE TRIGGER "8_record_deletion" AFTER DELETE ON api.transactions REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION private.record_deletion();

CREATE CONSTRAINT TRIGGER "9_line_items" AFTER UPDATE OF amount, currency ON api.transactions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((abs(new.amount) < abs(old.amount)) OR (new.currency <> old.currency))) EXECUTE FUNCTION private.check_line_items_of_transaction();

CREATE TRIGGER accounts_end_two_factor_tokens AFTER UPDATE OF password ON auth.accounts FOR EACH ROW WHEN ((old.password IS DISTINCT FROM new.password)) EXECUTE FUNCTION auth.end_two_factor_tokens();

CREATE TRIGGER accounts_record_credential AFTER INSERT OR DELETE ON auth.accounts FOR EACH ROW EXECUTE FUNCTION private.record_credential();

CREATE TRIGGER accounts_record_password AFTER UPDATE OF password ON auth.accounts FOR EACH ROW WHEN ((old.password IS DISTINCT FROM new.password)) EXECUTE FUNCTION private.record_credential();

CREATE TRIGGER api_keys_checked BEFORE INSERT ON auth.api_keys FOR EACH ROW EXECUTE FUNCTION private.check_api_key();

CREATE TRIGGER api_keys_record_created AFTER INSERT ON auth.api_keys FOR EACH ROW EXECUTE FUNCTION private.record_event('api_key_created');

CREATE TRIGGER api_keys_record_revoked AFTER DELETE ON auth.api_keys FOR EACH ROW WHEN ((old.expires_at > now())) EXECUTE FUNCTION private.record_event('api_key_revoked');

CREATE TRIGGER invitations_answered_once BEFORE UPDATE OF status ON auth.invitations FOR EACH ROW EXECUTE FUNCTION private.answer_pending_invitation();

CREATE TRIGGER invitations_checked BEFORE INSERT ON auth.invitations FOR EACH ROW EXECUTE FUNCTION private.check_invitation();

CREATE TRIGGER jwks_all_revoked AFTER TRUNCATE ON auth.jwks FOR EACH STATEMENT EXECUTE FUNCTION private.end_tokens_of_key();

CREATE TRIGGER jwks_notify AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON auth.jwks FOR EACH STATEMENT EXECUTE FUNCTION private.notify_postgrest();

CREATE TRIGGER jwks_revoked AFTER DELETE ON auth.jwks FOR EACH ROW WHEN (((old.signs_from IS NOT NULL) AND ((old.expires_at IS NULL) OR (old.expires_at > now())))) EXECUTE FUNCTION private.end_tokens_of_key();

CREATE TRIGGER members_end_api_keys AFTER UPDATE OF role ON auth.members FOR EACH ROW WHEN ((old.role <> new.role)) EXECUTE FUNCTION private.end_api_keys_of_role();

CREATE CONSTRAINT TRIGGER members_have_an_owner AFTER INSERT OR DELETE OR UPDATE ON auth.members DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION private.check_organization_has_owner();

CREATE TRIGGER members_limits BEFORE INSERT OR UPDATE OF role, user_id, organization_id ON auth.members FOR EACH ROW EXECUTE FUNCTION private.check_membership_limits();

CREATE TRIGGER members_record AFTER INSERT OR DELETE ON auth.members FOR EACH ROW EXECUTE FUNCTION private.record_membership();

CREATE TRIGGER members_record_role AFTER UPDATE OF role ON auth.members FOR EACH ROW WHEN ((old.role IS DISTINCT FROM new.role)) EXECUTE FUNCTION private.record_membership();

CREATE TRIGGER organizations_forget_activity AFTER DELETE ON auth.organizations FOR EACH ROW EXECUTE FUNCTION private.forget_activity_of_organization();

CREATE TRIGGER organizations_updated_at BEFORE UPDATE ON auth.organizations FOR EACH ROW EXECUTE FUNCTION private.set_updated_at();

CREATE TRIGGER passkeys_end_requirement AFTER DELETE ON auth.passkeys FOR EACH ROW EXECUTE FUNCTION auth.end_passkey_requirement();

CREATE TRIGGER passkeys_record_added AFTER INSERT ON auth.passkeys FOR EACH ROW EXECUTE FUNCTION private.record_event('passkey_added');

CREATE TRIGGER passkeys_record_deleted AFTER DELETE ON auth.passkeys FOR EACH ROW EXECUTE FUNCTION private.record_event('passkey_deleted');

CREATE TRIGGER sessions_record_revoked AFTER DELETE ON auth.sessions REFERENCING OLD TABLE AS revoked FOR EACH STATEMENT EXECUTE FUNCTION private.record_revoked_sessions();

CREATE TRIGGER sessions_record_sign_in AFTER INSERT ON auth.sessions FOR EACH ROW EXECUTE FUNCTION private.record_sign_in();

CREATE TRIGGER two_factor_tokens_record_device AFTER INSERT ON auth.two_factor_tokens FOR EACH ROW WHEN ((new.purpose = 'device'::text)) EXECUTE FUNCTION private.record_event('device_trusted');

CREATE TRIGGER two_factors_record_disabled AFTER DELETE ON auth.two_factors FOR EACH ROW WHEN ((old.enabled_at IS NOT NULL)) EXECUTE FUNCTION private.record_event('two_factor_disabled');

CREATE TRIGGER two_factors_record_enabled AFTER UPDATE OF enabled_at ON auth.two_factors FOR EACH ROW WHEN (((old.enabled_at IS NULL) AND (new.enabled_at IS NOT NULL))) EXECUTE FUNCTION private.record_event('two_factor_enabled');

CREATE TRIGGER two_factors_record_new_codes AFTER UPDATE OF backup_codes_made_at ON auth.two_factors FOR EACH ROW WHEN (((old.enabled_at IS NOT NULL) AND (new.backup_codes_made_at IS NOT NULL) AND (old.backup_codes_made_at IS DISTINCT FROM new.backup_codes_made_at))) EXECUTE FUNCTION private.record_event('backup_codes_created');

CREATE TRIGGER two_factors_record_void_codes AFTER UPDATE OF backup_codes_made_at ON auth.two_factors FOR EACH ROW WHEN (((old.backup_codes_made_at IS NOT NULL) AND (new.backup_codes_made_at IS NULL))) EXECUTE FUNCTION private.record_event('backup_codes_voided');

CREATE TRIGGER users_delete_personal_rows BEFORE DELETE ON auth.users FOR EACH ROW EXECUTE FUNCTION private.delete_personal_rows();

CREATE TRIGGER users_forget_events BEFORE DELETE ON auth.users FOR EACH ROW EXECUTE FUNCTION private.delete_events();

CREATE TRIGGER users_record_new_address AFTER UPDATE OF email ON auth.users FOR EACH ROW WHEN ((old.email IS DISTINCT FROM new.email)) EXECUTE FUNCTION private.record_new_address();

CREATE TRIGGER users_record_passkey_not_required AFTER UPDATE OF passkey_required ON auth.users FOR EACH ROW WHEN ((old.passkey_required AND (NOT new.passkey_required))) EXECUTE FUNCTION private.record_event('passkey_not_required', 'id');

CREATE TRIGGER users_record_passkey_required AFTER UPDATE OF passkey_required ON auth.users FOR EACH ROW WHEN ((new.passkey_required AND (NOT old.passkey_required))) EXECUTE FUNCTION private.record_event('passkey_required', 'id');

CREATE TRIGGER users_succession BEFORE DELETE ON auth.users FOR EACH ROW EXECUTE FUNCTION private.succeed_owner();

CREATE CONSTRAINT TRIGGER line_item_checks_check AFTER INSERT ON private.line_item_checks DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION private.check_line_items();

grant select on api.accounts to anon;

grant delete, insert, select, update on api.accounts to authenticated;

grant select on api.activity to anon;

grant select on api.activity to authenticated;

grant select on api.app_subscriptions to anon;

grant select on api.app_subscriptions to authenticated;

grant select on api.budgets to anon;

grant delete, insert, select, update on api.budgets to authenticated;

grant select on api.categories to anon;

grant delete, insert, select, update on api.categories to authenticated;

grant select on api.dashboards to anon;

grant delete, insert, select, update on api.dashboards to authenticated;

grant select on api.exchange_rates to anon;

grant delete, insert, select, update on api.exchange_rates to authenticated;

grant select on api.imports to anon;

grant delete, select on api.imports to authenticated;

grant select on api.line_items to anon;

grant delete, insert, select, update on api.line_items to authenticated;

grant select on api.past_budgets to anon;

grant delete, insert, select, update on api.past_budgets to authenticated;

grant select on api.subscriptions to anon;

grant delete, insert, select, update on api.subscriptions to authenticated;

grant select on api.tags to anon;

grant delete, insert, select, update on api.tags to authenticated;

grant select on api.transaction_tags to anon;

grant delete, insert, select, update on api.transaction_tags to authenticated;

grant select on api.transactions to anon;

grant delete, insert, select, update on api.transactions to authenticated;

grant delete, insert, select, update on auth.accounts to auth_service;

grant delete, insert, select, update on auth.api_keys to auth_service;

grant delete, select on auth.events to auth_service;

grant update on auth.events.mail_to to auth_service;

grant delete, insert, select, update on auth.invitations to auth_service;

grant delete, insert, select, update on auth.jwks to auth_service;

grant delete, insert, select, update on auth.members to auth_service;

grant delete, insert, select, update on auth.organizations to auth_service;

grant delete, insert, select, update on auth.passkeys to auth_service;

grant delete, insert, select, update on auth.rate_limits to auth_service;

grant delete, insert, select, update on auth.sessions to auth_service;

grant delete, insert, select, update on auth.two_factor_tokens to auth_service;

grant delete, insert, select, update on auth.two_factors to auth_service;

grant delete, insert, select, update on auth.users to auth_service;

grant delete, insert, select, update on auth.verifications to auth_service;

grant execute on function api.create_transfer(json) to authenticated;

grant execute on function api.create_transfer(uuid,uuid,numeric,text,text,numeric) to authenticated;

grant execute on function api.current_balance(api.accounts) to authenticated;

grant execute on function api.delete_category(json) to authenticated;

grant execute on function api.delete_category(uuid,uuid) to authenticated;

grant execute on function api.get_budget_comparison(json) to authenticated;

grant execute on function api.get_budget_comparison(text,text,text,text,text) to authenticated;

grant execute on function api.get_cash_flow(json) to authenticated;

grant execute on function api.get_cash_flow(text,integer,text,uuid,integer,text) to authenticated;

grant execute on function api.get_filtered_transactions(jsonb) to authenticated;

grant execute on function api.get_transaction_aggregate(json) to authenticated;

grant execute on function api.get_transaction_aggregate(jsonb,text,text,text) to authenticated;

grant execute on function api.get_transaction_distribution_by_category(json) to authenticated;

grant execute on function api.get_transaction_distribution_by_category(jsonb,text) to authenticated;

grant execute on function api.get_transaction_stat(json) to authenticated;

grant execute on function api.get_transaction_stat(text,text,jsonb,text,text,text) to authenticated;

grant execute on function api.get_upcoming(json) to authenticated;

grant execute on function api.get_upcoming(text,text,text) to authenticated;

grant execute on function api.import_transactions(json) to authenticated;

grant execute on function api.import_transactions(jsonb,text,uuid,text,boolean) to authenticated;

grant execute on function api.monthly_cost(api.subscriptions) to authenticated;

grant execute on function api.next_due_on(api.subscriptions) to authenticated;

grant execute on function api.one_object(anyelement) to anon;

grant execute on function api.one_object(anyelement) to authenticated;

grant execute on function api.record_subscription(json) to authenticated;

grant execute on function api.record_subscription(uuid,text) to authenticated;

grant execute on function api.undo(json) to authenticated;

grant execute on function api.undo(uuid) to authenticated;

grant execute on function auth.consume_rate_limit(text,integer,integer) to auth_service;

grant execute on function auth.is_alive(auth.api_keys) to auth_service;

grant execute on function auth.role_rank(text) to auth_service;

grant execute on function auth.successor_of(text) to auth_service;

grant execute on function private.active_product(text,text) to auth_service;

grant execute on function private.ask_policy(regclass,text,anyelement) to authenticated;

grant execute on function private.asked_currency(text,text) to authenticated;

grant execute on function private.bank_history(uuid[]) to authenticated;

grant execute on function private.bank_values(numeric,text,text,timestamp with time zone,date,text,text,jsonb) to authenticated;

grant execute on function private.begin_import(text,uuid,text,bigint) to authenticated;

grant execute on function private.budget_comparison_statement(text,text,text,text,text) to authenticated;

grant execute on function private.budget_terms(text,date) to authenticated;

grant execute on function private.can(text,text) to authenticated;

grant execute on function private.cash_flow_statement(text,integer,text,uuid,integer,text) to authenticated;

grant execute on function private.check_category(text,uuid,text,text) to authenticated;

grant execute on function private.constraints() to authenticated;

grant execute on function private.context_condition(text,text) to authenticated;

grant execute on function private.converted(text,text) to authenticated;

grant execute on function private.converted_rows(text,text,text) to authenticated;

grant execute on function private.currency_codes() to authenticated;

grant execute on function private.currency_decimals(text) to authenticated;

grant execute on function private.currency_of_account(uuid,text,text) to authenticated;

grant execute on function private.currency_of_transaction(uuid) to authenticated;

grant execute on function private.date_condition(tstzmultirange,datemultirange) to authenticated;

grant execute on function private.date_range(text,text,text) to authenticated;

grant execute on function private.days_condition(daterange) to authenticated;

grant execute on function private.days_of(tsmultirange) to authenticated;

grant execute on function private.deny(text) to authenticated;

grant execute on function private.describe_columns(regclass,text[]) to authenticated;

grant execute on function private.distribution_statement(jsonb,text) to authenticated;

grant execute on function private.due_costs(date,date,integer) to authenticated;

grant execute on function private.essence(jsonb) to authenticated;

grant execute on function private.exchange_rates(text,text,text) to authenticated;

grant execute on function private.filter_conditions(jsonb) to authenticated;

grant execute on function private.filter_literal(text,jsonb,text) to authenticated;

grant execute on function private.filter_ranges(text,text[],boolean) to authenticated;

grant execute on function private.filters_to_sql(jsonb) to authenticated;

grant execute on function private.fits_cents(numeric,text) to authenticated;

grant execute on function private.forget_activity(integer,integer) to auth_service;

grant execute on function private.invalid(text,text) to authenticated;

grant execute on function private.is_currency(text) to authenticated;

grant execute on function private.is_date_range(jsonb) to authenticated;

grant execute on function private.is_layout(jsonb) to authenticated;

grant execute on function private.is_merge() to authenticated;

grant execute on function private.is_moment(text) to authenticated;

grant execute on function private.is_not_explained() to authenticated;

grant execute on function private.is_of_import(uuid,uuid) to authenticated;

grant execute on function private.is_one_too_many(text) to authenticated;

grant execute on function private.is_untouched(uuid,timestamp with time zone,timestamp with time zone) to authenticated;

grant execute on function private.judge_import(jsonb,text,uuid,text) to authenticated;

grant execute on function private.latest_rate(text,text,text,text) to authenticated;

grant execute on function private.left_out() to authenticated;

grant execute on function private.lock_tenants(text) to authenticated;

grant execute on function private.mark_day(date) to authenticated;

grant execute on function private.mark_for_standbys() to auth_service;

grant execute on function private.marked_day(timestamp with time zone) to authenticated;

grant execute on function private.may_write(text,text,text,text) to authenticated;

grant execute on function private.moment(text) to authenticated;

grant execute on function private.moments(datemultirange) to authenticated;

grant execute on function private.months_between(date,date) to authenticated;

grant execute on function private.most_rows_of_change() to authenticated;

grant execute on function private.occurrence_id(uuid,date) to authenticated;

grant execute on function private.occurrences(api.subscriptions,date,date) to authenticated;

grant execute on function private.oldest_of_page(bigint) to authenticated;

grant execute on function private.one_more(text) to authenticated;

grant execute on function private.owner_of_new(text,uuid,text) to authenticated;

grant execute on function private.owner_of_part(text,uuid) to authenticated;

grant execute on function private.parse_filters(jsonb) to authenticated;

grant execute on function private.personal_id() to authenticated;

grant execute on function private.plain_numbers(jsonb) to authenticated;

grant execute on function private.postgrest_listeners() to auth_service;

grant execute on function private.postgrest_processes() to auth_service;

grant execute on function private.pre_config() to authenticator;

grant execute on function private.pre_request() to anon;

grant execute on function private.pre_request() to authenticated;

grant execute on function private.preset_days(text,date) to authenticated;

grant execute on function private.preset_range(text) to authenticated;

grant execute on function private.presets() to authenticated;

grant execute on function private.range_condition(text,anymultirange) to authenticated;

grant execute on function private.reach(tstzmultirange,datemultirange) to authenticated;

grant execute on function private.read_day(json) to authenticated;

grant execute on function private.read_day(json) to authenticator;

grant execute on function private.read_first_day(json) to authenticated;

grant execute on function private.read_first_day(json) to authenticator;

grant execute on function private.read_import(jsonb,text) to authenticated;

grant execute on function private.read_moment(json) to authenticated;

grant execute on function private.read_moment(json) to authenticator;

grant execute on function private.recognize_import(api.transactions) to authenticated;

grant execute on function private.recording(api.subscriptions,date) to authenticated;

grant execute on function private.refuse(text,text,text,integer,jsonb) to authenticated;

grant execute on function private.refuse_estimate() to authenticated;

grant execute on function private.refuse_hidden_row(text,uuid) to authenticated;

grant execute on function private.refuse_many_rows() to authenticated;

grant execute on function private.refuse_missing_rate(text,text,date) to authenticated;

grant execute on function private.refuse_null(regclass,text) to authenticated;

grant execute on function private.refuse_overflow(regclass,text) to authenticated;

grant execute on function private.refuse_reference(text,text,text) to authenticated;

grant execute on function private.refuse_row(regclass,text,anyelement,text) to authenticated;

grant execute on function private.refuse_value(regclass,text) to authenticated;

grant execute on function private.report_transactions(text,jsonb,text,boolean,boolean,text) to authenticated;

grant execute on function private.require_plain_numbers(jsonb,text) to authenticated;

grant execute on function private.row_exists(text,uuid) to authenticated;

grant execute on function private.rows_of_page(text) to authenticated;

grant execute on function private.same_tenant(text,text,text,text) to authenticated;

grant execute on function private.split_allocations(text,text,text,boolean,boolean) to authenticated;

grant execute on function private.take_back(uuid) to authenticated;

grant execute on function private.take_import_back(uuid) to authenticated;

grant execute on function private.target_currency(text) to authenticated;

grant execute on function private.text_of(api.transactions,text) to authenticated;

grant execute on function private.to_moment(text,text,boolean) to authenticated;

grant execute on function private.transaction_aggregate_statement(jsonb,text,text,text) to authenticated;

grant execute on function private.transaction_stat_statement(text,text,jsonb,text,text,text) to authenticated;

grant execute on function private.transferred(numeric,text) to authenticated;

grant execute on function private.whole_day(text) to authenticated;

grant execute on function private.write_once(anyelement,text[]) to authenticated;

grant execute on function public.org_id() to anon;

grant execute on function public.org_id() to authenticated;

grant execute on function public.org_role() to anon;

grant execute on function public.org_role() to authenticated;

grant execute on function public.uid() to anon;

grant execute on function public.uid() to authenticated;

grant select on private.migrations to auth_service;

grant select on private.products to auth_service;

grant select on private.settings to auth_service;

grant usage on schema api to anon;

grant usage on schema api to authenticated;

grant usage on schema auth to auth_service;

grant usage on schema private to anon;

grant usage on schema private to auth_service;

grant usage on schema private to authenticated;

grant usage on schema private to authenticator;

grant usage on schema public to public;

grant usage on type private."application/vnd.rest.object+json" to public;

grant usage on type private.day to public;

grant usage on type private.effect to public;

grant usage on type private.first_day to public;

grant usage on type private.moment to public;

grant usage on type private.one_row to public;
