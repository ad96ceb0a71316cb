-- How PostgREST learns the key set: it asks at start and whenever it is notified.

create or replace function private.pre_config() returns void
  language plpgsql security definer set search_path = ''
as $$
declare
  keys jsonb;
begin
  select coalesce(jsonb_agg(
      jsonb_build_object('kid', id, 'use', 'sig', 'alg', alg, 'kty', public_key::jsonb -> 'kty', 'n', public_key::jsonb -> 'n', 'e', public_key::jsonb -> 'e')
      order by created_at), '[]')
    into keys
    from auth.jwks
    where expires_at is null or expires_at > now();
  perform set_config('pgrst.jwt_secret', jsonb_build_object('keys', keys)::text, true);
  perform set_config('pgrst.jwt_aud', (select public_url from private.settings), true);
end
$$;
comment on function private.pre_config() is 'PostgREST''s in-database configuration: the public keys and the audience.';
grant execute on function private.pre_config() to authenticator;

create or replace function private.notify_postgrest() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  notify pgrst, 'reload config';
  return null;
end
$$;
comment on function private.notify_postgrest() is 'Tells every PostgREST to load the configuration anew.';
