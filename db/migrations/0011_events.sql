-- What happened in people's accounts and in organizations: sign-ins and what opens an account, membership and roles. Kept apart
-- from api.activity, which is about money, and has other readers and another time.
--
-- An event is of an account or of an organization. Those of an account go with it, by a trigger; an organization keeps
-- its own, and then says nothing of whom it was about.
create table auth.events (
  id text primary key default gen_random_uuid()::text,
  -- and not now(), so that the events of one transaction have an order
  happened_at timestamptz not null default clock_timestamp(),
  kind text not null,
  user_id text references auth.users (id) on delete set null,
  organization_id text references auth.organizations (id) on delete cascade,
  actor_id text references auth.users (id) on delete set null,
  ip_address text,
  user_agent text,
  device text,
  detail jsonb not null default '{}',
  mail_to text,
  constraint events_kind_known check (case when organization_id is null
    then kind in ('signed_in', 'password_changed', 'password_removed', 'email_changed', 'two_factor_enabled', 'two_factor_disabled',
      'passkey_added', 'passkey_deleted', 'api_key_created', 'api_key_revoked', 'account_linked', 'account_unlinked')
    else kind in ('member_joined', 'member_left', 'member_removed', 'role_changed', 'ownership_transferred') end),
  constraint events_have_somebody check (num_nonnulls(user_id, organization_id) > 0),
  -- an organization's admins have no business with where its members are
  constraint events_of_organizations_have_no_place check (organization_id is null or num_nonnulls(ip_address, user_agent, device, mail_to) = 0),
  constraint events_ip_address_bounded check (char_length(ip_address) <= 64),
  constraint events_user_agent_bounded check (char_length(user_agent) <= 512),
  constraint events_detail_bounded check (octet_length(detail::text) <= 4000)
);
create index events_of_account on auth.events (user_id, happened_at desc, id desc);
create index events_of_organization on auth.events (organization_id, happened_at desc, id desc) where organization_id is not null;
create index events_actor_id on auth.events (actor_id) where actor_id is not null;
create index events_device on auth.events (user_id, device) where device is not null;
create index events_happened_at on auth.events (happened_at);
create index events_to_mail on auth.events (happened_at) where mail_to is not null;

-- Who is signed in now goes on with a known device. What it is made of is private.device_of().
insert into auth.events (happened_at, kind, user_id, ip_address, user_agent, device, detail)
  select created_at, 'signed_in', user_id, left(nullif(ip_address, ''), 64), left(nullif(user_agent, ''), 512),
    md5(coalesce(substring(ip_address from '^[0-9]+\.[0-9]+\.|^[0-9a-f]*:[0-9a-f]*:'), '') || ' ' || regexp_replace(coalesce(user_agent, ''), '[0-9._]+', '', 'g')),
    '{"new_device": false}'
  from auth.sessions;
