-- after: core
-- The limits of memberships. Concurrent requests cannot exceed them: each check holds a lock until its transaction
-- ends, on the user for ownership and on the organization for members. The codes are those of the auth surface, and
-- the service returns them (common/error-codes.ts).

create or replace function private.is_organization_full(
  p_organization_id text, p_except text default null
) returns boolean
  language plpgsql volatile security definer set search_path = ''
as $$
declare
  membership_limit constant integer := 50;
begin
  return (
    select count(*) from auth.members where organization_id = p_organization_id and id is distinct from p_except
  ) >= membership_limit;
end
$$;
comment on function private.is_organization_full(text, text) is
  'Whether the organization has the maximum number of members. The member with the id p_except is not counted.';

create or replace function private.check_membership_limits() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if new.role = 'owner' and (tg_op = 'INSERT' or old.role <> 'owner' or old.user_id <> new.user_id)
    and current_setting('private.restoring', true) is distinct from 'on' then
    perform from auth.users where id = new.user_id for no key update;
    if auth.owns_most_organizations(new.user_id, new.id) then
      raise exception using errcode = 'P0001', message = 'ORGANIZATION_LIMIT_REACHED';
    end if;
  end if;
  if tg_op = 'INSERT' or old.organization_id <> new.organization_id then
    perform from auth.organizations where id = new.organization_id for no key update;
    if private.is_organization_full(new.organization_id, new.id) then
      raise exception using errcode = 'P0001', message = 'MEMBERSHIP_LIMIT_REACHED';
    end if;
  end if;
  return new;
end
$$;
comment on function private.check_membership_limits() is
  'Refuses a sixth owned organization of a user, except in a restore, and a fifty-first member of an organization.';

create or replace function private.check_organization_has_owner() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  organization text := coalesce(old.organization_id, new.organization_id);
begin
  if exists (select from auth.members where organization_id = organization)
    and not exists (select from auth.members where organization_id = organization and role = 'owner') then
    raise exception using errcode = 'P0001', message = 'OWNER_REQUIRED';
  end if;
  return null;
end
$$;
comment on function private.check_organization_has_owner() is
  'Refuses a transaction that leaves an organization with members and without an owner.';
