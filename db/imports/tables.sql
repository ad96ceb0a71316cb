-- after: accounts/tables

create table api.imports (
  id uuid primary key default gen_random_uuid(),
  source text not null,
  account_id uuid,
  file_name text,
  row_count bigint not null,
  user_id text default public.uid() references auth.users on delete set null,
  organization_id text default public.org_id() references auth.organizations on delete cascade,
  tenant text not null default private.left_out(),
  created_at timestamptz not null default now(),
  constraint imports_of_tenant unique (id, tenant),
  constraint imports_account_id_fkey foreign key (tenant, account_id)
    references api.accounts (tenant, id) on delete set null (account_id),
  constraint imports_tenant_is_of_owner check (tenant = private.tenant_of(user_id, organization_id)),
  constraint imports_file_name_length check (char_length(file_name) between 1 and 255),
  constraint imports_have_an_owner check (user_id is not null or organization_id is not null),
  constraint imports_row_count_in_range check (row_count between 1 and 5000),
  constraint imports_source_length check (char_length(source) between 1 and 64)
);
create index imports_tenant on api.imports (tenant, created_at desc);
create index imports_user on api.imports (user_id) where user_id is not null;
create index imports_organization on api.imports (organization_id) where organization_id is not null;
create index imports_account on api.imports (account_id) where account_id is not null;
alter table api.imports
  alter column tenant set (n_distinct = -0.5);

-- Imported transactions that a user has edited, with the bank's own values. Null is unknown.
create table private.bank_values (
  transaction_id uuid primary key,
  said jsonb,
  tenant text not null
);
create index bank_values_tenant on private.bank_values (tenant);

create table private.bank_versions (
  account_id uuid not null,
  amount numeric not null,
  day date not null,
  name text not null,
  transaction_id uuid not null,
  external_id text not null,
  tenant text not null,
  constraint bank_versions_pkey primary key (account_id, amount, day, transaction_id, name, external_id)
);
create index bank_versions_transaction on private.bank_versions (transaction_id);
create index bank_versions_tenant on private.bank_versions (tenant);

-- The transactions that an import has changed, with the bank's values before and after.
create table private.import_updates (
  transaction_id uuid not null,
  import_id uuid not null,
  before jsonb not null,
  after jsonb not null,
  -- only imports had changed it
  was_untouched boolean not null,
  taken_back_at timestamptz,
  identity_before jsonb,
  identity_after jsonb,
  said jsonb,
  tag_ids uuid[],
  tenant text not null,
  constraint import_updates_pkey primary key (transaction_id, import_id)
);
create index import_updates_import on private.import_updates (import_id);
create index import_updates_tenant on private.import_updates (tenant);
create index import_updates_former_ids on private.import_updates ((identity_before ->> 'external_id'))
  where identity_before is not null;

-- The balance that an import has stored. The deletion of the import deletes it.
create table private.import_balances (
  import_id uuid primary key,
  balance_id uuid not null,
  -- the balance and source that it replaced; null if the row is the import's
  replaced jsonb,
  balance numeric not null,
  tenant text not null
);
create index import_balances_tenant on private.import_balances (tenant);

-- The keys of transactions that an import has stored and a user has deleted. They count while the import exists.
create table private.deleted_bank_rows (
  user_id text references auth.users on delete cascade,
  organization_id text references auth.organizations on delete cascade,
  tenant text not null,
  source text not null,
  external_id text not null,
  import_id uuid not null,
  account_id uuid,
  amount numeric,
  day date,
  name text,
  versions jsonb[],
  constraint deleted_bank_rows_pkey primary key (tenant, source, external_id, import_id),
  constraint deleted_bank_rows_have_one_owner check ((user_id is null) <> (organization_id is null)),
  constraint deleted_bank_rows_tenant_is_of_owner check (tenant = private.tenant_of(user_id, organization_id))
);
create index deleted_bank_rows_user on private.deleted_bank_rows (user_id) where user_id is not null;
create index deleted_bank_rows_organization on private.deleted_bank_rows (organization_id)
  where organization_id is not null;
create index deleted_bank_rows_import on private.deleted_bank_rows (import_id);
create index deleted_bank_rows_account on private.deleted_bank_rows (account_id, day) where account_id is not null;
