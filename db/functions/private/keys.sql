-- PostgREST learns the key set by calling pre_config(), at its start and at each notification. pre_config() announces the
-- pending key that it has handed out. The auth service counts the announcements, and lets a new key sign when every
-- PostgREST has it.

create or replace function private.pre_config() returns void
  language plpgsql security definer set search_path = '' set lock_timeout = 0
as $$
declare
  keys jsonb;
  audience text;
  pending text;
begin
  -- If this call fails, PostgREST goes on without keys, and every token is 500 PGRST300. A call that waits for a migration's lock
  -- leaves it the keys that it has. So the call outlasts a timeout, a cancellation and a deadlock. A statement has one timeout.
  for attempt in 1..5 loop
    begin
      select coalesce(jsonb_agg(
          jsonb_build_object('kid', id, 'use', 'sig', 'alg', alg, 'kty', public_key::jsonb -> 'kty', 'n', public_key::jsonb -> 'n', 'e', public_key::jsonb -> 'e')
          order by created_at), '[]'), max(id) filter (where signs_from is null)
        into keys, pending
        from auth.jwks
        where expires_at is null or expires_at > now();
      select public_url into audience from private.settings;
      exit;
    exception
      when query_canceled or deadlock_detected then
        if attempt = 5 then
          raise;
        end if;
    end;
  end loop;
  perform set_config('pgrst.jwt_secret', jsonb_build_object('keys', keys)::text, true);
  perform set_config('pgrst.jwt_aud', audience, true);
  -- PostgREST calls this in a read-only transaction, in which a notification is all that can be left behind. On a hot standby
  -- not even that can.
  if not pg_catalog.pg_is_in_recovery() then
    perform pg_notify('keys_loaded', pending);
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

create or replace function private.end_tokens_of_key() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  -- A thief may have dated a token ahead by the thirty seconds that PostgREST allows, and had it checked until PostgREST has
  -- heard that the key is gone, for which three seconds are left. auth/engine/token-claims.ts dates what is issued from now on.
  update private.settings set tokens_issued_after = floor(extract(epoch from clock_timestamp())) + 33;
  return null;
end
$$;
comment on function private.end_tokens_of_key() is
  'Ends every token issued until now, also those that were dated ahead: by which key a token was signed is known to PostgREST alone, which may have checked it long ago.';

create or replace function private.postgrest_listeners() returns text[]
  language sql stable security definer set search_path = ''
begin atomic
  -- Each PostgREST keeps one session that listens. One that reads a standby listens here and can announce nothing; its operator
  -- names it so, and a new key does not wait for it, because the edge takes a refusal from the primary alone.
  select coalesce(array_agg(pid || ' since ' || backend_start order by pid), '{}') from pg_catalog.pg_stat_activity
  where datname = current_database() and usename = 'authenticator' and query ilike 'listen "pgrst"%'
    and application_name <> 'postgrest-standby';
end;
comment on function private.postgrest_listeners() is 'The sessions in which the PostgREST processes of the primary listen for changes now.';
grant execute on function private.postgrest_listeners() to auth_service;

create or replace function private.postgrest_processes() returns integer
  language sql stable security definer set search_path = ''
  return cardinality(private.postgrest_listeners());
comment on function private.postgrest_processes() is 'How many PostgREST processes of the primary listen for changes now.';
grant execute on function private.postgrest_processes() to auth_service;
