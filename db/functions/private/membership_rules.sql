-- The limits of memberships. Concurrent requests cannot exceed them: each check holds a lock until its transaction ends, on the user for
-- ownership and on the organization for members. The codes are those of the auth surface, and the service returns them
-- (auth/errors.ts).

create or replace function private.is_full(p_organization_id text, p_besides text default null) returns boolean
  language plpgsql volatile security definer set search_path = ''
as $$
declare
  membership_limit constant integer := 50;
begin
  return (select count(*) from auth.members where organization_id = p_organization_id and id is distinct from p_besides) >= membership_limit;
end
$$;
comment on function private.is_full(text, text) is 'Whether the organization has the maximum number of members. The member with the id p_besides is not counted.';

create or replace function private.check_membership_limits() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  organization_limit constant integer := 5;
begin
  if new.role = 'owner' and (tg_op = 'INSERT' or old.role <> 'owner' or old.user_id <> new.user_id) then
    perform from auth.users where id = new.user_id for no key update;
    if (select count(*) from auth.members where user_id = new.user_id and role = 'owner' and id <> new.id) >= organization_limit then
      raise exception using errcode = 'P0001', message = 'ORGANIZATION_LIMIT_REACHED';
    end if;
  end if;
  if tg_op = 'INSERT' or old.organization_id <> new.organization_id then
    perform from auth.organizations where id = new.organization_id for no key update;
    if private.is_full(new.organization_id, new.id) then
      raise exception using errcode = 'P0001', message = 'MEMBERSHIP_LIMIT_REACHED';
    end if;
  end if;
  return new;
end
$$;
comment on function private.check_membership_limits() is 'Refuses a sixth owned organization of a user and a fifty-first member of an organization.';

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
comment on function private.check_organization_has_owner() is 'Refuses a transaction that leaves an organization with members and without an owner.';

-- Both hold the membership until their transaction ends, so that a key that is made while a role changes is not left behind.
create or replace function private.check_api_key() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  api_key_limit constant integer := 20;
begin
  perform from auth.users where id = new.user_id for no key update;
  if (select count(*) from auth.api_keys where user_id = new.user_id and expires_at > now()) >= api_key_limit then
    raise exception using errcode = 'P0001', message = 'API_KEY_LIMIT_REACHED';
  end if;
  if new.organization_id is not null then
    perform from auth.members m
      where m.organization_id = new.organization_id and m.user_id = new.user_id and auth.role_rank(m.role) >= auth.role_rank(new.role)
      for share;
    if not found then
      raise exception using errcode = 'P0001', message = 'FORBIDDEN';
    end if;
  end if;
  return new;
end
$$;
comment on function private.check_api_key() is 'Refuses a twenty-first key of a user, and one of a higher role than the user has in the organization.';

create or replace function private.end_api_keys_of_role() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  delete from auth.api_keys k
    where k.organization_id = new.organization_id and k.user_id = new.user_id and auth.role_rank(k.role) > auth.role_rank(new.role);
  return null;
end
$$;
comment on function private.end_api_keys_of_role() is 'Deletes the keys of a member that have a higher role than is left, so that none comes back with the role.';
