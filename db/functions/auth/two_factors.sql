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
