-- The present, written by `npm run schema`. Change it in db/migrations, db/functions and db/rules.

create schema api;

create schema auth;

create schema graphile_worker;

create schema private;

create domain private."application/vnd.rest.object+json" as json;

create type private.one_row as (seen bigint, first json);

create table api.accounts (
  id uuid default gen_random_uuid() not null,
  name text not null,
  type text not null,
  currency text default 'usd'::text not null,
  balance numeric(14,2) default 0 not null,
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
  constraint accounts_metadata_size CHECK ((octet_length((metadata)::text) <= 16384)),
  constraint accounts_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
  constraint accounts_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES auth.organizations(id) ON DELETE CASCADE,
  constraint accounts_pkey PRIMARY KEY (id),
  constraint accounts_type_known CHECK ((type = ANY (ARRAY['checking'::text, 'savings'::text, 'credit_card'::text, 'cash'::text, 'investment'::text]))),
  constraint accounts_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE SET NULL
);
alter table api.accounts alter column user_id set (n_distinct=-0.03);
alter table api.accounts alter column organization_id set (n_distinct=-0.03);
alter table api.accounts enable row level security;

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

create table api.categories (
  id uuid default gen_random_uuid() not null,
  name text not null,
  color text,
  icon text,
  monthly_budget numeric(14,2),
  user_id text default public.uid(),
  organization_id text default public.org_id(),
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint categories_color_is_hex CHECK ((color ~ '^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$'::text)),
  constraint categories_have_an_owner CHECK (((user_id IS NOT NULL) OR (organization_id IS NOT NULL))),
  constraint categories_icon_length CHECK ((char_length(icon) <= 100)),
  constraint categories_monthly_budget_is_amount CHECK (((monthly_budget >= (0)::numeric) AND (monthly_budget <> 'NaN'::numeric))),
  constraint categories_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
  constraint categories_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES auth.organizations(id) ON DELETE CASCADE,
  constraint categories_pkey PRIMARY KEY (id),
  constraint categories_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE SET NULL
);
alter table api.categories alter column user_id set (n_distinct=-0.03);
alter table api.categories alter column organization_id set (n_distinct=-0.03);
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
  constraint dashboards_filters_size CHECK ((octet_length((filters)::text) <= 16384)),
  constraint dashboards_have_an_owner CHECK (((user_id IS NOT NULL) OR (organization_id IS NOT NULL))),
  constraint dashboards_layout_depth CHECK ((NOT jsonb_path_exists(layout, '$.**{17}'::jsonpath))),
  constraint dashboards_layout_form CHECK (private.is_layout(layout)),
  constraint dashboards_layout_size CHECK ((octet_length((layout)::text) <= 65536)),
  constraint dashboards_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
  constraint dashboards_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES auth.organizations(id) ON DELETE CASCADE,
  constraint dashboards_pkey PRIMARY KEY (id),
  constraint dashboards_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE SET NULL,
  constraint dashboards_visibility_known CHECK ((visibility = ANY (ARRAY['private'::text, 'shared'::text, 'public'::text])))
);
alter table api.dashboards alter column user_id set (n_distinct=-0.03);
alter table api.dashboards alter column organization_id set (n_distinct=-0.03);
alter table api.dashboards enable row level security;

create table api.line_items (
  id uuid default gen_random_uuid() not null,
  transaction_id uuid not null,
  name text not null,
  amount numeric(14,2) not null,
  quantity numeric(14,3) default 1 not null,
  category_id uuid,
  constraint line_items_amount_is_number CHECK ((amount <> 'NaN'::numeric)),
  constraint line_items_category_id_fkey FOREIGN KEY (category_id) REFERENCES api.categories(id) ON DELETE SET NULL,
  constraint line_items_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
  constraint line_items_pkey PRIMARY KEY (id),
  constraint line_items_quantity_is_number CHECK ((quantity <> 'NaN'::numeric)),
  constraint line_items_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES api.transactions(id) ON DELETE CASCADE
);
alter table api.line_items enable row level security;

create table api.subscriptions (
  id uuid default gen_random_uuid() not null,
  title text not null,
  amount numeric(14,2) not null,
  period text not null,
  description text,
  logo_url text,
  interval_in_days bigint,
  category_id uuid,
  user_id text default public.uid(),
  organization_id text default public.org_id(),
  constraint subscriptions_amount_is_number CHECK ((amount <> 'NaN'::numeric)),
  constraint subscriptions_category_id_fkey FOREIGN KEY (category_id) REFERENCES api.categories(id) ON DELETE SET NULL,
  constraint subscriptions_description_length CHECK ((char_length(description) <= 5000)),
  constraint subscriptions_have_an_owner CHECK (((user_id IS NOT NULL) OR (organization_id IS NOT NULL))),
  constraint subscriptions_interval_in_days_in_range CHECK (((interval_in_days >= 1) AND (interval_in_days <= 3660))),
  constraint subscriptions_logo_url_form CHECK (((logo_url ~ '^https?://[^[:space:]]+$'::text) AND (char_length(logo_url) <= 2048))),
  constraint subscriptions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES auth.organizations(id) ON DELETE CASCADE,
  constraint subscriptions_period_known CHECK ((period = ANY (ARRAY['monthly'::text, 'yearly'::text, 'quarterly'::text, 'semi-annually'::text, 'weekly'::text, 'daily'::text]))),
  constraint subscriptions_pkey PRIMARY KEY (id),
  constraint subscriptions_title_length CHECK (((char_length(title) >= 1) AND (char_length(title) <= 255))),
  constraint subscriptions_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE SET NULL
);
alter table api.subscriptions alter column user_id set (n_distinct=-0.03);
alter table api.subscriptions alter column organization_id set (n_distinct=-0.03);
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
alter table api.tags alter column user_id set (n_distinct=-0.03);
alter table api.tags alter column organization_id set (n_distinct=-0.03);
alter table api.tags enable row level security;

create table api.transaction_tags (
  transaction_id uuid not null,
  tag_id uuid not null,
  constraint transaction_tags_pkey PRIMARY KEY (transaction_id, tag_id),
  constraint transaction_tags_tag_id_fkey FOREIGN KEY (tag_id) REFERENCES api.tags(id) ON DELETE CASCADE,
  constraint transaction_tags_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES api.transactions(id) ON DELETE CASCADE
);
alter table api.transaction_tags enable row level security;

create table api.transactions (
  id uuid default gen_random_uuid() not null,
  amount numeric(14,2) not null,
  name text not null,
  currency text default 'usd'::text not null,
  user_id text default public.uid(),
  organization_id text default public.org_id(),
  external_id text,
  category_id uuid,
  reference_no text,
  description text,
  status text default 'paid'::text not null,
  source text default 'manual'::text not null,
  metadata jsonb,
  transaction_date timestamp with time zone default now() not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint transactions_amount_is_number CHECK ((amount <> 'NaN'::numeric)),
  constraint transactions_category_id_fkey FOREIGN KEY (category_id) REFERENCES api.categories(id) ON DELETE SET NULL,
  constraint transactions_currency_form CHECK ((currency ~ '^[a-z]{3}$'::text)),
  constraint transactions_date_in_range CHECK (((transaction_date >= '1900-01-01 00:00:00+00'::timestamp with time zone) AND (transaction_date < '2200-01-01 00:00:00+00'::timestamp with time zone))),
  constraint transactions_description_length CHECK ((char_length(description) <= 5000)),
  constraint transactions_external_id_length CHECK (((char_length(external_id) >= 1) AND (char_length(external_id) <= 255))),
  constraint transactions_have_an_owner CHECK (((user_id IS NOT NULL) OR (organization_id IS NOT NULL))),
  constraint transactions_metadata_depth CHECK ((NOT jsonb_path_exists(metadata, '$.**{17}'::jsonpath))),
  constraint transactions_metadata_size CHECK ((octet_length((metadata)::text) <= 16384)),
  constraint transactions_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
  constraint transactions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES auth.organizations(id) ON DELETE CASCADE,
  constraint transactions_pkey PRIMARY KEY (id),
  constraint transactions_reference_no_length CHECK ((char_length(reference_no) <= 255)),
  constraint transactions_source_length CHECK (((char_length(source) >= 1) AND (char_length(source) <= 64))),
  constraint transactions_status_known CHECK ((status = ANY (ARRAY['paid'::text, 'pending'::text, 'failed'::text]))),
  constraint transactions_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE SET NULL
);
alter table api.transactions alter column user_id set (n_distinct=-0.03);
alter table api.transactions alter column organization_id set (n_distinct=-0.03);
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

create table auth.users (
  id text not null,
  name text not null,
  email text not null,
  email_verified boolean default false not null,
  image text,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
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
  constraint role_permissions_action_check CHECK ((action = ANY (ARRAY['list'::text, 'get'::text, 'create'::text, 'update'::text, 'delete'::text, 'list_private'::text]))),
  constraint role_permissions_pkey PRIMARY KEY (role, resource, action),
  constraint role_permissions_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'editor'::text, 'viewer'::text])))
);

create table private.settings (
  singleton boolean default true not null,
  public_url text not null,
  key_rotation_requested_at timestamp with time zone,
  places_per_person bigint default 4 not null,
  places_of_anonymous bigint default 2 not null,
  constraint settings_pkey PRIMARY KEY (singleton),
  constraint settings_singleton_check CHECK (singleton)
);

CREATE INDEX accounts_personal ON api.accounts USING btree (user_id, organization_id, name);

CREATE INDEX accounts_team ON api.accounts USING btree (organization_id, name);

CREATE INDEX app_subscriptions_product_id ON api.app_subscriptions USING btree (product_id);

CREATE INDEX app_subscriptions_user_id ON api.app_subscriptions USING btree (user_id, period_end);

CREATE INDEX categories_personal ON api.categories USING btree (user_id, organization_id, name);

CREATE INDEX categories_team ON api.categories USING btree (organization_id, name);

CREATE INDEX dashboards_personal ON api.dashboards USING btree (user_id, organization_id, name);

CREATE INDEX dashboards_team ON api.dashboards USING btree (organization_id, name);

CREATE INDEX line_items_category_id ON api.line_items USING btree (category_id) WHERE (category_id IS NOT NULL);

CREATE INDEX line_items_transaction_id ON api.line_items USING btree (transaction_id);

CREATE INDEX subscriptions_category_id ON api.subscriptions USING btree (category_id) WHERE (category_id IS NOT NULL);

CREATE INDEX subscriptions_personal ON api.subscriptions USING btree (user_id, organization_id, title);

CREATE INDEX subscriptions_team ON api.subscriptions USING btree (organization_id, title);

CREATE INDEX tags_personal ON api.tags USING btree (user_id, organization_id, name);

CREATE INDEX tags_team ON api.tags USING btree (organization_id, name);

CREATE INDEX transaction_tags_tag_id ON api.transaction_tags USING btree (tag_id);

CREATE INDEX transactions_category_id ON api.transactions USING btree (category_id) WHERE (category_id IS NOT NULL);

CREATE INDEX transactions_personal ON api.transactions USING btree (user_id, organization_id, transaction_date DESC);

CREATE UNIQUE INDEX transactions_personal_import ON api.transactions USING btree (user_id, source, external_id) WHERE ((organization_id IS NULL) AND (external_id IS NOT NULL));

CREATE INDEX transactions_team ON api.transactions USING btree (organization_id, transaction_date DESC);

CREATE UNIQUE INDEX transactions_team_import ON api.transactions USING btree (organization_id, source, external_id) WHERE ((organization_id IS NOT NULL) AND (external_id IS NOT NULL));

CREATE INDEX accounts_user_id ON auth.accounts USING btree (user_id);

CREATE INDEX invitations_email ON auth.invitations USING btree (email);

CREATE INDEX invitations_expires_at ON auth.invitations USING btree (expires_at);

CREATE INDEX invitations_inviter_id ON auth.invitations USING btree (inviter_id);

CREATE UNIQUE INDEX invitations_one_pending ON auth.invitations USING btree (organization_id, email) WHERE (status = 'pending'::text);

CREATE INDEX invitations_organization_id ON auth.invitations USING btree (organization_id);

CREATE UNIQUE INDEX jwks_one_pending ON auth.jwks USING btree ((true)) WHERE (signs_from IS NULL);

CREATE UNIQUE INDEX jwks_one_signing ON auth.jwks USING btree ((true)) WHERE ((signs_from IS NOT NULL) AND (expires_at IS NULL));

CREATE UNIQUE INDEX members_one_owner ON auth.members USING btree (organization_id) WHERE (role = 'owner'::text);

CREATE INDEX members_user_id ON auth.members USING btree (user_id);

CREATE INDEX rate_limits_window_started_at ON auth.rate_limits USING btree (window_started_at);

CREATE INDEX sessions_active_organization ON auth.sessions USING btree (active_organization_id, user_id);

CREATE INDEX sessions_expires_at ON auth.sessions USING btree (expires_at);

CREATE INDEX sessions_user_id ON auth.sessions USING btree (user_id);

CREATE INDEX verifications_expires_at ON auth.verifications USING btree (expires_at);

CREATE INDEX verifications_identifier ON auth.verifications USING btree (identifier);

create policy accounts_create on api.accounts for insert to authenticated
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('accounts'::text, 'create'::text) AS can))) THEN true
    ELSE private.deny('accounts'::text)
END);

create policy accounts_delete on api.accounts for delete to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('accounts'::text, 'list'::text) AS can))));

create policy accounts_read on api.accounts for select to authenticated
  using ((private.is_plain_query() AND (((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('accounts'::text, 'list'::text) AS can)))));

create policy accounts_update on api.accounts for update to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('accounts'::text, 'list'::text) AS can))))
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('accounts'::text, 'update'::text) AS can))) THEN true
    ELSE private.deny('accounts'::text)
END);

create policy app_subscriptions_read_own on api.app_subscriptions for select to authenticated
  using ((private.is_plain_query() AND (user_id = ( SELECT public.uid() AS uid))));

create policy categories_create on api.categories for insert to authenticated
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('categories'::text, 'create'::text) AS can))) THEN true
    ELSE private.deny('categories'::text)
END);

create policy categories_delete on api.categories for delete to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('categories'::text, 'list'::text) AS can))));

create policy categories_read on api.categories for select to authenticated
  using ((private.is_plain_query() AND (((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('categories'::text, 'list'::text) AS can)))));

create policy categories_update on api.categories for update to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('categories'::text, 'list'::text) AS can))))
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('categories'::text, 'update'::text) AS can))) THEN true
    ELSE private.deny('categories'::text)
END);

create policy dashboards_create on api.dashboards for insert to authenticated
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('dashboards'::text, 'create'::text) AS can))) THEN true
    ELSE private.deny('dashboards'::text)
END);

create policy dashboards_delete on api.dashboards for delete to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('dashboards'::text, 'list'::text) AS can) AND ((visibility = ANY (ARRAY['shared'::text, 'public'::text])) OR ( SELECT private.can('dashboards'::text, 'list_private'::text) AS can)))));

create policy dashboards_read on api.dashboards for select to authenticated
  using ((private.is_plain_query() AND (((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('dashboards'::text, 'list'::text) AS can) AND ((visibility = ANY (ARRAY['shared'::text, 'public'::text])) OR ( SELECT private.can('dashboards'::text, 'list_private'::text) AS can))))));

create policy dashboards_update on api.dashboards for update to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('dashboards'::text, 'list'::text) AS can) AND ((visibility = ANY (ARRAY['shared'::text, 'public'::text])) OR ( SELECT private.can('dashboards'::text, 'list_private'::text) AS can)))))
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('dashboards'::text, 'update'::text) AS can))) THEN true
    ELSE private.deny('dashboards'::text)
END);

create policy line_items_create on api.line_items for insert to authenticated
  with check (
CASE
    WHEN (EXISTS ( SELECT
       FROM api.transactions t
      WHERE ((t.id = line_items.transaction_id) AND ((t.organization_id IS NULL) OR ( SELECT private.can('line_items'::text, 'create'::text) AS can))))) THEN true
    ELSE private.deny('line_items'::text)
END);

create policy line_items_delete on api.line_items for delete to authenticated
  using ((EXISTS ( SELECT
   FROM api.transactions t
  WHERE (t.id = line_items.transaction_id))));

create policy line_items_read on api.line_items for select to authenticated
  using ((private.is_plain_query() AND (EXISTS ( SELECT
   FROM api.transactions t
  WHERE (t.id = line_items.transaction_id)))));

create policy line_items_update on api.line_items for update to authenticated
  using ((EXISTS ( SELECT
   FROM api.transactions t
  WHERE (t.id = line_items.transaction_id))))
  with check (
CASE
    WHEN (EXISTS ( SELECT
       FROM api.transactions t
      WHERE ((t.id = line_items.transaction_id) AND ((t.organization_id IS NULL) OR ( SELECT private.can('line_items'::text, 'update'::text) AS can))))) THEN true
    ELSE private.deny('line_items'::text)
END);

create policy subscriptions_create on api.subscriptions for insert to authenticated
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('subscriptions'::text, 'create'::text) AS can))) THEN true
    ELSE private.deny('subscriptions'::text)
END);

create policy subscriptions_delete on api.subscriptions for delete to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('subscriptions'::text, 'list'::text) AS can))));

create policy subscriptions_read on api.subscriptions for select to authenticated
  using ((private.is_plain_query() AND (((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('subscriptions'::text, 'list'::text) AS can)))));

create policy subscriptions_update on api.subscriptions for update to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('subscriptions'::text, 'list'::text) AS can))))
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('subscriptions'::text, 'update'::text) AS can))) THEN true
    ELSE private.deny('subscriptions'::text)
END);

create policy tags_create on api.tags for insert to authenticated
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('tags'::text, 'create'::text) AS can))) THEN true
    ELSE private.deny('tags'::text)
END);

create policy tags_delete on api.tags for delete to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('tags'::text, 'list'::text) AS can))));

create policy tags_read on api.tags for select to authenticated
  using ((private.is_plain_query() AND (((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('tags'::text, 'list'::text) AS can)))));

create policy tags_update on api.tags for update to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('tags'::text, 'list'::text) AS can))))
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('tags'::text, 'update'::text) AS can))) THEN true
    ELSE private.deny('tags'::text)
END);

create policy transaction_tags_create on api.transaction_tags for insert to authenticated
  with check (
CASE
    WHEN (EXISTS ( SELECT
       FROM api.transactions t
      WHERE ((t.id = transaction_tags.transaction_id) AND ((t.organization_id IS NULL) OR ( SELECT private.can('transaction_tags'::text, 'create'::text) AS can))))) THEN true
    ELSE private.deny('transaction_tags'::text)
END);

create policy transaction_tags_delete on api.transaction_tags for delete to authenticated
  using ((EXISTS ( SELECT
   FROM api.transactions t
  WHERE (t.id = transaction_tags.transaction_id))));

create policy transaction_tags_read on api.transaction_tags for select to authenticated
  using ((private.is_plain_query() AND (EXISTS ( SELECT
   FROM api.transactions t
  WHERE (t.id = transaction_tags.transaction_id)))));

create policy transaction_tags_update on api.transaction_tags for update to authenticated
  using ((EXISTS ( SELECT
   FROM api.transactions t
  WHERE (t.id = transaction_tags.transaction_id))))
  with check (
CASE
    WHEN (EXISTS ( SELECT
       FROM api.transactions t
      WHERE ((t.id = transaction_tags.transaction_id) AND ((t.organization_id IS NULL) OR ( SELECT private.can('transaction_tags'::text, 'update'::text) AS can))))) THEN true
    ELSE private.deny('transaction_tags'::text)
END);

create policy transactions_create on api.transactions for insert to authenticated
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('transactions'::text, 'create'::text) AS can))) THEN true
    ELSE private.deny('transactions'::text)
END);

create policy transactions_delete on api.transactions for delete to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('transactions'::text, 'list'::text) AS can))));

create policy transactions_read on api.transactions for select to authenticated
  using ((private.is_plain_query() AND (((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('transactions'::text, 'list'::text) AS can)))));

create policy transactions_update on api.transactions for update to authenticated
  using ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('transactions'::text, 'list'::text) AS can))))
  with check (
CASE
    WHEN (((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('transactions'::text, 'update'::text) AS can))) THEN true
    ELSE private.deny('transactions'::text)
END);

CREATE TRIGGER accounts_1_set_owner BEFORE INSERT ON api.accounts FOR EACH ROW EXECUTE FUNCTION private.set_owner();

CREATE TRIGGER accounts_keep_owner BEFORE UPDATE ON api.accounts FOR EACH ROW WHEN (((old.id <> new.id) OR (old.user_id IS DISTINCT FROM new.user_id) OR (old.organization_id IS DISTINCT FROM new.organization_id))) EXECUTE FUNCTION private.keep_identity();

CREATE TRIGGER accounts_lower_currency BEFORE INSERT OR UPDATE OF currency ON api.accounts FOR EACH ROW WHEN ((new.currency <> lower(new.currency))) EXECUTE FUNCTION private.lower_currency();

CREATE TRIGGER accounts_mask_account_number BEFORE INSERT OR UPDATE OF account_number ON api.accounts FOR EACH ROW WHEN ((new.account_number IS NOT NULL)) EXECUTE FUNCTION private.mask_account_number();

CREATE TRIGGER accounts_require_delete BEFORE DELETE ON api.accounts FOR EACH ROW WHEN ((old.organization_id IS NOT NULL)) EXECUTE FUNCTION private.require_delete();

CREATE TRIGGER accounts_set_timestamps BEFORE INSERT OR UPDATE ON api.accounts FOR EACH ROW EXECUTE FUNCTION private.set_timestamps('created_at', 'updated_at');

CREATE TRIGGER accounts_take_turn BEFORE INSERT OR DELETE OR UPDATE ON api.accounts FOR EACH STATEMENT EXECUTE FUNCTION private.take_turn();

CREATE TRIGGER accounts_write_once BEFORE INSERT ON api.accounts FOR EACH ROW WHEN ((current_setting('request.headers'::text, true) ~~ '%resolution=merge-duplicates%'::text)) EXECUTE FUNCTION private.write_once('id');

CREATE TRIGGER app_subscriptions_updated_at BEFORE UPDATE ON api.app_subscriptions FOR EACH ROW EXECUTE FUNCTION private.set_timestamps('updated_at');

CREATE TRIGGER categories_1_set_owner BEFORE INSERT ON api.categories FOR EACH ROW EXECUTE FUNCTION private.set_owner();

CREATE TRIGGER categories_keep_owner BEFORE UPDATE ON api.categories FOR EACH ROW WHEN (((old.id <> new.id) OR (old.user_id IS DISTINCT FROM new.user_id) OR (old.organization_id IS DISTINCT FROM new.organization_id))) EXECUTE FUNCTION private.keep_identity();

CREATE TRIGGER categories_require_delete BEFORE DELETE ON api.categories FOR EACH ROW WHEN ((old.organization_id IS NOT NULL)) EXECUTE FUNCTION private.require_delete();

CREATE TRIGGER categories_set_timestamps BEFORE INSERT OR UPDATE ON api.categories FOR EACH ROW EXECUTE FUNCTION private.set_timestamps('created_at', 'updated_at');

CREATE TRIGGER categories_take_turn BEFORE INSERT OR DELETE OR UPDATE ON api.categories FOR EACH STATEMENT EXECUTE FUNCTION private.take_turn();

CREATE TRIGGER categories_write_once BEFORE INSERT ON api.categories FOR EACH ROW WHEN ((current_setting('request.headers'::text, true) ~~ '%resolution=merge-duplicates%'::text)) EXECUTE FUNCTION private.write_once('id');

CREATE TRIGGER dashboards_1_set_owner BEFORE INSERT ON api.dashboards FOR EACH ROW EXECUTE FUNCTION private.set_owner();

CREATE TRIGGER dashboards_keep_owner BEFORE UPDATE ON api.dashboards FOR EACH ROW WHEN (((old.id <> new.id) OR (old.user_id IS DISTINCT FROM new.user_id) OR (old.organization_id IS DISTINCT FROM new.organization_id))) EXECUTE FUNCTION private.keep_identity();

CREATE TRIGGER dashboards_require_delete BEFORE DELETE ON api.dashboards FOR EACH ROW WHEN ((old.organization_id IS NOT NULL)) EXECUTE FUNCTION private.require_delete();

CREATE TRIGGER dashboards_set_timestamps BEFORE INSERT OR UPDATE ON api.dashboards FOR EACH ROW EXECUTE FUNCTION private.set_timestamps('created_at', 'updated_at');

CREATE TRIGGER dashboards_take_turn BEFORE INSERT OR DELETE OR UPDATE ON api.dashboards FOR EACH STATEMENT EXECUTE FUNCTION private.take_turn();

CREATE TRIGGER dashboards_write_once BEFORE INSERT ON api.dashboards FOR EACH ROW WHEN ((current_setting('request.headers'::text, true) ~~ '%resolution=merge-duplicates%'::text)) EXECUTE FUNCTION private.write_once('id');

CREATE TRIGGER line_items_check_category AFTER INSERT OR UPDATE OF category_id, transaction_id ON api.line_items FOR EACH ROW WHEN ((new.category_id IS NOT NULL)) EXECUTE FUNCTION private.check_line_item_category();

CREATE TRIGGER line_items_check_transaction_of_moved BEFORE UPDATE ON api.line_items FOR EACH ROW WHEN ((old.transaction_id <> new.transaction_id)) EXECUTE FUNCTION private.check_transaction();

CREATE TRIGGER line_items_check_transaction_of_new BEFORE INSERT ON api.line_items FOR EACH ROW EXECUTE FUNCTION private.check_transaction();

CREATE TRIGGER line_items_keep_id BEFORE UPDATE ON api.line_items FOR EACH ROW WHEN ((old.id <> new.id)) EXECUTE FUNCTION private.keep_identity();

CREATE TRIGGER line_items_require_delete BEFORE DELETE ON api.line_items FOR EACH ROW EXECUTE FUNCTION private.require_part_delete();

CREATE TRIGGER line_items_take_turn BEFORE INSERT OR DELETE OR UPDATE ON api.line_items FOR EACH STATEMENT EXECUTE FUNCTION private.take_turn();

CREATE TRIGGER line_items_write_once BEFORE INSERT ON api.line_items FOR EACH ROW WHEN ((current_setting('request.headers'::text, true) ~~ '%resolution=merge-duplicates%'::text)) EXECUTE FUNCTION private.write_once('id');

CREATE TRIGGER subscriptions_1_set_owner BEFORE INSERT ON api.subscriptions FOR EACH ROW EXECUTE FUNCTION private.set_owner();

CREATE TRIGGER subscriptions_check_category AFTER INSERT OR UPDATE OF category_id ON api.subscriptions FOR EACH ROW WHEN ((new.category_id IS NOT NULL)) EXECUTE FUNCTION private.check_category();

CREATE TRIGGER subscriptions_keep_owner BEFORE UPDATE ON api.subscriptions FOR EACH ROW WHEN (((old.id <> new.id) OR (old.user_id IS DISTINCT FROM new.user_id) OR (old.organization_id IS DISTINCT FROM new.organization_id))) EXECUTE FUNCTION private.keep_identity();

CREATE TRIGGER subscriptions_require_delete BEFORE DELETE ON api.subscriptions FOR EACH ROW WHEN ((old.organization_id IS NOT NULL)) EXECUTE FUNCTION private.require_delete();

CREATE TRIGGER subscriptions_take_turn BEFORE INSERT OR DELETE OR UPDATE ON api.subscriptions FOR EACH STATEMENT EXECUTE FUNCTION private.take_turn();

CREATE TRIGGER subscriptions_write_once BEFORE INSERT ON api.subscriptions FOR EACH ROW WHEN ((current_setting('request.headers'::text, true) ~~ '%resolution=merge-duplicates%'::text)) EXECUTE FUNCTION private.write_once('id');

CREATE TRIGGER tags_1_set_owner BEFORE INSERT ON api.tags FOR EACH ROW EXECUTE FUNCTION private.set_owner();

CREATE TRIGGER tags_keep_owner BEFORE UPDATE ON api.tags FOR EACH ROW WHEN (((old.id <> new.id) OR (old.user_id IS DISTINCT FROM new.user_id) OR (old.organization_id IS DISTINCT FROM new.organization_id))) EXECUTE FUNCTION private.keep_identity();

CREATE TRIGGER tags_require_delete BEFORE DELETE ON api.tags FOR EACH ROW WHEN ((old.organization_id IS NOT NULL)) EXECUTE FUNCTION private.require_delete();

CREATE TRIGGER tags_set_timestamps BEFORE INSERT OR UPDATE ON api.tags FOR EACH ROW EXECUTE FUNCTION private.set_timestamps('created_at');

CREATE TRIGGER tags_take_turn BEFORE INSERT OR DELETE OR UPDATE ON api.tags FOR EACH STATEMENT EXECUTE FUNCTION private.take_turn();

CREATE TRIGGER tags_write_once BEFORE INSERT ON api.tags FOR EACH ROW WHEN ((current_setting('request.headers'::text, true) ~~ '%resolution=merge-duplicates%'::text)) EXECUTE FUNCTION private.write_once('id');

CREATE TRIGGER transaction_tags_check_tag AFTER INSERT OR UPDATE ON api.transaction_tags FOR EACH ROW EXECUTE FUNCTION private.check_tag();

CREATE TRIGGER transaction_tags_check_transaction_of_moved BEFORE UPDATE ON api.transaction_tags FOR EACH ROW WHEN ((old.transaction_id <> new.transaction_id)) EXECUTE FUNCTION private.check_transaction();

CREATE TRIGGER transaction_tags_check_transaction_of_new BEFORE INSERT ON api.transaction_tags FOR EACH ROW EXECUTE FUNCTION private.check_transaction();

CREATE TRIGGER transaction_tags_require_delete BEFORE DELETE ON api.transaction_tags FOR EACH ROW EXECUTE FUNCTION private.require_part_delete();

CREATE TRIGGER transaction_tags_take_turn BEFORE INSERT OR DELETE OR UPDATE ON api.transaction_tags FOR EACH STATEMENT EXECUTE FUNCTION private.take_turn();

CREATE TRIGGER transaction_tags_write_once BEFORE INSERT ON api.transaction_tags FOR EACH ROW WHEN ((current_setting('request.headers'::text, true) ~~ '%resolution=merge-duplicates%'::text)) EXECUTE FUNCTION private.write_once('transaction_id', 'tag_id');

CREATE TRIGGER transactions_1_set_owner BEFORE INSERT ON api.transactions FOR EACH ROW EXECUTE FUNCTION private.set_owner();

CREATE TRIGGER transactions_2_recognize_import BEFORE INSERT ON api.transactions FOR EACH ROW WHEN (((new.external_id IS NOT NULL) AND (CURRENT_USER = 'authenticated'::name))) EXECUTE FUNCTION private.recognize_import();

CREATE TRIGGER transactions_check_category AFTER INSERT OR UPDATE OF category_id ON api.transactions FOR EACH ROW WHEN ((new.category_id IS NOT NULL)) EXECUTE FUNCTION private.check_category();

CREATE TRIGGER transactions_keep_owner BEFORE UPDATE ON api.transactions FOR EACH ROW WHEN (((old.id <> new.id) OR (old.user_id IS DISTINCT FROM new.user_id) OR (old.organization_id IS DISTINCT FROM new.organization_id))) EXECUTE FUNCTION private.keep_identity();

CREATE TRIGGER transactions_lower_currency BEFORE INSERT OR UPDATE OF currency ON api.transactions FOR EACH ROW WHEN ((new.currency <> lower(new.currency))) EXECUTE FUNCTION private.lower_currency();

CREATE TRIGGER transactions_require_delete BEFORE DELETE ON api.transactions FOR EACH ROW WHEN ((old.organization_id IS NOT NULL)) EXECUTE FUNCTION private.require_delete();

CREATE TRIGGER transactions_set_timestamps BEFORE INSERT OR UPDATE ON api.transactions FOR EACH ROW EXECUTE FUNCTION private.set_timestamps('created_at', 'updated_at');

CREATE TRIGGER transactions_take_turn BEFORE INSERT OR DELETE OR UPDATE ON api.transactions FOR EACH STATEMENT EXECUTE FUNCTION private.take_turn();

CREATE TRIGGER transactions_write_once BEFORE INSERT ON api.transactions FOR EACH ROW WHEN ((current_setting('request.headers'::text, true) ~~ '%resolution=merge-duplicates%'::text)) EXECUTE FUNCTION private.write_once('id');

CREATE TRIGGER invitations_answered_once BEFORE UPDATE OF status ON auth.invitations FOR EACH ROW EXECUTE FUNCTION private.answer_pending_invitation();

CREATE TRIGGER invitations_checked BEFORE INSERT ON auth.invitations FOR EACH ROW EXECUTE FUNCTION private.check_invitation();

CREATE TRIGGER jwks_notify AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON auth.jwks FOR EACH STATEMENT EXECUTE FUNCTION private.notify_postgrest();

CREATE CONSTRAINT TRIGGER members_have_an_owner AFTER INSERT OR DELETE OR UPDATE ON auth.members DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION private.check_organization_has_owner();

CREATE TRIGGER members_limits BEFORE INSERT OR UPDATE OF role, user_id, organization_id ON auth.members FOR EACH ROW EXECUTE FUNCTION private.check_membership_limits();

CREATE TRIGGER organizations_updated_at BEFORE UPDATE ON auth.organizations FOR EACH ROW EXECUTE FUNCTION private.set_timestamps('updated_at');

CREATE TRIGGER users_delete_personal_rows BEFORE DELETE ON auth.users FOR EACH ROW EXECUTE FUNCTION private.delete_personal_rows();

CREATE TRIGGER users_succession BEFORE DELETE ON auth.users FOR EACH ROW EXECUTE FUNCTION private.succeed_owner();

grant select on api.accounts to anon;

grant delete, insert, select, update on api.accounts to authenticated;

grant select on api.app_subscriptions to anon;

grant select on api.app_subscriptions to authenticated;

grant select on api.categories to anon;

grant delete, insert, select, update on api.categories to authenticated;

grant select on api.dashboards to anon;

grant delete, insert, select, update on api.dashboards to authenticated;

grant select on api.line_items to anon;

grant delete, insert, select, update on api.line_items to authenticated;

grant select on api.subscriptions to anon;

grant delete, insert, select, update on api.subscriptions to authenticated;

grant select on api.tags to anon;

grant delete, insert, select, update on api.tags to authenticated;

grant select on api.transaction_tags to anon;

grant delete, insert, select, update on api.transaction_tags to authenticated;

grant select on api.transactions to anon;

grant delete, insert, select, update on api.transactions to authenticated;

grant delete, insert, select, update on auth.accounts to auth_service;

grant delete, insert, select, update on auth.invitations to auth_service;

grant delete, insert, select, update on auth.jwks to auth_service;

grant delete, insert, select, update on auth.members to auth_service;

grant delete, insert, select, update on auth.organizations to auth_service;

grant delete, insert, select, update on auth.rate_limits to auth_service;

grant delete, insert, select, update on auth.sessions to auth_service;

grant delete, insert, select, update on auth.users to auth_service;

grant delete, insert, select, update on auth.verifications to auth_service;

grant execute on function api.delete_category(json) to authenticated;

grant execute on function api.delete_category(uuid,uuid) to authenticated;

grant execute on function api.get_budget_comparison(json) to authenticated;

grant execute on function api.get_budget_comparison(text,text,text,text) to authenticated;

grant execute on function api.get_cash_flow(json) to authenticated;

grant execute on function api.get_cash_flow(text,integer,text) to authenticated;

grant execute on function api.get_filtered_transactions(jsonb) to authenticated;

grant execute on function api.get_transaction_aggregate(json) to authenticated;

grant execute on function api.get_transaction_aggregate(jsonb,text,text) to authenticated;

grant execute on function api.get_transaction_distribution_by_category(jsonb) to authenticated;

grant execute on function api.get_transaction_stat(json) to authenticated;

grant execute on function api.get_transaction_stat(text,text,jsonb,text,text) to authenticated;

grant execute on function api.one_object(anyelement) to anon;

grant execute on function api.one_object(anyelement) to authenticated;

grant execute on function auth.consume_rate_limit(text,integer,integer) to auth_service;

grant execute on function private.active_product(text,text) to auth_service;

grant execute on function private.can(text,text) to authenticated;

grant execute on function private.context_condition(text,text) to authenticated;

grant execute on function private.date_range(text,text,text) to authenticated;

grant execute on function private.days_condition(text,daterange) to authenticated;

grant execute on function private.deny(text) to authenticated;

grant execute on function private.filter_conditions(jsonb) to authenticated;

grant execute on function private.filter_literal(text,jsonb,text) to authenticated;

grant execute on function private.filter_ranges(text,text[],boolean) to authenticated;

grant execute on function private.invalid(text,text) to authenticated;

grant execute on function private.is_column(text) to authenticated;

grant execute on function private.is_date_range(jsonb) to authenticated;

grant execute on function private.is_function(text) to authenticated;

grant execute on function private.is_layout(jsonb) to authenticated;

grant execute on function private.is_moment(text) to authenticated;

grant execute on function private.is_plain_query() to authenticated;

grant execute on function private.is_table(text) to authenticated;

grant execute on function private.moments(datemultirange) to authenticated;

grant execute on function private.postgrest_processes() to auth_service;

grant execute on function private.pre_config() to authenticator;

grant execute on function private.pre_request() to anon;

grant execute on function private.pre_request() to authenticated;

grant execute on function private.preset_days(text,date) to authenticated;

grant execute on function private.preset_range(text) to authenticated;

grant execute on function private.presets() to authenticated;

grant execute on function private.range_condition(text,anymultirange) to authenticated;

grant execute on function private.refuse(text,text,text,integer,jsonb) to authenticated;

grant execute on function private.refuse_estimate() to authenticated;

grant execute on function private.refuse_hidden_row(text,uuid) to authenticated;

grant execute on function private.refuse_reference(text,text,text) to authenticated;

grant execute on function private.row_exists(text,uuid) to authenticated;

grant execute on function private.same_tenant(text,text,text,text) to authenticated;

grant execute on function private.text_of(api.transactions,text) to authenticated;

grant execute on function private.to_moment(text,text) to authenticated;

grant execute on function private.transaction_condition(jsonb) to authenticated;

grant execute on function private.transaction_conditions(jsonb) to authenticated;

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

grant usage on type private.one_row to public;
