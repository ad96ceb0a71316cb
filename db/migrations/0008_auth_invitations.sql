-- Invitations into an organization, each for one address and one use.

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
-- requires functions/invitation_rules.sql
create trigger invitations_checked
  before insert on auth.invitations
  for each row execute function private.check_invitation();
create trigger invitations_answered_once
  before update of status on auth.invitations
  for each row execute function private.answer_pending_invitation();
create unique index invitations_one_pending on auth.invitations (organization_id, email) where status = 'pending';
comment on table auth.invitations is 'Invitations. One pending a person and organization; ownership cannot be given by invitation.';

grant select, insert, update, delete on auth.invitations to auth_service;
