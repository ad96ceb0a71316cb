-- What each schema is for, and who may enter it.

comment on schema public is 'The three claim functions, so that they resolve everywhere. Nothing here is exposed over HTTP.';
comment on schema api is
$$Personal and team finance

Tables and functions of the data surface. Send `Authorization: Bearer <JWT>` with a token from POST /api/auth/token. A row belongs to one user (personal context, organization_id is null) or to an organization (team context); who sees and changes what is decided by row rules from the token's claims.$$;
comment on schema auth is 'Accounts, sessions, organizations and keys: the auth service''s tables. Not reachable by the data surface.';
comment on schema private is 'Machinery behind the two surfaces: permissions, settings, migrations. Not exposed.';
comment on schema graphile_worker is 'The mail queue''s own tables, owned and migrated by graphile-worker.';

grant usage on schema api to anon, authenticated;
grant usage on schema private to anon, authenticated, authenticator, auth_service;
grant usage on schema auth to auth_service;

-- PostgreSQL 18 lets everybody call these two, and PostgREST lets a caller name any function that takes a row as if it
-- were a column. They answer with an internal error. Where the owner of this database may not take them back, PostgreSQL
-- warns and goes on; a backup's owner still needs them to restore statistics.
do $statistics$
declare
  name text;
begin
  for name in
    select p.oid::regprocedure::text from pg_proc p
    where p.pronamespace = 'pg_catalog'::regnamespace and p.proname in ('pg_restore_relation_stats', 'pg_restore_attribute_stats')
  loop
    execute format('revoke execute on function %s from public', name);
    if (select rolsuper from pg_roles where rolname = current_user) then
      execute format('grant execute on function %s to current_user', name);
    end if;
  end loop;
end
$statistics$;
