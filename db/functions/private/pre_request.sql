-- PostgREST calls pre_request() before each query, when it has checked the token's signature. pre_request() refuses a token
-- whose session, membership or role is no longer as the token claims; that is one indexed look-up. It also refuses a
-- planner's estimate and an unknown time zone, and takes one of the caller's places (shares.sql).

create or replace function private.pre_request() returns void
  language plpgsql volatile security definer set search_path = ''
as $$
declare
  is_anonymous constant boolean := current_setting('role', true) is not distinct from 'anon';
  -- a setting of the request that only PostgREST makes
  claims constant jsonb := nullif(current_setting('request.jwt.claims', true), '');
  headers constant text := current_setting('request.headers', true);
  public_url text;
  places integer;
  is_alive boolean;
  person integer;
  zone text;
  problem text;
begin
  if headers like '%count%' then
    if headers::jsonb ->> 'prefer' ~* '\mcount *= *"?(planned|estimated)' then
      perform private.refuse_estimate();
    end if;
  end if;
  -- PostgREST passes over a dry run that is written otherwise than it expects, and would store the row
  if headers ~* '\mtx\M' then
    if headers::jsonb ->> 'prefer' ~* '\mtx\M' and (headers::jsonb ->> 'prefer') !~ '^(?:(?!.*\mtx\M.*\mtx\M))(?:.*,)?\s*tx=(?:rollback|commit)\s*(?:,.*)?$' then
      perform private.invalid('the preference tx is not understood', 'Send Prefer: tx=rollback for a dry run, or leave it out.');
    end if;
  end if;
  -- PostgREST answers as if UTC had been asked for when it does not know the zone
  if headers like '%timezone=%' then
    zone := substring(headers::jsonb ->> 'prefer' from '(?:^|,)\s*timezone=([^,]*?)\s*(?:,|$)');
    if zone <> current_setting('TimeZone') then
      perform private.invalid(format('unknown time zone %s', quote_literal(left(zone, 40))), 'Prefer: timezone= takes a name such as Europe/Berlin, written as there.');
    end if;
  end if;
  -- a request without a token has no session to look for
  select s.public_url, case when is_anonymous then s.places_of_anonymous else s.places_per_person end,
      is_anonymous or exists (
        select from auth.sessions a
        where a.id = claims ->> 'sid'
          and a.user_id = claims ->> 'sub'
          and a.user_id = claims ->> 'user_id'
          and a.expires_at > statement_timestamp()
          and (
            claims -> 'claims' ->> 'organization_id' is null and claims -> 'claims' ->> 'organization_role' is null
            or exists (
              select from auth.members m
              where m.organization_id = claims -> 'claims' ->> 'organization_id'
                and m.user_id = a.user_id
                and m.role = claims -> 'claims' ->> 'organization_role'
            )
          )
      )
    into public_url, places, is_alive
    from private.settings s;
  if not is_anonymous then
    problem := case
      when jsonb_typeof(claims -> 'exp') is distinct from 'number' then 'JWT invalid: exp is missing'
      when claims -> 'aud' is distinct from to_jsonb(public_url) then 'JWT invalid: not in audience'
      when not is_alive then 'JWT revoked: its session, membership or role has ended'
    end;
    if problem is not null then
      perform private.refuse('PGRST301', problem, 'Fetch a new token: POST /api/auth/token with the session cookie.', 401,
        '{"WWW-Authenticate": "Bearer error=\"invalid_token\""}');
    end if;
  end if;
  -- all anonymous callers together are one person
  person := hashtext(coalesce(claims ->> 'sub', ''));
  if not private.take_place(person, places) then
    perform private.wait_for_place(person, places);
  end if;
end
$$;
comment on function private.pre_request() is
  'Refuses a planner''s estimate, and a token whose audience, expiry, session, membership or role does not hold now; takes one of the caller''s places.';
grant execute on function private.pre_request() to anon, authenticated;
