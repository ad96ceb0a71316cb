-- after: core/reset
-- The caller's claims, from the verified token. Policies write (select uid()), so that a query evaluates the function
-- once. The cast is to json, because jsonb would parse the whole token for one field.

create or replace function public.uid() returns text
  language sql stable parallel safe
  return nullif(current_setting('request.jwt.claims', true), '')::json ->> 'user_id';
comment on function public.uid() is 'The user id of the JWT; null for an anonymous caller.';

create or replace function public.org_id() returns text
  language sql stable parallel safe
  return nullif(current_setting('request.jwt.claims', true), '')::json -> 'claims' ->> 'organization_id';
comment on function public.org_id() is 'claims.organization_id of the JWT; null in the personal context.';

create or replace function public.org_role() returns text
  language sql stable parallel safe
  return nullif(current_setting('request.jwt.claims', true), '')::json -> 'claims' ->> 'organization_role';
comment on function public.org_role() is
  'claims.organization_role of the JWT: owner, admin, editor or viewer; null in the personal context.';

grant execute on function public.uid(), public.org_id(), public.org_role() to anon, authenticated;
