-- Whose personal rows a request reaches. A session reaches its person's in every context; a key of a team reaches none, because
-- whoever gives it to a program does not think of their own spending. pre_request() refuses a token of a key that does not say it is one.

create or replace function private.personal_id() returns text
  language sql stable parallel safe
  return case when nullif(current_setting('request.jwt.claims', true), '')::json ->> 'api_key' is null or public.org_id() is null then public.uid() end;
comment on function private.personal_id() is
  'The user whose personal rows the caller reaches: uid(), and null for a token of a team''s API key. In a policy it stands as (select private.personal_id()).';
grant execute on function private.personal_id() to authenticated;
