-- Runs before each data request, after PostgREST has checked the signature. A token is good for what it stands for and
-- no longer: the session, the membership and the role must still be as it claims. One indexed look-up.

-- PostgREST hands a list of one audience on as if it had been written as a text. We write a text, so a list is not ours:
-- what was really written is read from the token, which PostgREST has verified.
create or replace function private.written_audience(p_authorization text) returns jsonb
  language plpgsql immutable set search_path = ''
as $$
declare
  payload text := translate(split_part(split_part(p_authorization, ' ', 2), '.', 2), '-_', '+/');
begin
  return convert_from(decode(rpad(payload, (length(payload) + 3) / 4 * 4, '='), 'base64'), 'UTF8')::jsonb -> 'aud';
exception
  when others then return null;
end
$$;
comment on function private.written_audience(text) is 'The aud claim as it stands in the bearer token; null where there is none to be read.';

create or replace function private.pre_request() returns void
  language plpgsql stable security definer set search_path = ''
as $$
declare
  claims jsonb;
  problem text;
  zone constant text := substring(current_setting('request.headers', true)::jsonb ->> 'prefer' from '(?:^|,)\s*timezone=([^,]*?)\s*(?:,|$)');
begin
  -- PostgREST sets the zones it knows and passes over any other, and days would silently be those of UTC
  if zone <> current_setting('TimeZone') then
    perform private.invalid(format('unknown time zone %s', quote_literal(left(zone, 40))), 'Prefer: timezone= takes a name of the IANA database, such as Europe/Berlin.');
  end if;
  -- a setting of the request that only PostgREST makes; a request without a token has nothing to check
  if current_setting('role', true) is not distinct from 'anon' then
    return;
  end if;
  claims := nullif(current_setting('request.jwt.claims', true), '')::jsonb;
  if jsonb_typeof(claims -> 'exp') is distinct from 'number' then
    problem := 'JWT invalid: exp is missing';
  elsif private.written_audience(current_setting('request.headers', true)::jsonb ->> 'authorization')
      is distinct from (select to_jsonb(public_url) from private.settings) then
    problem := 'JWT invalid: not in audience';
  elsif not exists (
    select from auth.sessions s
    where s.id = claims ->> 'sid'
      and s.user_id = claims ->> 'sub'
      and s.user_id = claims ->> 'user_id'
      and s.expires_at > statement_timestamp()
      and (
        claims -> 'claims' ->> 'organization_id' is null and claims -> 'claims' ->> 'organization_role' is null
        or exists (
          select from auth.members m
          where m.organization_id = claims -> 'claims' ->> 'organization_id'
            and m.user_id = s.user_id
            and m.role = claims -> 'claims' ->> 'organization_role'
        )
      )
  ) then
    problem := 'JWT revoked: its session, membership or role has ended';
  end if;
  if problem is not null then
    raise sqlstate 'PGRST' using
      message = jsonb_build_object('code', 'PGRST301', 'message', problem, 'details', null,
        'hint', 'Fetch a new token: POST /api/auth/token with the session cookie.')::text,
      detail = '{"status": 401, "headers": {"WWW-Authenticate": "Bearer error=\"invalid_token\""}}';
  end if;
end
$$;
comment on function private.pre_request() is 'Refuses a token whose audience, expiry, session, membership or role does not hold now.';
grant execute on function private.pre_request() to anon, authenticated;
