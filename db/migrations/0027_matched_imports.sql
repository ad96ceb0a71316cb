-- An import also recognizes transactions that a user entered, deleted, or imported from another format, and both halves of a transfer.

-- A million rows take ten seconds, in which nobody writes.
-- squawk-ignore-file require-concurrent-index-creation, adding-foreign-key-constraint, constraint-missing-not-valid

-- These have other columns or parameters from now on.
drop function if exists private.judge_import(jsonb, text, uuid, text), private.bank_history(uuid[]);

-- An import looks for transactions by amount and day.
create index transactions_personal_amounts on api.transactions (user_id, amount, transaction_date) where organization_id is null;
create index transactions_team_amounts on api.transactions (organization_id, amount, transaction_date) where organization_id is not null;
analyze api.transactions;

-- The source, external_id and transfer_id that an import has changed, and the bank's values of a row that keeps values of a user.
alter table private.import_updates
  add column identity_before jsonb,
  add column identity_after jsonb,
  add column said jsonb;
create index import_updates_former_ids on private.import_updates ((identity_before ->> 'external_id')) where identity_before is not null;

-- The keys of transactions that an import has stored and a user has deleted. They count while the import exists.
create table private.deleted_bank_rows (
  user_id text references auth.users on delete cascade,
  organization_id text references auth.organizations on delete cascade,
  source text not null,
  external_id text not null,
  import_id uuid not null,
  constraint deleted_bank_rows_have_one_owner check ((user_id is null) <> (organization_id is null))
);
create unique index deleted_bank_rows_personal on private.deleted_bank_rows (user_id, source, external_id, import_id) where user_id is not null;
create unique index deleted_bank_rows_team on private.deleted_bank_rows (organization_id, source, external_id, import_id) where organization_id is not null;
create index deleted_bank_rows_import on private.deleted_bank_rows (import_id);
