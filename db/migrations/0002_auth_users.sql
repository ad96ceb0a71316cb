-- People. Ids are text because the engine makes them; nothing may depend on their form.

create table auth.users (
  id text primary key,
  name text not null,
  email text not null,
  email_verified boolean not null default false,
  image text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint users_email_unique unique (email),
  constraint users_email_lower_case check (email = lower(email))
);
comment on table auth.users is 'One row a person. Deleting one removes the personal rows and keeps the team rows.';

grant select, insert, update, delete on auth.users to auth_service;

-- requires functions/succession.sql
create trigger users_succession
  before delete on auth.users
  for each row execute function private.succeed_owner();
