-- How a person proves who they are without a password, and whether the password alone still does.

create table auth.passkeys (
  id text primary key,
  user_id text not null references auth.users on delete cascade,
  name text not null,
  credential_id text not null,
  public_key text not null,
  counter bigint not null,
  backed_up boolean not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  constraint passkeys_credential_unique unique (credential_id)
);
create index passkeys_user_id on auth.passkeys (user_id);

alter table auth.users add column passkey_required boolean not null default false;
