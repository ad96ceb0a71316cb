-- Every row rule asks can(): may the caller's role do this? deny() refuses where it may not.

create or replace function private.can(p_resource text, p_action text) returns boolean
  language sql stable security definer parallel safe set search_path = ''
begin atomic
  select public.org_id() is not null and exists (
    select from private.role_permissions
    where role = public.org_role() and resource = p_resource and action = p_action
  );
end;
comment on function private.can(text, text) is
  'Whether the caller''s role in the active organization has this right. In a policy it stands as (select private.can(…)), so that it is asked once a query.';
grant execute on function private.can(text, text) to authenticated;

-- A policy's check calls this for a row that breaks the rule. Row security's own message would name the mechanism; the
-- interface promises the words "permission denied for table".
create or replace function private.deny(p_table text) returns boolean
  language plpgsql volatile set search_path = ''
as $$
begin
  raise insufficient_privilege using message = format('permission denied for table %s', p_table);
end
$$;
comment on function private.deny(text) is 'Raises 42501 "permission denied for table …" (HTTP 403).';
grant execute on function private.deny(text) to authenticated;
