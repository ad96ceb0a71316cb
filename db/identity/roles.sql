-- after: identity/tables
-- The order of the roles. It decides about API keys and about the next owner of an organization.

create or replace function auth.role_rank(p_role text) returns integer
  language sql immutable parallel safe
  return array_position(array['viewer', 'editor', 'admin', 'owner'], p_role);
comment on function auth.role_rank(text) is
  'The rank of a role, from 1 for viewer to 4 for owner; null for an unknown role.';
revoke execute on function auth.role_rank(text) from public;
grant execute on function auth.role_rank(text) to auth_service;

-- An API key is valid while its role is no higher than its user's. The auth service checks this for each token of a
-- key, and pre_request() for each request with such a token.
create or replace function auth.is_alive(p_key auth.api_keys) returns boolean
  language sql stable
  return p_key.expires_at > statement_timestamp()
    and (
      p_key.organization_id is null
      or exists (
        select from auth.members m
        where m.organization_id = p_key.organization_id and m.user_id = p_key.user_id
          and auth.role_rank(m.role) >= auth.role_rank(p_key.role)
      )
    );
comment on function auth.is_alive(auth.api_keys) is
  'Whether an API key has not expired, and its user''s role in the organization is at least the key''s role.';
revoke execute on function auth.is_alive(auth.api_keys) from public;
grant execute on function auth.is_alive(auth.api_keys) to auth_service;

create or replace function auth.owns_most_organizations(p_user text, p_except text default null) returns boolean
  language sql stable
begin atomic
  select count(*) >= 5
  from auth.members m
  where m.user_id = p_user and m.role = 'owner' and m.id is distinct from p_except;
end;
comment on function auth.owns_most_organizations(text, text) is
  'Whether the user owns the maximum number of organizations. The membership with the id p_except is not counted.';
revoke execute on function auth.owns_most_organizations(text, text) from public;
grant execute on function auth.owns_most_organizations(text, text) to auth_service;

-- A trigger calls this function when it transfers an organization. The auth service calls it to name the successor
-- before a deletion. Both may read the members, so it runs with the rights of its caller.
create or replace function auth.successor_of(p_organization text) returns text
  language sql stable
begin atomic
  select m.user_id from auth.members m
  where m.organization_id = p_organization and m.role <> 'owner' and not auth.owns_most_organizations(m.user_id)
  order by auth.role_rank(m.role) desc, m.created_at, m.id
  limit 1;
end;
comment on function auth.successor_of(text) is
  'The user who becomes the owner when the owner''s account is deleted: the longest-standing member of the highest '
  'remaining role. Members who own the maximum number of organizations are left out. Null without such a member.';
revoke execute on function auth.successor_of(text) from public;
grant execute on function auth.successor_of(text) to auth_service;
