-- Keys with which a person's programs get tokens. A table that is made here has no rows, so that its indexes take no time.
-- squawk-ignore-file require-concurrent-index-creation

create table auth.api_keys (
  id text primary key,
  name text not null,
  user_id text not null references auth.users on delete cascade,
  organization_id text,
  role text not null,
  -- SHA-256: the key is 256 random bits, which nobody guesses however quick the hash is
  key_hash bytea not null,
  hint text not null,
  expires_at timestamptz not null,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  constraint api_keys_key_hash_unique unique (key_hash),
  constraint api_keys_key_hash_size check (length(key_hash) = 32),
  constraint api_keys_role_known check (role in ('admin', 'editor', 'viewer')),
  -- nobody is admin of oneself
  constraint api_keys_role_fits check (organization_id is not null or role <> 'admin'),
  -- who leaves a team takes their keys to it along
  constraint api_keys_of_member foreign key (organization_id, user_id) references auth.members (organization_id, user_id) on delete cascade
);
create index api_keys_user_id on auth.api_keys (user_id);
create index api_keys_of_member on auth.api_keys (organization_id, user_id) where organization_id is not null;
create index api_keys_expires_at on auth.api_keys (expires_at);
