-- after: activity/activity_rows, attachments/files
-- Attachments: files of transactions.

comment on table api.attachments is
$$Attachments: receipts and other files of transactions

Visible and writable like their transaction, and deleted with it. Read them with
`/transactions?select=*,attachments(*)`, or `/attachments?transaction_id=eq.<id>`. Add a file with
`/rpc/begin_upload`, and read it with `/rpc/open_attachment`. Of an existing attachment only `name` and `note` can
change.

Files can also be added to and deleted from a transaction of a closed day, because they change no figure.$$;
comment on column api.attachments.id is 'Identifier';
comment on column api.attachments.transaction_id is 'Id of its transaction. Cannot be changed';
comment on column api.attachments.user_id is
  'Owner of its transaction, if that is personal. Filled from it; cannot be changed';
comment on column api.attachments.organization_id is 'The team of its transaction. Filled from it; cannot be changed';
comment on column api.attachments.tenant is
  'The owner of the row: `o:` and the organization''s id, or `u:` and the user''s id for a personal row. Set by the '
  'service. `tenant=eq.…` lists one workspace';
comment on column api.attachments.name is
  'Name of the file, 1 to 255 characters in one line, not only blanks. Folders before it are removed. Clients must '
  'show it as text';
comment on column api.attachments.content_type is 'Type of the file by its first bytes; null until it is uploaded';
comment on column api.attachments.size is 'Size in bytes';
comment on column api.attachments.sha256 is 'SHA-256 of the file, 64 lower-case hexadecimal digits';
comment on column api.attachments.note is 'Free text up to 1000 characters';
comment on column api.attachments.status is
  '`pending` until the file is uploaded, then `ready`. A pending attachment is deleted after an hour';
comment on column api.attachments.created_at is 'Set by the service';

-- Only /rpc/begin_upload creates attachments (db/attachments/upload_and_download.sql). Callers may list, rename and
-- delete them.
alter table api.attachments enable row level security;
create policy attachments_read on api.attachments for select to authenticated
  using (private.is_not_explained()
    and (tenant = (select private.personal_tenant())
      or tenant = (select private.team_tenant('attachments', 'list'))));
create policy attachments_update on api.attachments for update to authenticated
  using (tenant = (select private.personal_tenant())
    or tenant = (select private.team_tenant('attachments', 'list')))
  with check (
    case
      when tenant = (select private.personal_tenant())
        or tenant = (select private.team_tenant('attachments', 'update')) then true
      else private.deny('attachments')
    end);
create policy attachments_delete on api.attachments for delete to authenticated
  using (tenant = (select private.personal_tenant())
    or tenant = (select private.team_tenant('attachments', 'list')));
insert into private.role_permissions (role, resource, action) select role, 'attachments', action from usual_rights;
grant select on api.attachments to anon;
grant select, update, delete on api.attachments to authenticated;

create or replace function private.attachments_before_row() returns trigger
  language plpgsql set search_path = ''
as $$
declare
  by_caller constant boolean := current_user = 'authenticated';
  owner record;
  gets_owner boolean;
  broken text;
begin
  if private.count_exceeds_limit(tg_op) then
    perform private.reject_many_rows();
  end if;
  if tg_op = 'DELETE' then
    if by_caller and old.organization_id is not null and not private.can('attachments', 'delete') then
      perform private.deny('attachments');
    end if;
    perform private.release_file(old.id);
    return old;
  end if;
  gets_owner := tg_op = 'INSERT'
    or (new.user_id, new.organization_id) is distinct from (old.user_id, old.organization_id);
  if gets_owner then
    owner := private.owner_of_part('attachments', new.transaction_id);
    if tg_op = 'INSERT' and (coalesce(new.user_id, owner.user_id), coalesce(new.organization_id, owner.organization_id))
      is distinct from (owner.user_id, owner.organization_id) then
      -- another tenant may have the transaction's id by now, if this is an undo
      perform private.reject_reference('attachments', 'transaction_id', 'transactions');
    end if;
  end if;
  if by_caller then
    if (old.id, old.transaction_id, old.user_id, old.organization_id,
        old.content_type, old.size, old.sha256, old.status)
      is distinct from (new.id, new.transaction_id, new.user_id, new.organization_id,
        new.content_type, new.size, new.sha256, new.status) then
      perform private.deny('attachments');
    end if;
    if old.status = 'pending' then
      raise sqlstate 'PT409' using
        message = 'this attachment''s file hasn''t been uploaded yet',
        hint = 'First upload the file with the ticket from begin_upload.';
    end if;
    if new.name is distinct from old.name then
      new.name := private.base_name(new.name);
    end if;
    broken := case
      when new.name is null then 'name'
      when not private.is_name(new.name, old.name) then 'attachments_name_length'
      when new.name ~ '[\u0001-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]'
        then 'attachments_name_one_line'
      when char_length(new.note) > 1000 then 'attachments_note_length'
    end;
    if broken is not null then
      perform private.reject_row(tg_relid, tg_op, new, broken);
    end if;
    new.created_at := old.created_at;
  elsif gets_owner then
    new.user_id := owner.user_id;
    new.organization_id := owner.organization_id;
  end if;
  new.tenant := private.tenant_of(new.user_id, new.organization_id);
  if tg_op = 'INSERT' and public.uid() is not null then
    perform private.keep_file(new);
  end if;
  return new;
end
$$;
comment on function private.attachments_before_row() is
  'Fills in, preserves and checks the columns of a row of attachments.';

create trigger "1_before_row" before insert or update or delete on api.attachments
  for each row execute function private.attachments_before_row();
create trigger "2_record_creation" after insert on api.attachments
  referencing new table as new_rows
  for each statement execute function private.record_creation();
create trigger "2_record_change" after update on api.attachments
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.record_change();
create trigger "2_record_deletion" after delete on api.attachments
  referencing old table as old_rows
  for each statement execute function private.record_deletion();

comment on table private.files is
  'The files of attachments. A file without stored_at is being uploaded. A file with released_at belongs to a '
  'deleted attachment, which an undo may restore.';
comment on column private.files.is_external is
  'Whether the bytes are in the object storage of FILES_URL, with the id as key. Otherwise they are in '
  'private.file_chunks.';
comment on table private.file_chunks is 'The bytes of files, in parts of 256 KiB.';
comment on table private.deleted_objects is
  'Objects that the auth service still has to delete from the object storage: those of deleted and moved files.';
comment on column private.deleted_objects.deleted_at is
  'When the object became superfluous. In the future while a file moves to the object storage, in case that its '
  'move is interrupted.';
comment on table private.file_tickets is
  'Tickets for the upload or the download of one file, by the hash of their secret. A ticket ends with the session, '
  'membership, role or key of its token.';
comment on column private.settings.file_max_bytes is 'FILE_MAX_BYTES: the maximum size of a file.';
comment on column private.settings.files_per_transaction is
  'FILES_PER_TRANSACTION: the maximum number of attachments of a transaction.';
comment on column private.settings.files_quota is
  'FILES_QUOTA: the maximum size of all files of a user''s personal transactions.';
comment on column private.settings.files_team_quota is 'FILES_TEAM_QUOTA: the maximum size of all files of a team.';
-- update is for the locks of concurrent processes
grant select, delete, update (deleted_at) on private.deleted_objects to auth_service;
create trigger files_note_deleted_object
  after delete on private.files
  for each row when (old.is_external)
  execute function private.note_deleted_object();
