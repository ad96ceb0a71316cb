-- after: core
-- Triggers of credentials: passwords, passkeys and API keys. When a credential changes or is deleted, they revoke its
-- dependents.

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
comment on function auth.end_passkey_requirement() is
  'Allows sign-in by password again after the user''s last passkey is deleted.';
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
comment on function auth.end_two_factor_tokens() is
  'Deletes the pending sign-ins and remembered devices of a user whose password has changed.';
revoke execute on function auth.end_two_factor_tokens() from public;

create or replace function auth.delete_api_keys_above_role() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  delete from auth.api_keys k
    where k.organization_id = new.organization_id and k.user_id = new.user_id
      and auth.role_rank(k.role) > auth.role_rank(new.role);
  return null;
end
$$;
comment on function auth.delete_api_keys_above_role() is
  'Deletes a member''s API keys whose role is above the member''s new role, so that they do not work again if the '
  'member regains the role.';
revoke execute on function auth.delete_api_keys_above_role() from public;
