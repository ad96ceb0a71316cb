-- after: transactions/tables

create table api.attachments (
  id uuid primary key default gen_random_uuid(),
  transaction_id uuid not null,
  user_id text,
  organization_id text,
  tenant text not null default private.left_out(),
  name text not null,
  content_type text,
  size bigint not null,
  sha256 text not null,
  note text,
  status text not null default 'pending',
  created_at timestamptz not null default now(),
  constraint attachments_transaction_id_fkey foreign key (tenant, transaction_id)
    references api.transactions (tenant, id) on delete cascade,
  constraint attachments_tenant_is_of_owner check (tenant = private.tenant_of(user_id, organization_id)),
  constraint attachments_once unique (transaction_id, sha256),
  constraint attachments_content_type_known check (
    content_type in ('application/pdf', 'image/jpeg', 'image/png', 'image/webp', 'image/heic', 'text/plain',
      'message/rfc822', 'application/xml')),
  constraint attachments_have_one_owner check (num_nonnulls(user_id, organization_id) = 1),
  constraint attachments_name_length check (char_length(name) between 1 and 255),
  constraint attachments_name_one_line check (
    name !~ '[\u0001-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]'
  ),
  constraint attachments_note_length check (char_length(note) <= 1000),
  constraint attachments_ready_known check ((status = 'ready') = (content_type is not null)),
  constraint attachments_sha256_hex check (sha256 ~ '^[0-9a-f]{64}$'),
  constraint attachments_size_bounded check (size between 1 and 104857600),
  constraint attachments_status_known check (status in ('pending', 'ready'))
);
create index attachments_tenant on api.attachments (tenant, transaction_id);
create index attachments_pending on api.attachments (id) where status = 'pending';
alter table api.attachments
  alter column transaction_id set (n_distinct = -1),
  alter column tenant set (n_distinct = -1);

create table private.files (
  id uuid primary key default gen_random_uuid(),
  -- no foreign key: an undo can restore a deleted attachment
  attachment_id uuid not null,
  user_id text references auth.users on delete cascade,
  organization_id text references auth.organizations on delete cascade,
  tenant text not null,
  size bigint not null,
  is_external boolean not null default false,
  begun_at timestamptz not null default now(),
  stored_at timestamptz,
  released_at timestamptz,
  constraint files_have_one_owner check (num_nonnulls(user_id, organization_id) = 1),
  constraint files_tenant_is_of_owner check (tenant = private.tenant_of(user_id, organization_id))
);
create unique index files_of_attachment on private.files (attachment_id) where stored_at is not null;
create index files_being_written on private.files (begun_at) where stored_at is null;
create index files_of_tenant on private.files (tenant);
create index files_released on private.files (released_at) where released_at is not null;
create index files_of_user on private.files (user_id) where user_id is not null;
create index files_of_organization on private.files (organization_id) where organization_id is not null;

create table private.file_chunks (
  file_id uuid not null references private.files on delete cascade,
  number integer not null,
  bytes bytea not null,
  tenant text not null,
  constraint file_chunks_pkey primary key (file_id, number)
);
create index file_chunks_tenant on private.file_chunks (tenant);
alter table private.file_chunks alter column bytes set storage external;

-- Tickets last minutes, so a crash may empty the table, and no backup contains them.
create unlogged table private.file_tickets (
  token_hash bytea primary key,
  attachment_id uuid not null references api.attachments on delete cascade,
  is_upload boolean not null,
  claims jsonb not null,
  expires_at timestamptz not null,
  constraint file_tickets_token_hash_size check (length(token_hash) = 32)
);
create index file_tickets_attachment_id on private.file_tickets (attachment_id);
create index file_tickets_expires_at on private.file_tickets (expires_at);

create table private.deleted_objects (
  file_id uuid primary key,
  deleted_at timestamptz not null default now()
);
