-- after: core/reset
-- Whether a token still gives access. pre_request() asks this before each data request, and the auth service for each
-- live stream.

create or replace function private.access_end(
  p_session text, p_user text, p_organization text, p_role text, p_key_role text
) returns timestamptz
  language plpgsql stable set search_path = ''
as $$
declare
  ends_at timestamptz;
begin
  -- the session, the membership and the role are one indexed look-up
  select a.expires_at into ends_at from auth.sessions a
    where a.id = p_session and a.user_id = p_user and a.expires_at > statement_timestamp()
      and (
        p_organization is null and p_role is null
        or exists (
          select from auth.members m where m.organization_id = p_organization and m.user_id = p_user and m.role = p_role
        )
      );
  if not found and p_key_role is not null then
    select k.expires_at into ends_at from auth.api_keys k
      where k.id = p_session and k.user_id = p_user and k.role = p_key_role
        and k.organization_id is not distinct from p_organization
        and p_role is not distinct from case when p_organization is not null then k.role end
        and auth.is_alive(k);
  end if;
  return ends_at;
end
$$;
comment on function private.access_end(text, text, text, text, text) is
  'The end of the session or API key of a token; null if the session, membership, role or key no longer exists. '
  'p_key_role is the claim api_key.';

create or replace function private.token_problem(p_claims jsonb, p_public_url text, p_issued_after bigint) returns text
  language plpgsql stable set search_path = ''
as $$
begin
  return case
    when jsonb_typeof(p_claims -> 'exp') is distinct from 'number' then 'JWT invalid: exp is missing'
    -- thirty seconds of clock skew, as PostgREST allows
    when (p_claims ->> 'exp')::numeric < extract(epoch from statement_timestamp()) - 30 then 'JWT expired'
    when p_claims ->> 'aud' is distinct from p_public_url then 'JWT invalid: not in audience'
    when coalesce((p_claims ->> 'iat')::numeric, 0) <= p_issued_after
      then 'JWT revoked: a signing key was revoked after it was issued'
    when p_claims ->> 'sub' is distinct from p_claims ->> 'user_id'
      or private.access_end(p_claims ->> 'sid', p_claims ->> 'user_id',
      p_claims #>> '{claims,organization_id}', p_claims #>> '{claims,organization_role}',
      p_claims ->> 'api_key') is null
      then 'JWT revoked: its session, membership or role no longer exists'
  end;
end
$$;
comment on function private.token_problem(jsonb, text, bigint) is
  'The reason for which a token with a correct signature gives no access; null if it does. The last two arguments '
  'are columns of private.settings.';
grant execute on function private.access_end(text, text, text, text, text),
  private.token_problem(jsonb, text, bigint) to auth_service;
