-- after: attachments/files

create or replace function api.begin_upload(
  transaction_id uuid, name text, size bigint, sha256 text, note text default null
) returns jsonb
  language plpgsql volatile set search_path = ''
as $$
#variable_conflict use_variable
declare
  hash constant text := lower(sha256);
  file_name constant text := private.base_name(name);
begin
  if hash is null or hash !~ '^[0-9a-f]{64}$' then
    perform private.invalid('sha256 is not a valid SHA-256 hash',
      'Send the SHA-256 of the file as 64 hexadecimal digits.');
  end if;
  if size is null or size < 1 then
    perform private.invalid('size must be at least one byte', 'Send the size of the file in bytes.');
  end if;
  if file_name is null
    or char_length(file_name) not between 1 and 255
    or private.is_blank(file_name)
    or file_name ~ '[\u0001-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]' then
    perform private.invalid('the name of the file is not valid',
      'name must be a single line of 1 to 255 characters and can''t consist only of spaces or dots.');
  end if;
  if char_length(note) > 1000 then
    perform private.invalid('the note is too long', 'note can have up to 1000 characters.');
  end if;
  return private.store_upload(transaction_id, file_name, size, hash, note);
end
$$;
comment on function api.begin_upload(uuid, text, bigint, text, text) is
  E'Begins the upload of a file\n\n'
  'Creates an attachment of the transaction with the status `pending`, and returns {`attachment_id`, `ticket`, '
  '`expires_in`, `status`, `bytes_left`}. Send the file with `PUT {base_url}/api/auth/files/{ticket}` within '
  '`expires_in` seconds. The attachment is then `ready`. `sha256` is the SHA-256 of the file as 64 hexadecimal '
  'digits. `bytes_left` is the space that is left in the context after this file.\n\n'
  '`name` is stored without the folders before it: `../x.pdf` is `x.pdf`. A file that the transaction already has '
  'keeps its attachment and its `name`: `attachment_id` is the existing one. If its `status` is `ready`, it needs '
  'no upload.\n\n'
  '413 `QUOTA_EXCEEDED` for a file above the operator''s limits for a file, a transaction, a person or a team; '
  '`details` has the number of bytes or files that are left. 403 if your role may not add files. 404 if you do not see '
  'the transaction.';
grant execute on function api.begin_upload(uuid, text, bigint, text, text) to authenticated;

create or replace function api.open_attachment(id uuid) returns jsonb
  language sql volatile set search_path = ''
  return private.store_opening(id);
comment on function api.open_attachment(uuid) is
  E'Opens the file of an attachment\n\n'
  'Returns {`ticket`, `expires_in`}. `GET {base_url}/api/auth/files/{ticket}` returns the file for `expires_in` '
  'seconds, any number of times. The address is the only credential, so it can be the source of an image. It ends '
  'early with the session, membership, role or key of your token.\n\n'
  '404 if you do not see the attachment. 409 if its file is not uploaded yet.';
grant execute on function api.open_attachment(uuid) to authenticated;

create or replace function api.get_file_space()
  returns table (
    organization_id text, bytes_used bigint, bytes_left bigint, max_file_bytes bigint,
    max_files_per_transaction integer)
  language sql stable set search_path = ''
begin atomic
  select * from private.file_space_of_caller();
end;
comment on function api.get_file_space() is
  E'Space that is left for files\n\n'
  'One row for your personal transactions, where `organization_id` is null, and one for the active organization. '
  '`bytes_left` is the space that is left, `max_file_bytes` the maximum size of a file, and '
  '`max_files_per_transaction` the maximum number of files of a transaction.';
grant execute on function api.get_file_space() to authenticated;
