-- after: attachments/tables
-- The bytes of attachments. They pass through the auth service, which knows a file only by a ticket: a secret that
-- begin_upload or open_attachment has returned to a caller whom the row rules allow it. Each step below checks that
-- the ticket's access still exists.

create or replace function private.keep_file(p_attachment api.attachments) returns void
  language plpgsql security definer set search_path = ''
as $$
begin
  -- an undo restores an attachment whose file must still be there
  if p_attachment.status = 'ready' then
    update private.files f set released_at = null
      where f.attachment_id = p_attachment.id and f.stored_at is not null and f.tenant = p_attachment.tenant;
    if not found then
      perform private.invalid('the file of the deleted attachment is no longer available',
        'Deleted files are kept only for a limited time and up to a total size.');
    end if;
  end if;
  perform private.reject_file(format('a transaction can have up to %s files', s.files_per_transaction), 0,
      'Delete one of its files first.')
    from private.settings s
    where (select count(*) from api.attachments a where a.transaction_id = p_attachment.transaction_id)
      >= s.files_per_transaction;
  perform private.reject_file(format('the files in this workspace can use up to %s bytes', f.quota),
      greatest(f.quota - f.used, 0), 'Delete other files first.')
    from private.file_space(p_attachment.user_id, p_attachment.organization_id) f
    where f.used + p_attachment.size > f.quota;
end
$$;
comment on function private.keep_file(api.attachments) is
  'Refuses a new attachment above the limits: 413. Keeps the file of an attachment that an undo restores, and refuses '
  'the undo if the file is gone.';

create or replace function private.release_file(p_attachment_id uuid) returns void
  language sql volatile security definer set search_path = ''
begin atomic
  delete from private.files where attachment_id = p_attachment_id and stored_at is null;
  update private.files set released_at = now() where attachment_id = p_attachment_id and stored_at is not null;
end;
comment on function private.release_file(uuid) is
  'Marks the file of a deleted attachment, which housekeeping deletes later.';
grant execute on function private.release_file(uuid) to authenticated;

create or replace function private.note_deleted_object() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.deleted_objects (file_id) values (old.id) on conflict do nothing;
  return null;
end
$$;
comment on function private.note_deleted_object() is 'Notes that the object of a deleted file must be deleted too.';

create or replace function private.file_space(p_user_id text, p_organization_id text)
  returns table (used bigint, quota bigint, max_file_bytes bigint, max_files_per_transaction integer)
  language plpgsql stable security definer set search_path = ''
as $$
begin
  return query
    select (select coalesce(sum(a.size), 0)::bigint from api.attachments a
        where a.tenant = private.tenant_of(p_user_id, p_organization_id)),
      case when p_organization_id is null then s.files_quota else s.files_team_quota end, s.file_max_bytes,
      s.files_per_transaction
    from private.settings s;
end
$$;
comment on function private.file_space(text, text) is 'The size of a context''s files in bytes, and its limits.';

create or replace function private.file_space_of_caller()
  returns table (
    organization_id text, bytes_used bigint, bytes_left bigint, max_file_bytes bigint,
    max_files_per_transaction integer)
  language plpgsql stable security definer set search_path = ''
as $$
begin
  return query
  select c.organization_id, f.used, greatest(f.quota - f.used, 0), f.max_file_bytes, f.max_files_per_transaction
    from (
      select private.personal_id() as user_id, null::text as organization_id where private.personal_id() is not null
      union all
      select null::text, public.org_id() where private.can('attachments', 'list')
    ) c
    cross join lateral private.file_space(c.user_id, c.organization_id) f
    order by c.organization_id nulls first;
end
$$;
comment on function private.file_space_of_caller() is
  'The space for files in the caller''s personal context and in the active organization.';

create or replace function private.new_ticket(p_attachment_id uuid, p_is_upload boolean, p_seconds integer) returns text
  language plpgsql volatile security definer set search_path = ''
as $$
declare
  -- two random UUIDs have 244 random bits
  secret constant text := 'file_'
    || translate(encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'base64'), '+/=', '-_');
begin
  insert into private.file_tickets (token_hash, attachment_id, is_upload, claims, expires_at)
    values (sha256(convert_to(secret, 'UTF8')), p_attachment_id, p_is_upload,
      current_setting('request.jwt.claims')::jsonb, now() + make_interval(secs => p_seconds));
  return secret;
end
$$;
comment on function private.new_ticket(uuid, boolean, integer) is
  'Creates a ticket for the file of an attachment, with the access of the caller''s token.';

create or replace function private.reject_file(p_message text, p_left bigint, p_hint text) returns void
  language plpgsql set search_path = ''
as $$
begin
  perform private.reject('QUOTA_EXCEEDED', p_message, p_hint, 413, p_details => format('%s left', p_left));
end
$$;
comment on function private.reject_file(text, bigint, text) is
  'Refuses a file that exceeds a limit: 413, with the number of bytes or files that are left.';

-- Without a limit, a user who uploads and deletes again and again could fill the disk.
create or replace function private.make_room_for_file(
  p_user_id text, p_organization_id text, p_most bigint
) returns void
  language plpgsql volatile security definer set search_path = ''
as $$
begin
  delete from private.files f using (
    select k.id, sum(k.size) over (order by k.released_at desc, k.id) as newer from private.files k
    where k.released_at is not null
      and k.tenant = private.tenant_of(p_user_id, p_organization_id)) k
    where f.id = k.id and k.newer > p_most;
end
$$;
comment on function private.make_room_for_file(text, text, bigint) is
  'Deletes the oldest files of deleted attachments of a context until their size is at most p_most bytes.';

create or replace function private.store_upload(
  p_transaction_id uuid, p_name text, p_size bigint, p_sha256 text, p_note text
) returns jsonb
  language plpgsql volatile security definer set search_path = ''
as $$
declare
  upload_seconds constant integer := 600;
  owner record;
  attachment api.attachments;
  space record;
begin
  select case when t.organization_id is null then t.user_id end as user_id, t.organization_id into owner
  from api.transactions t
    where t.id = p_transaction_id
      and t.tenant in (private.personal_tenant(), private.team_tenant('transactions', 'list'));
  if not found then
    raise sqlstate 'PT404' using message = 'transaction not found',
      hint = 'transaction_id must be the ID of a transaction you can access.';
  end if;
  if owner.organization_id is not null and not private.can('attachments', 'create') then
    perform private.deny('attachments');
  end if;
  select * into attachment from api.attachments a where a.transaction_id = p_transaction_id and a.sha256 = p_sha256;
  select * into space from private.file_space(owner.user_id, owner.organization_id);
  if attachment.id is null then
    if p_size > space.max_file_bytes then
      perform private.reject_file(format('a file can have up to %s bytes', space.max_file_bytes), space.max_file_bytes,
        'Use a smaller file.');
    end if;
    perform private.make_room_for_file(owner.user_id, owner.organization_id, space.quota);
    insert into api.attachments (transaction_id, name, size, sha256, note)
    values (p_transaction_id, p_name, p_size, p_sha256, p_note)
    returning * into attachment;
    space.used := space.used + p_size;
  elsif attachment.size <> p_size then
    perform private.invalid('size doesn''t match the file with this sha256', 'Send the size of the file in bytes.');
  end if;
  return jsonb_build_object('attachment_id', attachment.id,
    'ticket', private.new_ticket(attachment.id, true, upload_seconds), 'expires_in', upload_seconds,
    'status', attachment.status, 'bytes_left', greatest(space.quota - space.used, 0));
end
$$;
comment on function private.store_upload(uuid, text, bigint, text, text) is
  'Stores a pending attachment of a transaction that the caller may write, within the limits, or finds the one with '
  'the same file. Returns a ticket for its file.';

create or replace function private.store_opening(p_attachment_id uuid) returns jsonb
  language plpgsql volatile security definer set search_path = ''
as $$
declare
  open_seconds constant integer := 60;
  current_status constant text := (
    select a.status from api.attachments a
    where a.id = p_attachment_id
      and a.tenant in (private.personal_tenant(), private.team_tenant('attachments', 'list')));
begin
  if current_status is null then
    raise sqlstate 'PT404' using message = 'attachment not found',
      hint = 'id must be the ID of an attachment you can access.';
  end if;
  if current_status = 'pending' then
    raise sqlstate 'PT409' using message = 'this attachment''s file hasn''t been uploaded yet',
      hint = 'Try again once its status is ready.';
  end if;
  return jsonb_build_object('ticket', private.new_ticket(p_attachment_id, false, open_seconds),
    'expires_in', open_seconds);
end
$$;
comment on function private.store_opening(uuid) is
  'Returns a ticket that reads the file of an attachment that the caller sees.';
grant execute on function private.file_space_of_caller(), private.store_upload(uuid, text, bigint, text, text),
  private.store_opening(uuid) to authenticated;

create or replace function private.is_alive(p_ticket private.file_tickets) returns boolean
  language sql stable set search_path = ''
begin atomic
  -- the ticket has its own end instead of the token's
  select private.token_problem(p_ticket.claims || '{"exp": 1e11}', s.public_url, s.tokens_issued_after) is null
    and not private.is_elsewhere(
      private.tenant_of(p_ticket.claims ->> 'user_id', p_ticket.claims #>> '{claims,organization_id}'))
  from private.settings s;
end;
comment on function private.is_alive(private.file_tickets) is
  'Whether the session, membership, role or key behind a ticket still exists, and the rows are in this database.';

create or replace function private.file_of_ticket(p_token_hash bytea)
  returns table (
    attachment_id uuid, is_upload boolean, user_id text, name text, content_type text, size bigint, sha256 text,
    status text, file_id uuid, is_external boolean)
  language sql stable security definer set search_path = ''
begin atomic
  select a.id, t.is_upload, t.claims ->> 'user_id', a.name, a.content_type, a.size, a.sha256, a.status, f.id,
    f.is_external
    from private.file_tickets t
    join api.attachments a on a.id = t.attachment_id
    left join private.files f on f.attachment_id = a.id and f.stored_at is not null
    where t.token_hash = p_token_hash and t.expires_at > now() and private.is_alive(t);
end;
comment on function private.file_of_ticket(bytea) is
  'The attachment and the stored file of a ticket. No row if the ticket is unknown or has ended.';

create or replace function private.begin_file(p_token_hash bytea, p_is_external boolean) returns uuid
  language sql volatile security definer set search_path = ''
begin atomic
  insert into private.files (attachment_id, user_id, organization_id, tenant, size, is_external)
    select a.id, a.user_id, a.organization_id, a.tenant, a.size, p_is_external
    from private.file_tickets t join api.attachments a on a.id = t.attachment_id
    where t.token_hash = p_token_hash and t.is_upload
    returning id;
end;
comment on function private.begin_file(bytea, boolean) is
  'Begins the file of an upload, and returns its id. Each attempt has a file of its own.';

create or replace function private.write_chunk(
  p_token_hash bytea, p_file_id uuid, p_number integer, p_bytes bytea
) returns boolean
  language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- finish_upload() waits for the disk, and then all chunks are on it
  perform set_config('synchronous_commit', 'off', true);
  insert into private.file_chunks (file_id, number, bytes, tenant)
    select f.id, p_number, p_bytes, f.tenant
    from private.file_tickets t join private.files f on f.attachment_id = t.attachment_id
    where t.token_hash = p_token_hash and t.is_upload and private.is_alive(t) and f.id = p_file_id
      and f.stored_at is null and not f.is_external;
  return found;
end
$$;
comment on function private.write_chunk(bytea, uuid, integer, bytea) is
  'Stores a chunk of an upload. Returns false if the upload has ended.';

create or replace function private.discard_file(p_token_hash bytea, p_file_id uuid) returns void
  language sql volatile security definer set search_path = ''
begin atomic
  delete from private.files f using private.file_tickets t
    where t.token_hash = p_token_hash and f.attachment_id = t.attachment_id and f.id = p_file_id
      and f.stored_at is null;
end;
comment on function private.discard_file(bytea, uuid) is 'Deletes the file of a failed upload.';

-- The activity of the upload continues that of begin_upload, so that an undo of one request deletes the attachment.
create or replace function private.finish_upload(
  p_token_hash bytea, p_file_id uuid, p_content_type text
) returns table (change_id uuid, content_type text)
  language plpgsql volatile security definer set search_path = '' set lock_timeout = '5s'
as $$
declare
  ticket private.file_tickets;
  attachment api.attachments;
  stored bigint;
  begun uuid;
  so_far text;
begin
  select * into ticket
  from private.file_tickets t
  where t.token_hash = p_token_hash and t.is_upload and private.is_alive(t);
  -- the tenant before the row, as each request
  perform private.lock_tenant(private.tenant_of(a.user_id, a.organization_id))
    from api.attachments a
    where a.id = ticket.attachment_id;
  select * into attachment from api.attachments a where a.id = ticket.attachment_id for no key update;
  if attachment.id is null then
    return;
  end if;
  if attachment.status = 'ready' then
    perform private.discard_file(p_token_hash, p_file_id);
    return query select null::uuid, attachment.content_type;
    return;
  end if;
  if not exists (select from private.files f where f.id = p_file_id and f.is_external) then
    select sum(length(c.bytes)) into stored from private.file_chunks c where c.file_id = p_file_id;
    if stored is distinct from attachment.size then
      return;
    end if;
  end if;
  update private.files f set stored_at = now()
  where f.id = p_file_id and f.attachment_id = attachment.id and f.stored_at is null;
  if not found then
    return;
  end if;
  -- the last creation, because an undo may have restored the pending attachment
  select a.change_id into begun from api.activity a
    where a.table_name = 'attachments' and a.row_id = attachment.id and a.action = 'create'
      and a.tenant = attachment.tenant
    order by a.id desc limit 1;
  if begun is not null then
    select replace(max(a.id::text), '-', '') into so_far
    from api.activity a
    where a.id >= begun and a.id <= private.max_activity_id(begun);
    perform set_config('request.jwt.claims', ticket.claims::text, true);
    perform set_config('activity.of_request', so_far, true);
  end if;
  update api.attachments a set status = 'ready', content_type = p_content_type where a.id = attachment.id;
  return query select begun, p_content_type;
end
$$;
comment on function private.finish_upload(bytea, uuid, text) is
  'Makes the attachment of a complete file ready, and returns the change_id of the request that began it. A ready '
  'attachment stays as it is. No row if the upload has ended or is incomplete.';

create or replace function private.read_chunk(p_token_hash bytea, p_file_id uuid, p_number integer) returns bytea
  language sql stable security definer set search_path = ''
begin atomic
  select c.bytes
    from private.file_tickets t
    join private.files f on f.attachment_id = t.attachment_id
    join private.file_chunks c on c.file_id = f.id
    -- a download that has begun continues after the end of its ticket
    where t.token_hash = p_token_hash and not t.is_upload and private.is_alive(t) and f.id = p_file_id
      and f.stored_at is not null and c.number = p_number;
end;
comment on function private.read_chunk(bytea, uuid, integer) is
  'Reads a chunk of the file of a ticket. Null if its access has ended.';

create or replace function private.is_file_external(p_token_hash bytea, p_file_id uuid) returns boolean
  language sql stable security definer set search_path = ''
begin atomic
  select exists (
    select from private.file_tickets t join private.files f on f.attachment_id = t.attachment_id
    where t.token_hash = p_token_hash and not t.is_upload and private.is_alive(t) and f.id = p_file_id
      and f.stored_at is not null and f.is_external);
end;
comment on function private.is_file_external(bytea, uuid) is
  'Whether the file of a ticket is in the object storage by now: it may have moved there during its download. False '
  'if its access has ended.';

create or replace function private.has_external_files() returns boolean
  language sql stable security definer set search_path = ''
begin atomic
  select exists (select from private.files where is_external and stored_at is not null);
end;
comment on function private.has_external_files() is 'Whether files are in the object storage.';

create or replace function private.forget_files(p_days integer, p_most integer) returns bigint
  language plpgsql volatile security definer set search_path = ''
as $$
declare
  forgotten bigint;
  more bigint;
begin
  delete from private.file_tickets where expires_at < now() - interval '1 hour';
  delete from api.attachments where id in (
    -- the tenant's lock too, which the deletion of a row takes later
    select a.id
    from api.attachments a
    join private.tenants t on t.tenant = private.tenant_of(a.user_id, a.organization_id) and t.cell is null
    where a.status = 'pending' and a.created_at < now() - interval '1 hour'
      -- a later begin_upload may have issued another ticket, with which an upload may still run
      and not exists (
        select from private.file_tickets t
        where t.attachment_id = a.id and t.is_upload and t.expires_at > now() - interval '15 minutes'
      )
    limit p_most for update skip locked);
  get diagnostics forgotten = row_count;
  delete from private.files where id in (
    select id from private.files
    where stored_at is null and begun_at < now() - interval '1 hour'
      or released_at < now() - make_interval(days => p_days)
    limit p_most for update skip locked);
  get diagnostics more = row_count;
  return greatest(forgotten, more);
end
$$;
comment on function private.forget_files(integer, integer) is
  'Deletes expired tickets, attachments without an uploaded file, files of interrupted uploads, and files of '
  'attachments that were deleted more than p_days ago. At most p_most of each; returns the larger number.';
grant execute on function private.file_of_ticket(bytea), private.begin_file(bytea, boolean),
  private.write_chunk(bytea, uuid, integer, bytea), private.discard_file(bytea, uuid),
  private.finish_upload(bytea, uuid, text), private.read_chunk(bytea, uuid, integer),
  private.is_file_external(bytea, uuid), private.has_external_files(),
  private.forget_files(integer, integer) to auth_service;
