-- Who belongs to which organization, as what.

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
comment on table auth.members is 'Membership. An organization that has members has exactly one owner, at most 50 members, and a user owns at most 5.';

grant select, insert, update, delete on auth.members to auth_service;

-- The unique index refuses a second owner at once. That there is one at all can only be asked when a transaction ends,
-- because a transfer demotes before it promotes.
-- requires functions/membership_rules.sql
create trigger members_limits
  before insert or update of role, user_id, organization_id on auth.members
  for each row execute function private.check_membership_limits();
create constraint trigger members_have_an_owner
  after insert or update or delete on auth.members
  deferrable initially deferred
  for each row execute function private.check_organization_has_owner();
