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

-- A session reaches its user's personal rows in every context. An API key of a team reaches none, because a user who gives it to a
-- program does not expect to share personal spending. pre_request() refuses a token of a key without the claim api_key.
create or replace function private.personal_id() returns text
  language sql stable parallel safe
  return case when nullif(current_setting('request.jwt.claims', true), '')::json ->> 'api_key' is null or public.org_id() is null then public.uid() end;
comment on function private.personal_id() is
  'The user whose personal rows the caller reaches: uid(), and null for a token of a team''s API key. In a policy it stands as (select private.personal_id()).';
grant execute on function private.personal_id() to authenticated;
