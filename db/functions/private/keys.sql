-- PostgREST learns the key set by calling pre_config(), at its start and at each notification. pre_config() announces the
-- pending key that it has handed out. The auth service counts the announcements, and lets a new key sign when every
-- PostgREST has it.

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
  -- PostgREST calls this in a read-only transaction, in which a notification is all that can be left behind
  -- a hot standby can announce nothing, and serves reads all the same
  if not pg_catalog.pg_is_in_recovery() then
    perform pg_notify('keys_loaded', (select id from auth.jwks where signs_from is null));
  end if;
end
$$;
comment on function private.pre_config() is 'PostgREST''s in-database configuration: the public keys and the audience. Announces the pending key it has handed out.';
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

create or replace function private.postgrest_processes() returns integer
  language sql stable security definer set search_path = ''
begin atomic
  -- each PostgREST keeps one session that listens
  select count(*)::integer from pg_catalog.pg_stat_activity
  where datname = current_database() and usename = 'authenticator' and query ilike 'listen "pgrst"%';
end;
comment on function private.postgrest_processes() is 'How many PostgREST processes listen for changes now.';
grant execute on function private.postgrest_processes() to auth_service;
