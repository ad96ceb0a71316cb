-- after: core

create table auth.users (
  id text primary key,
  name text not null,
  email text not null,
  email_verified boolean not null default false,
  image text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  passkey_required boolean not null default false,
  constraint users_email_unique unique (email),
  constraint users_email_lower_case check (email = lower(email))
);

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

create table auth.two_factors (
  user_id text primary key references auth.users on delete cascade,
  secret text not null,
  backup_codes text[] not null,
  last_step bigint not null default 0,
  enabled_at timestamptz,
  created_at timestamptz not null default now(),
  backup_codes_made_at timestamptz default now()
);

create table auth.two_factor_tokens (
  token_hash text primary key,
  -- turning off the second factor deletes its tokens
  user_id text not null,
  purpose text not null,
  expires_at timestamptz not null,
  constraint two_factor_tokens_user_id_fkey foreign key (user_id)
    references auth.two_factors (user_id) on delete cascade,
  constraint two_factor_tokens_purpose_known check (purpose in ('sign-in', 'device'))
);
create index two_factor_tokens_user_id on auth.two_factor_tokens (user_id);
create index two_factor_tokens_expires_at on auth.two_factor_tokens (expires_at);

create table auth.organizations (
  id text primary key,
  name text not null,
  slug text not null,
  logo text,
  metadata text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint organizations_slug_unique unique (slug)
);

create table auth.members (
  id text primary key,
  organization_id text not null references auth.organizations on delete cascade,
  user_id text not null references auth.users on delete cascade,
  role text not null,
  created_at timestamptz not null default now(),
  constraint members_organization_user_unique unique (organization_id, user_id),
  constraint members_role_known check (role in ('owner', 'admin', 'editor', 'viewer'))
);
create index members_user_id on auth.members (user_id);
create unique index members_one_owner on auth.members (organization_id) where role = 'owner';

create table auth.invitations (
  id text primary key,
  organization_id text not null references auth.organizations on delete cascade,
  email text not null,
  role text not null,
  status text not null default 'pending',
  inviter_id text not null references auth.users on delete cascade,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  constraint invitations_email_lower_case check (email = lower(email)),
  constraint invitations_role_known check (role in ('admin', 'editor', 'viewer')),
  constraint invitations_status_known check (status in ('pending', 'accepted', 'rejected', 'canceled'))
);
create index invitations_organization_id on auth.invitations (organization_id);
create index invitations_inviter_id on auth.invitations (inviter_id);
create index invitations_email on auth.invitations (email);
create unique index invitations_one_pending on auth.invitations (organization_id, email) where status = 'pending';
create index invitations_expires_at on auth.invitations (expires_at);

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
  -- The user is a member of the active organization. After the membership the session is in the personal context.
  constraint sessions_active_organization_is_ours foreign key (active_organization_id, user_id)
    references auth.members (organization_id, user_id) on delete set null (active_organization_id)
);
create index sessions_user_id on auth.sessions (user_id);
create index sessions_active_organization on auth.sessions (active_organization_id, user_id);
create index sessions_expires_at on auth.sessions (expires_at);

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

create table auth.api_keys (
  id text primary key,
  name text not null,
  user_id text not null references auth.users on delete cascade,
  organization_id text,
  role text not null,
  -- SHA-256: the key is 256 random bits, which no attacker guesses however fast the hash is
  key_hash bytea not null,
  hint text not null,
  expires_at timestamptz not null,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  constraint api_keys_key_hash_unique unique (key_hash),
  -- the keys of a former member end
  constraint api_keys_of_member foreign key (organization_id, user_id)
    references auth.members (organization_id, user_id) on delete cascade,
  constraint api_keys_key_hash_size check (length(key_hash) = 32),
  -- a personal key has no admin role
  constraint api_keys_role_fits check (organization_id is not null or role <> 'admin'),
  constraint api_keys_role_known check (role in ('admin', 'editor', 'viewer'))
);
create index api_keys_user_id on auth.api_keys (user_id);
create index api_keys_of_member on auth.api_keys (organization_id, user_id) where organization_id is not null;
create index api_keys_expires_at on auth.api_keys (expires_at);

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
-- A key is published, then signs, then verifies its tokens until they expire. At most one key is in each of the first
-- two states.
create unique index jwks_one_pending on auth.jwks ((true)) where signs_from is null;
create unique index jwks_one_signing on auth.jwks ((true)) where signs_from is not null and expires_at is null;

create unlogged table auth.rate_limits (
  key text primary key,
  window_started_at timestamptz not null,
  window_seconds bigint not null,
  count bigint not null
) with (fillfactor=50);
create index rate_limits_window_started_at on auth.rate_limits (window_started_at);

-- An event belongs to an account or to an organization. A trigger deletes the events of a deleted account. An
-- organization keeps its events, without the deleted user.
create table auth.events (
  id text primary key default gen_random_uuid()::text,
  -- now() would give the events of one transaction no order
  happened_at timestamptz not null default clock_timestamp(),
  kind text not null,
  user_id text references auth.users on delete set null,
  organization_id text references auth.organizations on delete cascade,
  actor_id text references auth.users on delete set null,
  ip_address text,
  user_agent text,
  device text,
  detail jsonb not null default '{}',
  mail_to text,
  constraint events_detail_bounded check (octet_length(detail::text) <= 4000),
  constraint events_have_somebody check (num_nonnulls(user_id, organization_id) > 0),
  constraint events_ip_address_bounded check (char_length(ip_address) <= 64),
  constraint events_kind_known check (case when organization_id is null
  then kind in ('signed_in', 'sessions_revoked', 'password_changed', 'password_removed', 'email_changed',
    'two_factor_enabled', 'two_factor_disabled',
    'backup_codes_created', 'backup_codes_voided', 'device_trusted', 'passkey_added', 'passkey_deleted',
    'passkey_required', 'passkey_not_required',
    'passkey_counter_older', 'api_key_created', 'api_key_revoked', 'account_linked', 'account_unlinked',
    'webhook_created', 'webhook_secret_rotated',
    'webhook_disabled', 'webhook_deleted', 'calendar_created', 'calendar_revoked')
  else kind in ('member_joined', 'member_left', 'member_removed', 'role_changed', 'ownership_transferred') end),
  -- an organization's admins do not see the places and devices of its members
  constraint events_of_organizations_have_no_place check (
    organization_id is null or num_nonnulls(ip_address, user_agent, device, mail_to) = 0
  ),
  constraint events_user_agent_bounded check (char_length(user_agent) <= 512)
);
create index events_of_account on auth.events (user_id, happened_at desc, id desc);
create index events_of_organization on auth.events (organization_id, happened_at desc, id desc)
  where organization_id is not null;
create index events_actor_id on auth.events (actor_id) where actor_id is not null;
create index events_device on auth.events (user_id, device) where device is not null;
create index events_happened_at on auth.events (happened_at);
