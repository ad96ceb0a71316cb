-- One-time values with an end, such as password resets. The identifier is stored hashed.

create table auth.verifications (
  id text primary key,
  identifier text not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index verifications_identifier on auth.verifications (identifier);
create index verifications_expires_at on auth.verifications (expires_at);
comment on table auth.verifications is 'Pending password resets. A leaked copy opens nothing: the token itself is not in it.';

grant select, insert, update, delete on auth.verifications to auth_service;
