-- A second factor beside the password: an authenticator app, and backup codes for when it is lost.

create table auth.two_factors (
  user_id text primary key references auth.users on delete cascade,
  secret text not null,
  backup_codes text[] not null,
  last_step bigint not null default 0,
  enabled_at timestamptz,
  created_at timestamptz not null default now()
);

create table auth.two_factor_tokens (
  token_hash text primary key,
  -- whatever turns two factors off ends them
  user_id text not null references auth.two_factors on delete cascade,
  purpose text not null,
  expires_at timestamptz not null,
  constraint two_factor_tokens_purpose_known check (purpose in ('sign-in', 'device'))
);
create index two_factor_tokens_user_id on auth.two_factor_tokens (user_id);
create index two_factor_tokens_expires_at on auth.two_factor_tokens (expires_at);
