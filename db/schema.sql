-- The present, written by `npm run schema` from a migrated database. Change it in db/migrations.

CREATE SCHEMA api;

CREATE SCHEMA auth;

CREATE SCHEMA private;

CREATE TYPE private.one_row AS (
	seen bigint,
	first json
);

CREATE TABLE api.transactions (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    amount numeric(14,2) NOT NULL,
    name text NOT NULL,
    currency text DEFAULT 'usd'::text NOT NULL,
    user_id text DEFAULT public.uid(),
    organization_id text DEFAULT public.org_id(),
    external_id text,
    category_id uuid,
    reference_no text,
    description text,
    status text DEFAULT 'paid'::text NOT NULL,
    source text DEFAULT 'manual'::text NOT NULL,
    metadata jsonb,
    transaction_date timestamp with time zone DEFAULT now() NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT transactions_amount_is_number CHECK ((amount <> 'NaN'::numeric)),
    CONSTRAINT transactions_currency_form CHECK ((currency ~ '^[a-z]{3}$'::text)),
    CONSTRAINT transactions_date_in_range CHECK (((transaction_date >= '1900-01-01 00:00:00+00'::timestamp with time zone) AND (transaction_date < '2200-01-01 00:00:00+00'::timestamp with time zone))),
    CONSTRAINT transactions_description_length CHECK ((char_length(description) <= 5000)),
    CONSTRAINT transactions_external_id_length CHECK (((char_length(external_id) >= 1) AND (char_length(external_id) <= 255))),
    CONSTRAINT transactions_have_an_owner CHECK (((user_id IS NOT NULL) OR (organization_id IS NOT NULL))),
    CONSTRAINT transactions_metadata_depth CHECK ((NOT jsonb_path_exists(metadata, '$.**{17}'::jsonpath))),
    CONSTRAINT transactions_metadata_size CHECK ((octet_length((metadata)::text) <= 16384)),
    CONSTRAINT transactions_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
    CONSTRAINT transactions_reference_no_length CHECK ((char_length(reference_no) <= 255)),
    CONSTRAINT transactions_source_length CHECK (((char_length(source) >= 1) AND (char_length(source) <= 64))),
    CONSTRAINT transactions_status_known CHECK ((status = ANY (ARRAY['paid'::text, 'pending'::text, 'failed'::text])))
);
ALTER TABLE ONLY api.transactions ALTER COLUMN user_id SET (n_distinct=-0.03);
ALTER TABLE ONLY api.transactions ALTER COLUMN organization_id SET (n_distinct=-0.03);

CREATE UNLOGGED TABLE auth.rate_limits (
    key text NOT NULL,
    window_started_at timestamp with time zone NOT NULL,
    window_seconds bigint NOT NULL,
    count bigint NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE api.app_subscriptions (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id text NOT NULL,
    product_id text NOT NULL,
    status text DEFAULT 'sub_active'::text NOT NULL,
    period_start timestamp with time zone DEFAULT now() NOT NULL,
    period_end timestamp with time zone NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT app_subscriptions_period_in_order CHECK ((period_start <= period_end)),
    CONSTRAINT app_subscriptions_status_form CHECK ((status ~ '^sub_[a-z_]{1,32}$'::text))
);

CREATE TABLE private.products (
    id text NOT NULL,
    rank bigint NOT NULL,
    name text NOT NULL
);

CREATE TABLE private.role_permissions (
    role text NOT NULL,
    resource text NOT NULL,
    action text NOT NULL,
    CONSTRAINT role_permissions_action_check CHECK ((action = ANY (ARRAY['list'::text, 'get'::text, 'create'::text, 'update'::text, 'delete'::text, 'list_private'::text]))),
    CONSTRAINT role_permissions_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'editor'::text, 'viewer'::text])))
);

CREATE TABLE api.accounts (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    type text NOT NULL,
    currency text DEFAULT 'usd'::text NOT NULL,
    balance numeric(14,2) DEFAULT 0 NOT NULL,
    description text,
    institution text,
    account_number text,
    color text,
    icon text,
    user_id text DEFAULT public.uid(),
    organization_id text DEFAULT public.org_id(),
    metadata jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT accounts_account_number_is_masked CHECK ((account_number ~ '^[0-9]{1,4}$'::text)),
    CONSTRAINT accounts_balance_is_number CHECK ((balance <> 'NaN'::numeric)),
    CONSTRAINT accounts_color_is_hex CHECK ((color ~ '^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$'::text)),
    CONSTRAINT accounts_currency_form CHECK ((currency ~ '^[a-z]{3}$'::text)),
    CONSTRAINT accounts_description_length CHECK ((char_length(description) <= 5000)),
    CONSTRAINT accounts_have_an_owner CHECK (((user_id IS NOT NULL) OR (organization_id IS NOT NULL))),
    CONSTRAINT accounts_icon_length CHECK ((char_length(icon) <= 100)),
    CONSTRAINT accounts_institution_length CHECK ((char_length(institution) <= 255)),
    CONSTRAINT accounts_metadata_depth CHECK ((NOT jsonb_path_exists(metadata, '$.**{17}'::jsonpath))),
    CONSTRAINT accounts_metadata_size CHECK ((octet_length((metadata)::text) <= 16384)),
    CONSTRAINT accounts_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
    CONSTRAINT accounts_type_known CHECK ((type = ANY (ARRAY['checking'::text, 'savings'::text, 'credit_card'::text, 'cash'::text, 'investment'::text])))
);
ALTER TABLE ONLY api.accounts ALTER COLUMN user_id SET (n_distinct=-0.03);
ALTER TABLE ONLY api.accounts ALTER COLUMN organization_id SET (n_distinct=-0.03);

CREATE TABLE api.categories (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    color text,
    icon text,
    monthly_budget numeric(14,2),
    user_id text DEFAULT public.uid(),
    organization_id text DEFAULT public.org_id(),
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT categories_color_is_hex CHECK ((color ~ '^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$'::text)),
    CONSTRAINT categories_have_an_owner CHECK (((user_id IS NOT NULL) OR (organization_id IS NOT NULL))),
    CONSTRAINT categories_icon_length CHECK ((char_length(icon) <= 100)),
    CONSTRAINT categories_monthly_budget_is_amount CHECK (((monthly_budget >= (0)::numeric) AND (monthly_budget <> 'NaN'::numeric))),
    CONSTRAINT categories_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255)))
);
ALTER TABLE ONLY api.categories ALTER COLUMN user_id SET (n_distinct=-0.03);
ALTER TABLE ONLY api.categories ALTER COLUMN organization_id SET (n_distinct=-0.03);

CREATE TABLE api.dashboards (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    description text,
    layout jsonb NOT NULL,
    filters jsonb,
    date_range jsonb,
    is_default boolean DEFAULT false NOT NULL,
    visibility text DEFAULT 'private'::text NOT NULL,
    user_id text DEFAULT public.uid(),
    organization_id text DEFAULT public.org_id(),
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT dashboards_date_range_form CHECK (private.is_date_range(date_range)),
    CONSTRAINT dashboards_description_length CHECK ((char_length(description) <= 5000)),
    CONSTRAINT dashboards_filters_depth CHECK ((NOT jsonb_path_exists(filters, '$.**{17}'::jsonpath))),
    CONSTRAINT dashboards_filters_size CHECK ((octet_length((filters)::text) <= 16384)),
    CONSTRAINT dashboards_have_an_owner CHECK (((user_id IS NOT NULL) OR (organization_id IS NOT NULL))),
    CONSTRAINT dashboards_layout_depth CHECK ((NOT jsonb_path_exists(layout, '$.**{17}'::jsonpath))),
    CONSTRAINT dashboards_layout_form CHECK (private.is_layout(layout)),
    CONSTRAINT dashboards_layout_size CHECK ((octet_length((layout)::text) <= 65536)),
    CONSTRAINT dashboards_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
    CONSTRAINT dashboards_visibility_known CHECK ((visibility = ANY (ARRAY['private'::text, 'shared'::text, 'public'::text])))
);
ALTER TABLE ONLY api.dashboards ALTER COLUMN user_id SET (n_distinct=-0.03);
ALTER TABLE ONLY api.dashboards ALTER COLUMN organization_id SET (n_distinct=-0.03);

CREATE TABLE api.line_items (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    transaction_id uuid NOT NULL,
    name text NOT NULL,
    amount numeric(14,2) NOT NULL,
    quantity numeric(14,3) DEFAULT 1 NOT NULL,
    category_id uuid,
    CONSTRAINT line_items_amount_is_number CHECK ((amount <> 'NaN'::numeric)),
    CONSTRAINT line_items_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
    CONSTRAINT line_items_quantity_is_number CHECK ((quantity <> 'NaN'::numeric))
);

CREATE TABLE api.subscriptions (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    title text NOT NULL,
    amount numeric(14,2) NOT NULL,
    period text NOT NULL,
    description text,
    logo_url text,
    interval_in_days bigint,
    category_id uuid,
    user_id text DEFAULT public.uid(),
    organization_id text DEFAULT public.org_id(),
    CONSTRAINT subscriptions_amount_is_number CHECK ((amount <> 'NaN'::numeric)),
    CONSTRAINT subscriptions_description_length CHECK ((char_length(description) <= 5000)),
    CONSTRAINT subscriptions_have_an_owner CHECK (((user_id IS NOT NULL) OR (organization_id IS NOT NULL))),
    CONSTRAINT subscriptions_interval_in_days_in_range CHECK (((interval_in_days >= 1) AND (interval_in_days <= 3660))),
    CONSTRAINT subscriptions_logo_url_form CHECK (((logo_url ~ '^https?://[^[:space:]]+$'::text) AND (char_length(logo_url) <= 2048))),
    CONSTRAINT subscriptions_period_known CHECK ((period = ANY (ARRAY['monthly'::text, 'yearly'::text, 'quarterly'::text, 'semi-annually'::text, 'weekly'::text, 'daily'::text]))),
    CONSTRAINT subscriptions_title_length CHECK (((char_length(title) >= 1) AND (char_length(title) <= 255)))
);
ALTER TABLE ONLY api.subscriptions ALTER COLUMN user_id SET (n_distinct=-0.03);
ALTER TABLE ONLY api.subscriptions ALTER COLUMN organization_id SET (n_distinct=-0.03);

CREATE TABLE api.tags (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    user_id text DEFAULT public.uid(),
    organization_id text DEFAULT public.org_id(),
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT tags_have_an_owner CHECK (((user_id IS NOT NULL) OR (organization_id IS NOT NULL))),
    CONSTRAINT tags_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100)))
);
ALTER TABLE ONLY api.tags ALTER COLUMN user_id SET (n_distinct=-0.03);
ALTER TABLE ONLY api.tags ALTER COLUMN organization_id SET (n_distinct=-0.03);

CREATE TABLE api.transaction_tags (
    transaction_id uuid NOT NULL,
    tag_id uuid NOT NULL
);

CREATE TABLE auth.accounts (
    id text NOT NULL,
    account_id text NOT NULL,
    provider_id text NOT NULL,
    user_id text NOT NULL,
    access_token text,
    refresh_token text,
    id_token text,
    access_token_expires_at timestamp with time zone,
    refresh_token_expires_at timestamp with time zone,
    scope text,
    password text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT accounts_password_is_hashed CHECK ((password ~ '^[0-9a-f]{32}:[0-9a-f]{128}$'::text))
);

CREATE TABLE auth.invitations (
    id text NOT NULL,
    organization_id text NOT NULL,
    email text NOT NULL,
    role text NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    inviter_id text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT invitations_email_lower_case CHECK ((email = lower(email))),
    CONSTRAINT invitations_role_known CHECK ((role = ANY (ARRAY['admin'::text, 'editor'::text, 'viewer'::text]))),
    CONSTRAINT invitations_status_known CHECK ((status = ANY (ARRAY['pending'::text, 'accepted'::text, 'rejected'::text, 'canceled'::text])))
);

CREATE TABLE auth.jwks (
    id text NOT NULL,
    public_key text NOT NULL,
    private_key text NOT NULL,
    alg text DEFAULT 'RS256'::text NOT NULL,
    crv text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    signs_from timestamp with time zone,
    expires_at timestamp with time zone,
    CONSTRAINT jwks_alg_is_rs256 CHECK ((alg = 'RS256'::text)),
    CONSTRAINT jwks_private_key_is_encrypted CHECK ((private_key !~ '"d"\s*:'::text)),
    CONSTRAINT jwks_public_key_is_public CHECK ((((public_key)::jsonb ? 'n'::text) AND (NOT ((public_key)::jsonb ? 'd'::text))))
);

CREATE TABLE auth.members (
    id text NOT NULL,
    organization_id text NOT NULL,
    user_id text NOT NULL,
    role text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT members_role_known CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'editor'::text, 'viewer'::text])))
);

CREATE TABLE auth.organizations (
    id text NOT NULL,
    name text NOT NULL,
    slug text NOT NULL,
    logo text,
    metadata text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE auth.sessions (
    id text NOT NULL,
    token text NOT NULL,
    user_id text NOT NULL,
    active_organization_id text,
    ip_address text,
    user_agent text,
    expires_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE auth.users (
    id text NOT NULL,
    name text NOT NULL,
    email text NOT NULL,
    email_verified boolean DEFAULT false NOT NULL,
    image text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT users_email_lower_case CHECK ((email = lower(email)))
);

CREATE TABLE auth.verifications (
    id text NOT NULL,
    identifier text NOT NULL,
    value text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE private.migrations (
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE private.settings (
    singleton boolean DEFAULT true NOT NULL,
    public_url text NOT NULL,
    key_rotation_requested_at timestamp with time zone,
    CONSTRAINT settings_singleton_check CHECK (singleton)
);

ALTER TABLE ONLY api.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY api.app_subscriptions
    ADD CONSTRAINT app_subscriptions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY api.categories
    ADD CONSTRAINT categories_pkey PRIMARY KEY (id);

ALTER TABLE ONLY api.dashboards
    ADD CONSTRAINT dashboards_pkey PRIMARY KEY (id);

ALTER TABLE ONLY api.line_items
    ADD CONSTRAINT line_items_pkey PRIMARY KEY (id);

ALTER TABLE ONLY api.subscriptions
    ADD CONSTRAINT subscriptions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY api.tags
    ADD CONSTRAINT tags_pkey PRIMARY KEY (id);

ALTER TABLE ONLY api.transaction_tags
    ADD CONSTRAINT transaction_tags_pkey PRIMARY KEY (transaction_id, tag_id);

ALTER TABLE ONLY api.transactions
    ADD CONSTRAINT transactions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY auth.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY auth.accounts
    ADD CONSTRAINT accounts_provider_account_unique UNIQUE (provider_id, account_id);

ALTER TABLE ONLY auth.invitations
    ADD CONSTRAINT invitations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY auth.jwks
    ADD CONSTRAINT jwks_pkey PRIMARY KEY (id);

ALTER TABLE ONLY auth.members
    ADD CONSTRAINT members_organization_user_unique UNIQUE (organization_id, user_id);

ALTER TABLE ONLY auth.members
    ADD CONSTRAINT members_pkey PRIMARY KEY (id);

ALTER TABLE ONLY auth.organizations
    ADD CONSTRAINT organizations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY auth.organizations
    ADD CONSTRAINT organizations_slug_unique UNIQUE (slug);

ALTER TABLE ONLY auth.rate_limits
    ADD CONSTRAINT rate_limits_pkey PRIMARY KEY (key);

ALTER TABLE ONLY auth.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY auth.sessions
    ADD CONSTRAINT sessions_token_unique UNIQUE (token);

ALTER TABLE ONLY auth.users
    ADD CONSTRAINT users_email_unique UNIQUE (email);

ALTER TABLE ONLY auth.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);

ALTER TABLE ONLY auth.verifications
    ADD CONSTRAINT verifications_pkey PRIMARY KEY (id);

ALTER TABLE ONLY private.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (name);

ALTER TABLE ONLY private.products
    ADD CONSTRAINT products_pkey PRIMARY KEY (id);

ALTER TABLE ONLY private.products
    ADD CONSTRAINT products_rank_unique UNIQUE (rank);

ALTER TABLE ONLY private.role_permissions
    ADD CONSTRAINT role_permissions_pkey PRIMARY KEY (role, resource, action);

ALTER TABLE ONLY private.settings
    ADD CONSTRAINT settings_pkey PRIMARY KEY (singleton);

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

CREATE TRIGGER accounts_keep_owner BEFORE UPDATE ON api.accounts FOR EACH ROW WHEN (((old.id <> new.id) OR (old.user_id IS DISTINCT FROM new.user_id) OR (old.organization_id IS DISTINCT FROM new.organization_id))) EXECUTE FUNCTION private.keep_owner();

CREATE TRIGGER accounts_lower_currency BEFORE INSERT OR UPDATE OF currency ON api.accounts FOR EACH ROW WHEN ((new.currency <> lower(new.currency))) EXECUTE FUNCTION private.lower_currency();

CREATE TRIGGER accounts_mask_account_number BEFORE INSERT OR UPDATE OF account_number ON api.accounts FOR EACH ROW WHEN ((new.account_number IS NOT NULL)) EXECUTE FUNCTION private.mask_account_number();

CREATE TRIGGER accounts_require_delete BEFORE DELETE ON api.accounts FOR EACH ROW WHEN ((old.organization_id IS NOT NULL)) EXECUTE FUNCTION private.require_delete();

CREATE TRIGGER accounts_set_owner BEFORE INSERT ON api.accounts FOR EACH ROW EXECUTE FUNCTION private.set_owner();

CREATE TRIGGER accounts_set_timestamps BEFORE INSERT OR UPDATE ON api.accounts FOR EACH ROW EXECUTE FUNCTION private.set_timestamps();

CREATE TRIGGER accounts_take_turn BEFORE INSERT OR DELETE OR UPDATE ON api.accounts FOR EACH STATEMENT EXECUTE FUNCTION private.take_turn();

CREATE TRIGGER accounts_write_once BEFORE INSERT ON api.accounts FOR EACH ROW EXECUTE FUNCTION private.write_once('id');

CREATE TRIGGER app_subscriptions_updated_at BEFORE UPDATE ON api.app_subscriptions FOR EACH ROW EXECUTE FUNCTION private.touch_updated_at();

CREATE TRIGGER categories_keep_owner BEFORE UPDATE ON api.categories FOR EACH ROW WHEN (((old.id <> new.id) OR (old.user_id IS DISTINCT FROM new.user_id) OR (old.organization_id IS DISTINCT FROM new.organization_id))) EXECUTE FUNCTION private.keep_owner();

CREATE TRIGGER categories_require_delete BEFORE DELETE ON api.categories FOR EACH ROW WHEN ((old.organization_id IS NOT NULL)) EXECUTE FUNCTION private.require_delete();

CREATE TRIGGER categories_set_owner BEFORE INSERT ON api.categories FOR EACH ROW EXECUTE FUNCTION private.set_owner();

CREATE TRIGGER categories_set_timestamps BEFORE INSERT OR UPDATE ON api.categories FOR EACH ROW EXECUTE FUNCTION private.set_timestamps();

CREATE TRIGGER categories_take_turn BEFORE INSERT OR DELETE OR UPDATE ON api.categories FOR EACH STATEMENT EXECUTE FUNCTION private.take_turn();

CREATE TRIGGER categories_write_once BEFORE INSERT ON api.categories FOR EACH ROW EXECUTE FUNCTION private.write_once('id');

CREATE TRIGGER dashboards_keep_owner BEFORE UPDATE ON api.dashboards FOR EACH ROW WHEN (((old.id <> new.id) OR (old.user_id IS DISTINCT FROM new.user_id) OR (old.organization_id IS DISTINCT FROM new.organization_id))) EXECUTE FUNCTION private.keep_owner();

CREATE TRIGGER dashboards_require_delete BEFORE DELETE ON api.dashboards FOR EACH ROW WHEN ((old.organization_id IS NOT NULL)) EXECUTE FUNCTION private.require_delete();

CREATE TRIGGER dashboards_set_owner BEFORE INSERT ON api.dashboards FOR EACH ROW EXECUTE FUNCTION private.set_owner();

CREATE TRIGGER dashboards_set_timestamps BEFORE INSERT OR UPDATE ON api.dashboards FOR EACH ROW EXECUTE FUNCTION private.set_timestamps();

CREATE TRIGGER dashboards_take_turn BEFORE INSERT OR DELETE OR UPDATE ON api.dashboards FOR EACH STATEMENT EXECUTE FUNCTION private.take_turn();

CREATE TRIGGER dashboards_write_once BEFORE INSERT ON api.dashboards FOR EACH ROW EXECUTE FUNCTION private.write_once('id');

CREATE TRIGGER line_items_check_category AFTER INSERT OR UPDATE OF category_id, transaction_id ON api.line_items FOR EACH ROW WHEN ((new.category_id IS NOT NULL)) EXECUTE FUNCTION private.check_line_item_category();

CREATE TRIGGER line_items_check_transaction_of_moved BEFORE UPDATE ON api.line_items FOR EACH ROW WHEN ((old.transaction_id <> new.transaction_id)) EXECUTE FUNCTION private.check_transaction();

CREATE TRIGGER line_items_check_transaction_of_new BEFORE INSERT ON api.line_items FOR EACH ROW EXECUTE FUNCTION private.check_transaction();

CREATE TRIGGER line_items_keep_id BEFORE UPDATE ON api.line_items FOR EACH ROW WHEN ((old.id <> new.id)) EXECUTE FUNCTION private.keep_id();

CREATE TRIGGER line_items_require_delete BEFORE DELETE ON api.line_items FOR EACH ROW EXECUTE FUNCTION private.require_part_delete();

CREATE TRIGGER line_items_take_turn BEFORE INSERT OR DELETE OR UPDATE ON api.line_items FOR EACH STATEMENT EXECUTE FUNCTION private.take_turn();

CREATE TRIGGER line_items_write_once BEFORE INSERT ON api.line_items FOR EACH ROW EXECUTE FUNCTION private.write_once('id');

CREATE TRIGGER subscriptions_check_category AFTER INSERT OR UPDATE OF category_id ON api.subscriptions FOR EACH ROW WHEN ((new.category_id IS NOT NULL)) EXECUTE FUNCTION private.check_category();

CREATE TRIGGER subscriptions_keep_owner BEFORE UPDATE ON api.subscriptions FOR EACH ROW WHEN (((old.id <> new.id) OR (old.user_id IS DISTINCT FROM new.user_id) OR (old.organization_id IS DISTINCT FROM new.organization_id))) EXECUTE FUNCTION private.keep_owner();

CREATE TRIGGER subscriptions_require_delete BEFORE DELETE ON api.subscriptions FOR EACH ROW WHEN ((old.organization_id IS NOT NULL)) EXECUTE FUNCTION private.require_delete();

CREATE TRIGGER subscriptions_set_owner BEFORE INSERT ON api.subscriptions FOR EACH ROW EXECUTE FUNCTION private.set_owner();

CREATE TRIGGER subscriptions_take_turn BEFORE INSERT OR DELETE OR UPDATE ON api.subscriptions FOR EACH STATEMENT EXECUTE FUNCTION private.take_turn();

CREATE TRIGGER subscriptions_write_once BEFORE INSERT ON api.subscriptions FOR EACH ROW EXECUTE FUNCTION private.write_once('id');

CREATE TRIGGER tags_keep_owner BEFORE UPDATE ON api.tags FOR EACH ROW WHEN (((old.id <> new.id) OR (old.user_id IS DISTINCT FROM new.user_id) OR (old.organization_id IS DISTINCT FROM new.organization_id))) EXECUTE FUNCTION private.keep_owner();

CREATE TRIGGER tags_require_delete BEFORE DELETE ON api.tags FOR EACH ROW WHEN ((old.organization_id IS NOT NULL)) EXECUTE FUNCTION private.require_delete();

CREATE TRIGGER tags_set_created_at BEFORE INSERT OR UPDATE ON api.tags FOR EACH ROW EXECUTE FUNCTION private.set_created_at();

CREATE TRIGGER tags_set_owner BEFORE INSERT ON api.tags FOR EACH ROW EXECUTE FUNCTION private.set_owner();

CREATE TRIGGER tags_take_turn BEFORE INSERT OR DELETE OR UPDATE ON api.tags FOR EACH STATEMENT EXECUTE FUNCTION private.take_turn();

CREATE TRIGGER tags_write_once BEFORE INSERT ON api.tags FOR EACH ROW EXECUTE FUNCTION private.write_once('id');

CREATE TRIGGER transaction_tags_check_tag AFTER INSERT OR UPDATE ON api.transaction_tags FOR EACH ROW EXECUTE FUNCTION private.check_tag();

CREATE TRIGGER transaction_tags_check_transaction_of_moved BEFORE UPDATE ON api.transaction_tags FOR EACH ROW WHEN ((old.transaction_id <> new.transaction_id)) EXECUTE FUNCTION private.check_transaction();

CREATE TRIGGER transaction_tags_check_transaction_of_new BEFORE INSERT ON api.transaction_tags FOR EACH ROW EXECUTE FUNCTION private.check_transaction();

CREATE TRIGGER transaction_tags_require_delete BEFORE DELETE ON api.transaction_tags FOR EACH ROW EXECUTE FUNCTION private.require_part_delete();

CREATE TRIGGER transaction_tags_take_turn BEFORE INSERT OR DELETE OR UPDATE ON api.transaction_tags FOR EACH STATEMENT EXECUTE FUNCTION private.take_turn();

CREATE TRIGGER transaction_tags_write_once BEFORE INSERT ON api.transaction_tags FOR EACH ROW EXECUTE FUNCTION private.write_once('transaction_id', 'tag_id');

CREATE TRIGGER transactions_1_set_owner BEFORE INSERT ON api.transactions FOR EACH ROW EXECUTE FUNCTION private.set_owner();

CREATE TRIGGER transactions_2_recognize_import BEFORE INSERT ON api.transactions FOR EACH ROW WHEN (((new.external_id IS NOT NULL) AND (CURRENT_USER = 'authenticated'::name))) EXECUTE FUNCTION private.recognize_import();

CREATE TRIGGER transactions_check_category AFTER INSERT OR UPDATE OF category_id ON api.transactions FOR EACH ROW WHEN ((new.category_id IS NOT NULL)) EXECUTE FUNCTION private.check_category();

CREATE TRIGGER transactions_keep_owner BEFORE UPDATE ON api.transactions FOR EACH ROW WHEN (((old.id <> new.id) OR (old.user_id IS DISTINCT FROM new.user_id) OR (old.organization_id IS DISTINCT FROM new.organization_id))) EXECUTE FUNCTION private.keep_owner();

CREATE TRIGGER transactions_lower_currency BEFORE INSERT OR UPDATE OF currency ON api.transactions FOR EACH ROW WHEN ((new.currency <> lower(new.currency))) EXECUTE FUNCTION private.lower_currency();

CREATE TRIGGER transactions_require_delete BEFORE DELETE ON api.transactions FOR EACH ROW WHEN ((old.organization_id IS NOT NULL)) EXECUTE FUNCTION private.require_delete();

CREATE TRIGGER transactions_set_timestamps BEFORE INSERT OR UPDATE ON api.transactions FOR EACH ROW EXECUTE FUNCTION private.set_timestamps();

CREATE TRIGGER transactions_take_turn BEFORE INSERT OR DELETE OR UPDATE ON api.transactions FOR EACH STATEMENT EXECUTE FUNCTION private.take_turn();

CREATE TRIGGER transactions_write_once BEFORE INSERT ON api.transactions FOR EACH ROW EXECUTE FUNCTION private.write_once('id');

CREATE TRIGGER invitations_answered_once BEFORE UPDATE OF status ON auth.invitations FOR EACH ROW EXECUTE FUNCTION private.answer_pending_invitation();

CREATE TRIGGER invitations_checked BEFORE INSERT ON auth.invitations FOR EACH ROW EXECUTE FUNCTION private.check_invitation();

CREATE TRIGGER jwks_notify AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON auth.jwks FOR EACH STATEMENT EXECUTE FUNCTION private.notify_postgrest();

CREATE CONSTRAINT TRIGGER members_have_an_owner AFTER INSERT OR DELETE OR UPDATE ON auth.members DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION private.check_organization_has_owner();

CREATE TRIGGER members_limits BEFORE INSERT OR UPDATE OF role, user_id, organization_id ON auth.members FOR EACH ROW EXECUTE FUNCTION private.check_membership_limits();

CREATE TRIGGER organizations_updated_at BEFORE UPDATE ON auth.organizations FOR EACH ROW EXECUTE FUNCTION private.touch_updated_at();

CREATE TRIGGER users_delete_personal_rows BEFORE DELETE ON auth.users FOR EACH ROW EXECUTE FUNCTION private.delete_personal_rows();

CREATE TRIGGER users_succession BEFORE DELETE ON auth.users FOR EACH ROW EXECUTE FUNCTION private.succeed_owner();

ALTER TABLE ONLY api.accounts
    ADD CONSTRAINT accounts_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES auth.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY api.accounts
    ADD CONSTRAINT accounts_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE SET NULL;

ALTER TABLE ONLY api.app_subscriptions
    ADD CONSTRAINT app_subscriptions_product_id_fkey FOREIGN KEY (product_id) REFERENCES private.products(id);

ALTER TABLE ONLY api.app_subscriptions
    ADD CONSTRAINT app_subscriptions_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY api.categories
    ADD CONSTRAINT categories_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES auth.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY api.categories
    ADD CONSTRAINT categories_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE SET NULL;

ALTER TABLE ONLY api.dashboards
    ADD CONSTRAINT dashboards_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES auth.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY api.dashboards
    ADD CONSTRAINT dashboards_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE SET NULL;

ALTER TABLE ONLY api.line_items
    ADD CONSTRAINT line_items_category_id_fkey FOREIGN KEY (category_id) REFERENCES api.categories(id) ON DELETE SET NULL;

ALTER TABLE ONLY api.line_items
    ADD CONSTRAINT line_items_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES api.transactions(id) ON DELETE CASCADE;

ALTER TABLE ONLY api.subscriptions
    ADD CONSTRAINT subscriptions_category_id_fkey FOREIGN KEY (category_id) REFERENCES api.categories(id) ON DELETE SET NULL;

ALTER TABLE ONLY api.subscriptions
    ADD CONSTRAINT subscriptions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES auth.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY api.subscriptions
    ADD CONSTRAINT subscriptions_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE SET NULL;

ALTER TABLE ONLY api.tags
    ADD CONSTRAINT tags_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES auth.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY api.tags
    ADD CONSTRAINT tags_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE SET NULL;

ALTER TABLE ONLY api.transaction_tags
    ADD CONSTRAINT transaction_tags_tag_id_fkey FOREIGN KEY (tag_id) REFERENCES api.tags(id) ON DELETE CASCADE;

ALTER TABLE ONLY api.transaction_tags
    ADD CONSTRAINT transaction_tags_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES api.transactions(id) ON DELETE CASCADE;

ALTER TABLE ONLY api.transactions
    ADD CONSTRAINT transactions_category_id_fkey FOREIGN KEY (category_id) REFERENCES api.categories(id) ON DELETE SET NULL;

ALTER TABLE ONLY api.transactions
    ADD CONSTRAINT transactions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES auth.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY api.transactions
    ADD CONSTRAINT transactions_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE SET NULL;

ALTER TABLE ONLY auth.accounts
    ADD CONSTRAINT accounts_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY auth.invitations
    ADD CONSTRAINT invitations_inviter_id_fkey FOREIGN KEY (inviter_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY auth.invitations
    ADD CONSTRAINT invitations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES auth.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY auth.members
    ADD CONSTRAINT members_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES auth.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY auth.members
    ADD CONSTRAINT members_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY auth.sessions
    ADD CONSTRAINT sessions_active_organization_is_ours FOREIGN KEY (active_organization_id, user_id) REFERENCES auth.members(organization_id, user_id) ON DELETE SET NULL (active_organization_id);

ALTER TABLE ONLY auth.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE api.accounts ENABLE ROW LEVEL SECURITY;

CREATE POLICY accounts_create ON api.accounts FOR INSERT TO authenticated WITH CHECK ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('accounts'::text, 'create'::text) AS can)) OR private.deny('accounts'::text)));

CREATE POLICY accounts_delete ON api.accounts FOR DELETE TO authenticated USING ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('accounts'::text, 'list'::text) AS can))));

CREATE POLICY accounts_read ON api.accounts FOR SELECT TO authenticated USING ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('accounts'::text, 'list'::text) AS can))));

CREATE POLICY accounts_update ON api.accounts FOR UPDATE TO authenticated USING ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('accounts'::text, 'list'::text) AS can)))) WITH CHECK ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('accounts'::text, 'update'::text) AS can)) OR private.deny('accounts'::text)));

ALTER TABLE api.app_subscriptions ENABLE ROW LEVEL SECURITY;

CREATE POLICY app_subscriptions_read_own ON api.app_subscriptions FOR SELECT TO authenticated USING ((user_id = ( SELECT public.uid() AS uid)));

ALTER TABLE api.categories ENABLE ROW LEVEL SECURITY;

CREATE POLICY categories_create ON api.categories FOR INSERT TO authenticated WITH CHECK ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('categories'::text, 'create'::text) AS can)) OR private.deny('categories'::text)));

CREATE POLICY categories_delete ON api.categories FOR DELETE TO authenticated USING ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('categories'::text, 'list'::text) AS can))));

CREATE POLICY categories_read ON api.categories FOR SELECT TO authenticated USING ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('categories'::text, 'list'::text) AS can))));

CREATE POLICY categories_update ON api.categories FOR UPDATE TO authenticated USING ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('categories'::text, 'list'::text) AS can)))) WITH CHECK ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('categories'::text, 'update'::text) AS can)) OR private.deny('categories'::text)));

ALTER TABLE api.dashboards ENABLE ROW LEVEL SECURITY;

CREATE POLICY dashboards_create ON api.dashboards FOR INSERT TO authenticated WITH CHECK ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('dashboards'::text, 'create'::text) AS can)) OR private.deny('dashboards'::text)));

CREATE POLICY dashboards_delete ON api.dashboards FOR DELETE TO authenticated USING ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('dashboards'::text, 'list'::text) AS can) AND ((visibility = ANY (ARRAY['shared'::text, 'public'::text])) OR ( SELECT private.can('dashboards'::text, 'list_private'::text) AS can)))));

CREATE POLICY dashboards_read ON api.dashboards FOR SELECT TO authenticated USING ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('dashboards'::text, 'list'::text) AS can) AND ((visibility = ANY (ARRAY['shared'::text, 'public'::text])) OR ( SELECT private.can('dashboards'::text, 'list_private'::text) AS can)))));

CREATE POLICY dashboards_update ON api.dashboards FOR UPDATE TO authenticated USING ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('dashboards'::text, 'list'::text) AS can) AND ((visibility = ANY (ARRAY['shared'::text, 'public'::text])) OR ( SELECT private.can('dashboards'::text, 'list_private'::text) AS can))))) WITH CHECK ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('dashboards'::text, 'update'::text) AS can)) OR private.deny('dashboards'::text)));

ALTER TABLE api.line_items ENABLE ROW LEVEL SECURITY;

CREATE POLICY line_items_create ON api.line_items FOR INSERT TO authenticated WITH CHECK (((EXISTS ( SELECT
   FROM api.transactions t
  WHERE ((t.id = line_items.transaction_id) AND ((t.organization_id IS NULL) OR ( SELECT private.can('line_items'::text, 'create'::text) AS can))))) OR private.deny('line_items'::text)));

CREATE POLICY line_items_delete ON api.line_items FOR DELETE TO authenticated USING ((EXISTS ( SELECT
   FROM api.transactions t
  WHERE (t.id = line_items.transaction_id))));

CREATE POLICY line_items_read ON api.line_items FOR SELECT TO authenticated USING ((EXISTS ( SELECT
   FROM api.transactions t
  WHERE (t.id = line_items.transaction_id))));

CREATE POLICY line_items_update ON api.line_items FOR UPDATE TO authenticated USING ((EXISTS ( SELECT
   FROM api.transactions t
  WHERE (t.id = line_items.transaction_id)))) WITH CHECK (((EXISTS ( SELECT
   FROM api.transactions t
  WHERE ((t.id = line_items.transaction_id) AND ((t.organization_id IS NULL) OR ( SELECT private.can('line_items'::text, 'update'::text) AS can))))) OR private.deny('line_items'::text)));

ALTER TABLE api.subscriptions ENABLE ROW LEVEL SECURITY;

CREATE POLICY subscriptions_create ON api.subscriptions FOR INSERT TO authenticated WITH CHECK ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('subscriptions'::text, 'create'::text) AS can)) OR private.deny('subscriptions'::text)));

CREATE POLICY subscriptions_delete ON api.subscriptions FOR DELETE TO authenticated USING ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('subscriptions'::text, 'list'::text) AS can))));

CREATE POLICY subscriptions_read ON api.subscriptions FOR SELECT TO authenticated USING ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('subscriptions'::text, 'list'::text) AS can))));

CREATE POLICY subscriptions_update ON api.subscriptions FOR UPDATE TO authenticated USING ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('subscriptions'::text, 'list'::text) AS can)))) WITH CHECK ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('subscriptions'::text, 'update'::text) AS can)) OR private.deny('subscriptions'::text)));

ALTER TABLE api.tags ENABLE ROW LEVEL SECURITY;

CREATE POLICY tags_create ON api.tags FOR INSERT TO authenticated WITH CHECK ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('tags'::text, 'create'::text) AS can)) OR private.deny('tags'::text)));

CREATE POLICY tags_delete ON api.tags FOR DELETE TO authenticated USING ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('tags'::text, 'list'::text) AS can))));

CREATE POLICY tags_read ON api.tags FOR SELECT TO authenticated USING ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('tags'::text, 'list'::text) AS can))));

CREATE POLICY tags_update ON api.tags FOR UPDATE TO authenticated USING ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('tags'::text, 'list'::text) AS can)))) WITH CHECK ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('tags'::text, 'update'::text) AS can)) OR private.deny('tags'::text)));

ALTER TABLE api.transaction_tags ENABLE ROW LEVEL SECURITY;

CREATE POLICY transaction_tags_create ON api.transaction_tags FOR INSERT TO authenticated WITH CHECK (((EXISTS ( SELECT
   FROM api.transactions t
  WHERE ((t.id = transaction_tags.transaction_id) AND ((t.organization_id IS NULL) OR ( SELECT private.can('transaction_tags'::text, 'create'::text) AS can))))) OR private.deny('transaction_tags'::text)));

CREATE POLICY transaction_tags_delete ON api.transaction_tags FOR DELETE TO authenticated USING ((EXISTS ( SELECT
   FROM api.transactions t
  WHERE (t.id = transaction_tags.transaction_id))));

CREATE POLICY transaction_tags_read ON api.transaction_tags FOR SELECT TO authenticated USING ((EXISTS ( SELECT
   FROM api.transactions t
  WHERE (t.id = transaction_tags.transaction_id))));

CREATE POLICY transaction_tags_update ON api.transaction_tags FOR UPDATE TO authenticated USING ((EXISTS ( SELECT
   FROM api.transactions t
  WHERE (t.id = transaction_tags.transaction_id)))) WITH CHECK (((EXISTS ( SELECT
   FROM api.transactions t
  WHERE ((t.id = transaction_tags.transaction_id) AND ((t.organization_id IS NULL) OR ( SELECT private.can('transaction_tags'::text, 'update'::text) AS can))))) OR private.deny('transaction_tags'::text)));

ALTER TABLE api.transactions ENABLE ROW LEVEL SECURITY;

CREATE POLICY transactions_create ON api.transactions FOR INSERT TO authenticated WITH CHECK ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('transactions'::text, 'create'::text) AS can)) OR private.deny('transactions'::text)));

CREATE POLICY transactions_delete ON api.transactions FOR DELETE TO authenticated USING ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('transactions'::text, 'list'::text) AS can))));

CREATE POLICY transactions_read ON api.transactions FOR SELECT TO authenticated USING ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('transactions'::text, 'list'::text) AS can))));

CREATE POLICY transactions_update ON api.transactions FOR UPDATE TO authenticated USING ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('transactions'::text, 'list'::text) AS can)))) WITH CHECK ((((organization_id IS NULL) AND (user_id = ( SELECT public.uid() AS uid))) OR ((organization_id = ( SELECT public.org_id() AS org_id)) AND ( SELECT private.can('transactions'::text, 'update'::text) AS can)) OR private.deny('transactions'::text)));

GRANT USAGE ON SCHEMA api TO anon;
GRANT USAGE ON SCHEMA api TO authenticated;

GRANT USAGE ON SCHEMA auth TO auth_service;

GRANT USAGE ON SCHEMA private TO anon;
GRANT USAGE ON SCHEMA private TO authenticated;
GRANT USAGE ON SCHEMA private TO authenticator;
GRANT USAGE ON SCHEMA private TO auth_service;

GRANT SELECT ON TABLE api.transactions TO anon;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE api.transactions TO authenticated;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE auth.rate_limits TO auth_service;

GRANT SELECT ON TABLE api.app_subscriptions TO anon;
GRANT SELECT ON TABLE api.app_subscriptions TO authenticated;

GRANT SELECT ON TABLE private.products TO auth_service;

GRANT SELECT ON TABLE api.accounts TO anon;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE api.accounts TO authenticated;

GRANT SELECT ON TABLE api.categories TO anon;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE api.categories TO authenticated;

GRANT SELECT ON TABLE api.dashboards TO anon;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE api.dashboards TO authenticated;

GRANT SELECT ON TABLE api.line_items TO anon;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE api.line_items TO authenticated;

GRANT SELECT ON TABLE api.subscriptions TO anon;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE api.subscriptions TO authenticated;

GRANT SELECT ON TABLE api.tags TO anon;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE api.tags TO authenticated;

GRANT SELECT ON TABLE api.transaction_tags TO anon;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE api.transaction_tags TO authenticated;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE auth.accounts TO auth_service;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE auth.invitations TO auth_service;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE auth.jwks TO auth_service;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE auth.members TO auth_service;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE auth.organizations TO auth_service;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE auth.sessions TO auth_service;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE auth.users TO auth_service;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE auth.verifications TO auth_service;

GRANT SELECT ON TABLE private.migrations TO auth_service;

GRANT SELECT ON TABLE private.settings TO auth_service;

ALTER DEFAULT PRIVILEGES FOR ROLE postgres REVOKE ALL ON FUNCTIONS  FROM PUBLIC;
