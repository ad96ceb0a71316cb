-- after: core/reset
-- The public keys for PostgREST. PostgREST loads them by calling pre_config(), at its start and at each notification.
-- pre_config() announces the pending key that it has returned. The auth service counts the announcements. It signs
-- with a new key once every PostgREST has loaded it.

create or replace function private.pre_config() returns void
  language plpgsql security definer set search_path = '' set lock_timeout = 0
as $$
declare
  keys jsonb;
  audience text;
  pending text;
begin
  -- If this call fails, PostgREST continues without keys, and every token is 500 PGRST300. While a call waits for a
  -- migration's lock, PostgREST keeps its keys. So the call survives a timeout, a cancellation and a deadlock. A
  -- timeout applies once per statement.
  for attempt in 1..5 loop
    begin
      select coalesce(jsonb_agg(
          jsonb_build_object('kid', id, 'use', 'sig', 'alg', alg, 'kty', public_key::jsonb -> 'kty',
            'n', public_key::jsonb -> 'n', 'e', public_key::jsonb -> 'e')
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
  -- PostgREST calls this function in a read-only transaction, which can still send a notification. A hot standby
  -- cannot even do that.
  if not pg_catalog.pg_is_in_recovery() then
    perform pg_notify('keys_loaded', pending);
  end if;
end
$$;
comment on function private.pre_config() is
  'PostgREST''s in-database configuration: the public keys and the audience. Announces the pending key that it '
  'returns.';
grant execute on function private.pre_config() to authenticator;

create or replace function private.notify_postgrest() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  notify pgrst, 'reload config';
  return null;
end
$$;
comment on function private.notify_postgrest() is 'Makes every PostgREST reload its configuration.';

create or replace function private.revoke_issued_tokens() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  -- A thief of the key may have dated a token up to thirty seconds ahead, which PostgREST allows. PostgREST unloads
  -- the key within three more seconds. The auth service dates new tokens after that: issuedAt() in
  -- auth/features/session/issue-token.ts.
  update private.settings set tokens_issued_after = floor(extract(epoch from clock_timestamp())) + 33;
  -- every live stream of a token must end
  perform private.note_end_of_access('a:');
  return null;
end
$$;
comment on function private.revoke_issued_tokens() is
  'Revokes every token issued until now, including tokens that were dated ahead. Only PostgREST knows which key '
  'signed a token, and it may have verified the token long ago.';

create or replace function private.postgrest_listeners() returns text[]
  language sql stable security definer set search_path = ''
begin atomic
  -- Each PostgREST listens in one session. A PostgREST that reads a standby also listens here, but cannot announce
  -- anything. Its operator sets the application name. A new key does not wait for it, because the edge only passes on
  -- a refusal of the primary.
  select coalesce(array_agg(pid || ' since ' || backend_start order by pid), '{}') from pg_catalog.pg_stat_activity
  where datname = current_database() and usename = 'authenticator' and query ilike 'listen "pgrst"%'
    and application_name <> 'postgrest-standby';
end;
comment on function private.postgrest_listeners() is
  'The sessions in which the PostgREST processes of the primary now listen for changes.';
grant execute on function private.postgrest_listeners() to auth_service;

create or replace function private.postgrest_processes() returns integer
  language sql stable security definer set search_path = ''
  return cardinality(private.postgrest_listeners());
comment on function private.postgrest_processes() is
  'The number of PostgREST processes of the primary that now listen for changes.';
grant execute on function private.postgrest_processes() to auth_service;
