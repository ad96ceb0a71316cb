-- after: identity/tables

create table auth.calendars (
  id text primary key,
  name text not null,
  user_id text not null references auth.users on delete cascade,
  organization_id text,
  -- SHA-256: the secret is 256 random bits, which no attacker guesses however fast the hash is
  secret_hash bytea not null,
  has_amounts boolean not null default false,
  created_at timestamptz not null default now(),
  last_read_at timestamptz,
  constraint calendars_secret_hash_unique unique (secret_hash),
  constraint calendars_of_member foreign key (organization_id, user_id)
    references auth.members (organization_id, user_id) on delete cascade,
  constraint calendars_secret_hash_size check (length(secret_hash) = 32)
);
create index calendars_user_id on auth.calendars (user_id);
create index calendars_of_member on auth.calendars (organization_id, user_id) where organization_id is not null;
