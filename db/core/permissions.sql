-- after: core/claims
-- The permission check of all row rules. deny() in rejections.sql raises the error.

create or replace function private.can(p_resource text, p_action text) returns boolean
  -- a body of SQL would be planned again in each query
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
  'Whether the caller''s role in the active organization has this right. Policies write (select private.can(…)), so '
  'that a query evaluates it once.';
grant execute on function private.can(text, text) to authenticated;

-- A session has access to its user's personal rows in every context. A team's API key does not, because its user does
-- not expect to share personal spending with a program. A token of a key must have the claim api_key: pre_request()
-- checks it.
create or replace function private.personal_id() returns text
  language sql stable parallel safe
  return case
    when nullif(current_setting('request.jwt.claims', true), '')::json ->> 'api_key' is null or public.org_id() is null
      then public.uid()
  end;
comment on function private.personal_id() is
  'The user whose personal rows the caller may access: uid(), or null for a token of a team''s API key. Policies '
  'write (select private.personal_id()).';
grant execute on function private.personal_id() to authenticated;
