-- Triggers end what depends on a credential when the credential changes or goes.

-- The requirement of a passkey ends with the last passkey, however that is deleted. Otherwise the user could no longer sign in.
create or replace function auth.end_passkey_requirement() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  -- a concurrent deletion of the same user's other passkey waits here, and then sees that this one is gone
  perform from auth.users where id = old.user_id for no key update;
  update auth.users set passkey_required = false
    where id = old.user_id and passkey_required and not exists (select from auth.passkeys where user_id = old.user_id);
  return null;
end
$$;
comment on function auth.end_passkey_requirement() is 'Lets the password sign in again once a user has no passkey.';
revoke execute on function auth.end_passkey_requirement() from public;

-- Sign-ins under way and remembered devices depend on the password, and end with it.
create or replace function auth.end_two_factor_tokens() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  delete from auth.two_factor_tokens where user_id = new.user_id;
  return null;
end
$$;
comment on function auth.end_two_factor_tokens() is 'Ends the sign-ins under way and the remembered devices of a user whose password has changed.';
revoke execute on function auth.end_two_factor_tokens() from public;
