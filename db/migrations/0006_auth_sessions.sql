-- Signed-in browsers and programs. A token of the data surface lives no longer than its row here.

create table auth.sessions (
  id text primary key,
  token text not null,
  user_id text not null references auth.users on delete cascade,
  active_organization_id text,
  ip_address text,
  user_agent text,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint sessions_token_unique unique (token),
  -- The active organization is one the user belongs to; when that ends, the session falls back to the personal context.
  constraint sessions_active_organization_is_ours foreign key (active_organization_id, user_id)
    references auth.members (organization_id, user_id) on delete set null (active_organization_id)
);
create index sessions_user_id on auth.sessions (user_id);
create index sessions_active_organization on auth.sessions (active_organization_id, user_id);
create index sessions_expires_at on auth.sessions (expires_at);
comment on table auth.sessions is 'Sessions by cookie. Deleting one ends it and every token issued from it.';

grant select, insert, update, delete on auth.sessions to auth_service;
