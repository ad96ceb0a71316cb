-- Every row rule asks can(): may the caller's role do this? deny() in refusals.sql refuses where it may not.

create or replace function private.can(p_resource text, p_action text) returns boolean
  -- a body of SQL is planned anew by each query that asks
  language plpgsql stable security definer parallel safe set search_path = ''
as $$
begin
  return public.org_id() is not null and exists (
    select from private.role_permissions
    where role = public.org_role() and resource = p_resource and action = p_action
  );
end
$$;
comment on function private.can(text, text) is
  'Whether the caller''s role in the active organization has this right. In a policy it stands as (select private.can(…)), so that it is asked once a query.';
grant execute on function private.can(text, text) to authenticated;
