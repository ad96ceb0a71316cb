-- Triggers of credentials: passwords, passkeys and API keys. When a credential changes or is deleted, they revoke its dependents.

-- The requirement of a passkey ends when the last passkey is deleted. Otherwise the user could no longer sign in.
create or replace function auth.end_passkey_requirement() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  -- a concurrent deletion of the same user's other passkey waits here, and then no longer finds this one
  perform from auth.users where id = old.user_id for no key update;
  update auth.users set passkey_required = false
    where id = old.user_id and passkey_required and not exists (select from auth.passkeys where user_id = old.user_id);
  return null;
end
$$;
comment on function auth.end_passkey_requirement() is 'Allows sign-in by password again after the user''s last passkey is deleted.';
revoke execute on function auth.end_passkey_requirement() from public;

-- Pending sign-ins and remembered devices depend on the password, so a new password revokes them.
create or replace function auth.end_two_factor_tokens() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  delete from auth.two_factor_tokens where user_id = new.user_id;
  return null;
end
$$;
comment on function auth.end_two_factor_tokens() is 'Deletes the pending sign-ins and remembered devices of a user whose password has changed.';
revoke execute on function auth.end_two_factor_tokens() from public;

-- Both functions lock the membership until their transaction ends. So a new key and a concurrent change of the role cannot miss each other.
create or replace function auth.check_api_key() returns trigger
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
comment on function auth.check_api_key() is 'Refuses a twenty-first API key of a user, and a key with a higher role than the user has in the organization.';
revoke execute on function auth.check_api_key() from public;

create or replace function auth.delete_api_keys_above_role() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  delete from auth.api_keys k
    where k.organization_id = new.organization_id and k.user_id = new.user_id and auth.role_rank(k.role) > auth.role_rank(new.role);
  return null;
end
$$;
comment on function auth.delete_api_keys_above_role() is 'Deletes a member''s API keys whose role is above the member''s new role, so that they do not work again if the member regains the role.';
revoke execute on function auth.delete_api_keys_above_role() from public;
