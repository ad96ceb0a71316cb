-- after: activity/activity_rows, imports/import_history
-- Imports of banks' files.

comment on table api.imports is
$$Imports: files of banks, each of which can be reverted as a whole

Created by `/rpc/import_transactions`. You see your personal ones and, while an organization is active, the
organization's. The deletion of an import deletes the transactions that it created, and restores the former values of
those that it updated. It also deletes the balance that the import stored, or restores the one before.$$;
comment on column api.imports.id is 'Identifier';
comment on column api.imports.source is 'The source of its transactions, 1 to 64 characters';
comment on column api.imports.account_id is 'Id of the account of its transactions';
comment on column api.imports.file_name is 'Name of the file, 1 to 255 characters';
comment on column api.imports.row_count is 'Number of created and updated transactions, 1 to 5000';
comment on column api.imports.user_id is 'Id of the user who created it. Filled from the JWT; cannot be changed';
comment on column api.imports.organization_id is
  'The team it belongs to. Filled from the JWT when an organization is active; send null for a personal import; '
  'cannot be changed';
comment on column api.imports.tenant is
  'The owner of the row: `o:` and the organization''s id, or `u:` and the user''s id for a personal row. Set by the '
  'service. `tenant=eq.…` lists one workspace';
comment on column api.imports.created_at is 'Set by the service';


-- Only /rpc/import_transactions creates imports (db/imports/import_rows.sql). Callers may list and delete them.
alter table api.imports enable row level security;
create policy imports_read on api.imports for select to authenticated
  using (private.is_not_explained()
    and (tenant = (select private.personal_tenant())
      or tenant = (select private.team_tenant('imports', 'list'))));
create policy imports_delete on api.imports for delete to authenticated
  using (tenant = (select private.personal_tenant())
    or tenant = (select private.team_tenant('imports', 'list')));
insert into private.role_permissions (role, resource, action) select role, 'imports', action from usual_rights;
grant select on api.imports to anon;
grant select, delete on api.imports to authenticated;

create or replace function private.imports_before_row() returns trigger
  language plpgsql set search_path = ''
as $$
declare
  by_caller constant boolean := current_user = 'authenticated';
begin
  if private.count_exceeds_limit(tg_op) then
    perform private.reject_many_rows();
  end if;
  if tg_op = 'DELETE' then
    if by_caller and old.organization_id is not null and not private.can('imports', 'delete') then
      perform private.deny('imports');
    end if;
    if by_caller then
      perform private.delete_import_transactions(old.id);
      perform private.revert_import_updates(old);
    elsif public.uid() is null then
      -- no undo follows the deletion of a user or an organization
      delete from private.import_balances b where b.import_id = old.id;
    end if;
    return old;
  end if;
  if tg_op = 'UPDATE' and new.user_id is not distinct from old.user_id then
    new.created_at := old.created_at;
  end if;
  new.tenant := private.tenant_of(new.user_id, new.organization_id);
  if new.account_id is distinct from old.account_id and new.account_id is not null then
    perform private.check_account('imports', tg_op, new.tenant, new.account_id, null);
  end if;
  return new;
end
$$;
comment on function private.imports_before_row() is
  'Preserves the columns of a row of imports. The deletion by a caller deletes its transactions and reverts its '
  'updates.';

create trigger "1_before_row" before insert or update or delete on api.imports
  for each row execute function private.imports_before_row();
create trigger "2_record_creation" after insert on api.imports
  referencing new table as new_rows
  for each statement execute function private.record_creation();
create trigger "2_record_change" after update on api.imports
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.record_change();
create trigger "2_record_deletion" after delete on api.imports
  referencing old table as old_rows
  for each statement execute function private.record_deletion();

comment on table private.bank_values is
  'The bank''s own values of imported transactions that a user has edited; null if they are unknown.';
comment on table private.import_updates is
  'The transactions that an import has changed, with the bank''s values before and after.';
comment on column private.import_updates.said is 'The bank''s values, if the transaction keeps values of a user.';
comment on table private.bank_versions is
  'The amounts, days and names that a bank has sent for transactions which have other values now, or had them.';
comment on table private.deleted_bank_rows is
  'The keys of transactions that an import has stored and a user has deleted. A key counts while its import exists.';
comment on table private.import_balances is
  'The balance of an account that an import has stored, and the balance and source that it replaced.';
