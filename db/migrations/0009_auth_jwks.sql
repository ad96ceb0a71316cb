-- Signing keys. The private half is encrypted under the service's secret; the public half goes to PostgREST.

create table auth.jwks (
  id text primary key,
  public_key text not null,
  private_key text not null,
  alg text not null default 'RS256',
  crv text,
  created_at timestamptz not null default now(),
  signs_from timestamptz,
  expires_at timestamptz,
  constraint jwks_alg_is_rs256 check (alg = 'RS256'),
  -- A JWK's private members are d, p, q, dp, dq, qi. Encrypted text is a JSON string, never an object.
  constraint jwks_private_key_is_encrypted check (private_key !~ '"d"\s*:'),
  constraint jwks_public_key_is_public check (public_key::jsonb ? 'n' and not public_key::jsonb ? 'd')
);
-- A key is published, then signs, then verifies what it signed until that has ended, then goes. At most one is in each
-- of the first two states.
create unique index jwks_one_pending on auth.jwks ((true)) where signs_from is null;
create unique index jwks_one_signing on auth.jwks ((true)) where signs_from is not null and expires_at is null;
comment on table auth.jwks is 'The key set. PostgREST reads the public halves through private.pre_config().';
comment on column auth.jwks.signs_from is 'Since when it signs; null while it is only published.';
comment on column auth.jwks.expires_at is 'Until when what it has signed is accepted; null before another key signs.';

grant select, insert, update, delete on auth.jwks to auth_service;

-- requires functions/keys.sql
create trigger jwks_notify
  after insert or update or delete or truncate on auth.jwks
  for each statement execute function private.notify_postgrest();
