-- after: imports/tables, recurring/tables

create table api.transactions (
  id uuid primary key default gen_random_uuid(),
  amount private.amount not null,
  name text not null,
  currency text not null default private.left_out(),
  user_id text default public.uid() references auth.users on delete set null,
  organization_id text default public.org_id() references auth.organizations on delete cascade,
  tenant text not null default private.left_out(),
  external_id text,
  category_id uuid,
  reference_no text,
  description text,
  status text not null default 'paid',
  source text not null default 'manual',
  metadata jsonb,
  transaction_date private.moment not null default now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  account_id uuid,
  transfer_id uuid,
  import_id uuid,
  booked_on private.day,
  subscription_id uuid,
  due_on private.day,
  constraint transactions_of_tenant unique (id, tenant),
  constraint transactions_category_id_fkey foreign key (tenant, category_id)
    references api.categories (tenant, id) on delete set null (category_id),
  constraint transactions_account_id_fkey foreign key (tenant, account_id)
    references api.accounts (tenant, id) on delete set null (account_id),
  constraint transactions_import_id_fkey foreign key (tenant, import_id)
    references api.imports (tenant, id) on delete set null (import_id),
  constraint transactions_subscription_id_fkey foreign key (tenant, subscription_id)
    references api.subscriptions (tenant, id) on delete set null (subscription_id),
  constraint transactions_tenant_is_of_owner check (tenant = private.tenant_of(user_id, organization_id)),
  constraint transactions_amount_is_number check (amount <> 'NaN'),
  constraint transactions_booked_on_is_day_of_date check (
  transaction_date >= booked_on::timestamp at time zone 'UTC' - interval '14 hours'
  and transaction_date < booked_on::timestamp at time zone 'UTC' + interval '36 hours'),
  constraint transactions_currency_form check (currency ~ '^[a-z]{3}$'),
  constraint transactions_date_in_range check (
    transaction_date >= '1900-01-01 00:00:00+00' and transaction_date < '2200-01-01 00:00:00+00'
  ),
  constraint transactions_description_length check (char_length(description) <= 5000),
  constraint transactions_due_on_in_range check (due_on >= '1900-01-01' and due_on < '2200-01-01'),
  constraint transactions_external_id_length check (char_length(external_id) between 1 and 255),
  constraint transactions_have_an_owner check (user_id is not null or organization_id is not null),
  constraint transactions_metadata_depth check (not jsonb_path_exists(metadata, '$.**{17}')),
  constraint transactions_metadata_numbers check (private.plain_numbers(metadata)),
  constraint transactions_metadata_size check (octet_length(metadata::text) <= 16384),
  constraint transactions_name_length check (char_length(name) between 1 and 255),
  constraint transactions_recorded_day_is_complete check (subscription_id is null or due_on is not null),
  constraint transactions_reference_no_length check (char_length(reference_no) <= 255),
  constraint transactions_source_length check (char_length(source) between 1 and 64),
  constraint transactions_status_known check (status in ('paid', 'pending', 'failed'))
);
create unique index transactions_tenant_import on api.transactions (tenant, source, external_id)
  where external_id is not null;
-- Lists and reports of a tenant read this index.
create index transactions_tenant_dates on api.transactions (tenant, transaction_date desc, id)
  include (amount, currency, status, category_id, transfer_id, booked_on);
-- An import looks for transactions by amount and day.
create index transactions_tenant_amounts on api.transactions (tenant, amount, transaction_date);
create index transactions_user on api.transactions (user_id) where user_id is not null;
create index transactions_organization on api.transactions (organization_id) where organization_id is not null;
create index transactions_transfer on api.transactions (transfer_id) where transfer_id is not null;
create index transactions_import on api.transactions (import_id) where import_id is not null;
create index transactions_account on api.transactions (account_id, transaction_date desc, id)
  include (amount, status, tenant, booked_on) where account_id is not null;
-- finds the record of a due day
create index transactions_subscription on api.transactions (subscription_id, due_on) where subscription_id is not null;
create index transactions_category_dates on api.transactions (category_id, transaction_date desc, id)
  where category_id is not null;
create index transactions_pending on api.transactions (account_id) where status = 'pending' and account_id is not null;
-- The expression of private.payee_of_tenant() and private.payee_key(), which the planner inlines. It contains the
-- tenant, because with a column of the tenant the planner would take any index of this column. No other query uses it.
create index transactions_payees on api.transactions (
  (tenant || ' '
    || coalesce(
      nullif(
        btrim(
          regexp_replace(lower(normalize(name, nfkc)),
            '([[:alpha:]]*[0-9]+[[:alpha:]]+[[:alnum:]]*|[0-9]+|[^[:alnum:]]+)+', ' ', 'g')),
        ''),
      lower(normalize(name, nfkc)))),
  transaction_date desc) where category_id is not null and transfer_id is null;
alter table api.transactions
  alter column tenant set (n_distinct = -0.5),
  alter column account_id set (n_distinct = -1),
  alter column transfer_id set (n_distinct = -1),
  alter column import_id set (n_distinct = -1),
  alter column subscription_id set (n_distinct = -1);

create table api.line_items (
  id uuid primary key default gen_random_uuid(),
  transaction_id uuid not null,
  name text not null,
  amount private.amount not null,
  quantity private.quantity not null default 1,
  category_id uuid,
  user_id text,
  organization_id text,
  tenant text not null default private.left_out(),
  constraint line_items_transaction_id_fkey foreign key (tenant, transaction_id)
    references api.transactions (tenant, id) on delete cascade,
  constraint line_items_category_id_fkey foreign key (tenant, category_id)
    references api.categories (tenant, id) on delete set null (category_id),
  constraint line_items_tenant_is_of_owner check (tenant = private.tenant_of(user_id, organization_id)),
  constraint line_items_amount_is_number check (amount <> 'NaN'),
  constraint line_items_have_one_owner check (num_nonnulls(user_id, organization_id) = 1),
  constraint line_items_name_length check (char_length(name) between 1 and 255),
  constraint line_items_quantity_is_number check (quantity <> 'NaN')
);
create index line_items_tenant on api.line_items (tenant, transaction_id);
-- a report by category asks which line items of a tenant have a category of their own
create index line_items_tenant_filed on api.line_items (tenant, transaction_id)
  include (category_id, amount) where category_id is not null;
create index line_items_transaction_id on api.line_items (transaction_id);
create index line_items_category_id on api.line_items (category_id) where category_id is not null;
alter table api.line_items
  alter column transaction_id set (n_distinct = -1),
  alter column category_id set (n_distinct = -1),
  alter column tenant set (n_distinct = -1);

create table private.line_item_checks (
  transaction_id uuid primary key
);

create table api.tags (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  user_id text default public.uid() references auth.users on delete set null,
  organization_id text default public.org_id() references auth.organizations on delete cascade,
  tenant text not null default private.left_out(),
  created_at timestamptz not null default now(),
  constraint tags_tenant_is_of_owner check (tenant = private.tenant_of(user_id, organization_id)),
  constraint tags_have_an_owner check (user_id is not null or organization_id is not null),
  constraint tags_name_length check (char_length(name) between 1 and 100)
);
create index tags_tenant on api.tags (tenant, name);
create index tags_user on api.tags (user_id) where user_id is not null;
create index tags_organization on api.tags (organization_id) where organization_id is not null;
alter table api.tags
  alter column tenant set (n_distinct = -0.5);

create table api.transaction_tags (
  transaction_id uuid not null,
  -- Without the tenant: with it, an embedding of tags would read all tags of the tenant for each transaction. A trigger
  -- checks the tenant.
  tag_id uuid not null references api.tags on delete cascade,
  user_id text,
  organization_id text,
  tenant text not null default private.left_out(),
  constraint transaction_tags_transaction_id_fkey foreign key (tenant, transaction_id)
    references api.transactions (tenant, id) on delete cascade,
  constraint transaction_tags_tenant_is_of_owner check (tenant = private.tenant_of(user_id, organization_id)),
  -- PostgREST embeds tags in transactions if this key contains the columns of both foreign keys
  constraint transaction_tags_pkey primary key (tenant, transaction_id, tag_id),
  constraint transaction_tags_once unique (transaction_id, tag_id),
  constraint transaction_tags_have_one_owner check (num_nonnulls(user_id, organization_id) = 1)
);
create index transaction_tags_tag_id on api.transaction_tags (tag_id);
alter table api.transaction_tags
  alter column transaction_id set (n_distinct = -1),
  alter column tag_id set (n_distinct = -1),
  alter column tenant set (n_distinct = -1);
