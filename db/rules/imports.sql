-- Files of banks that were imported.

comment on table api.imports is
$$Imports: files of banks, each of which can be taken back as one

`/rpc/import_transactions` makes them. You see your personal ones and, while an organization is active, the organization's. Deleting one deletes the transactions that it stored, and gives those that it updated the values they had.$$;
comment on column api.imports.source is 'The source of its transactions, 1 to 64 characters';
comment on column api.imports.account_id is 'Id of the account of its transactions';
comment on column api.imports.file_name is 'Name of the file, 1 to 255 characters';
comment on column api.imports.row_count is 'How many transactions it stored or updated, 1 to 5000';

select pg_temp.protect_owned('imports', 'import');

-- An import is what /rpc/import_transactions has stored (db/functions/private/transaction_imports.sql): callers list it and take it back.
revoke insert, update on api.imports from authenticated;
drop policy imports_create on api.imports;
drop policy imports_update on api.imports;

create trigger imports_take_back
  before delete on api.imports
  for each row
  -- a user or an organization that is deleted takes everything along
  when (current_user = 'authenticated')
  execute function private.take_import_back();

create trigger imports_take_updates_back
  before delete on api.imports
  for each row
  when (current_user = 'authenticated')
  execute function private.take_import_updates_back();

create trigger imports_check_account
  after insert or update of account_id on api.imports
  for each row
  when (new.account_id is not null)
  execute function private.check_account();
