-- A deleted transaction is recognized in another format of its account's file by account, amount, day and text.
-- The index is created with the migration in one transaction, on a small table.
-- squawk-ignore-file require-concurrent-index-creation

alter table private.deleted_bank_rows
  add column account_id uuid,
  add column amount numeric,
  add column day date,
  add column name text;

create index deleted_bank_rows_account on private.deleted_bank_rows (account_id, day) where account_id is not null;
