-- A trigger ends what depends on a credential when the credential changes or goes.

-- Nobody is asked for what they no longer have: whichever way the last passkey goes, the requirement goes with it.
create or replace function auth.end_passkey_requirement() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  -- whoever deletes another of the same person waits here, and then sees that this one is gone
  perform from auth.users where id = old.user_id for no key update;
  update auth.users set passkey_required = false
    where id = old.user_id and passkey_required and not exists (select from auth.passkeys where user_id = old.user_id);
  return null;
end
$$;
comment on function auth.end_passkey_requirement() is 'Lets the password sign in again once a user has no passkey.';
revoke execute on function auth.end_passkey_requirement() from public;

-- What a browser has shown beside or before the second factor ends with the password that it was shown with.
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
