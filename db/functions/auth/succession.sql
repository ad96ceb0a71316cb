-- Who owns an organization when its owner's account is deleted. Asked by the trigger that passes it on, and by the auth service,
-- which says so before. The rights of the caller hold, so it needs none of its own.

create or replace function auth.successor_of(p_organization text) returns text
  language sql stable
begin atomic
  select m.user_id from auth.members m
  where m.organization_id = p_organization and m.role <> 'owner'
  order by auth.role_rank(m.role) desc, m.created_at, m.id
  limit 1;
end;
comment on function auth.successor_of(text) is
  'The user who owns an organization when its owner''s account is deleted: the longest-standing member of the highest remaining role; null without one.';
revoke execute on function auth.successor_of(text) from public;
grant execute on function auth.successor_of(text) to auth_service;
