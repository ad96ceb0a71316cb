-- after: core/reset
-- The purpose of each schema, and the roles that may use it.

comment on schema public is 'The three claim functions, so that every search path finds them. Not exposed over HTTP.';
comment on schema api is
  E'Personal and team finance\n\n'
  'Tables and functions of the data surface. Send `Authorization: Bearer <JWT>` with a token from POST '
  '/api/auth/token. A row belongs to one user (personal context, organization_id is null) or to an organization (team '
  'context). Row rules decide from the claims of the token which rows you see and may change.';
comment on schema auth is
  'Accounts, sessions, organizations and keys: the tables of the auth service. Not exposed by the data surface.';
comment on schema private is 'Internals of the two surfaces: permissions, settings, migrations. Not exposed.';

grant usage on schema api to anon, authenticated;
grant usage on schema private to anon, authenticated, authenticator, auth_service;
grant usage on schema auth to auth_service;

-- PostgreSQL 18 lets every role call these two functions. PostgREST accepts any function of a row as a column name,
-- and these would raise an internal error. If the owner of this database may not revoke the right, PostgreSQL only
-- warns. The owner of a backup still needs the functions to restore statistics.
do $statistics$
declare
  name text;
begin
  for name in
    select p.oid::regprocedure::text from pg_proc p
    where p.pronamespace = 'pg_catalog'::regnamespace
      and p.proname in ('pg_restore_relation_stats', 'pg_restore_attribute_stats')
  loop
    execute format('revoke execute on function %s from public', name);
    if (select rolsuper from pg_roles where rolname = current_user) then
      execute format('grant execute on function %s to current_user', name);
    end if;
  end loop;
end
$statistics$;
