-- How a person proves who they are. E-mail and password make one row with provider_id 'credential'.

create table auth.accounts (
  id text primary key,
  account_id text not null,
  provider_id text not null,
  user_id text not null references auth.users on delete cascade,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  password text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint accounts_provider_account_unique unique (provider_id, account_id),
  constraint accounts_password_is_hashed check (password ~ '^[0-9a-f]{32}:[0-9a-f]{128}$')
);
create index accounts_user_id on auth.accounts (user_id);
comment on table auth.accounts is 'Credentials. The password is a salted scrypt hash; a plain one cannot be stored.';

grant select, insert, update, delete on auth.accounts to auth_service;
