-- Runs first. Takes away what db/functions and db/rules give, so that what stands in no file any more is gone when they
-- have run. All of it is one transaction: nobody sees the time between.

do $reset$
declare
  found record;
begin
  for found in select schemaname, tablename, policyname from pg_policies where schemaname in ('api', 'auth', 'private') loop
    execute format('drop policy %I on %I.%I', found.policyname, found.schemaname, found.tablename);
  end loop;
  for found in
    select t.tgname, t.tgrelid::regclass as on_table from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where not t.tgisinternal and c.relnamespace in ('api'::regnamespace, 'auth'::regnamespace, 'private'::regnamespace)
  loop
    execute format('drop trigger %I on %s', found.tgname, found.on_table);
  end loop;
end
$reset$;

revoke all on all tables in schema api, auth, private from public, anon, authenticated, authenticator, auth_service;
revoke all on all functions in schema api, auth, private from public, anon, authenticated, authenticator, auth_service;
revoke all on schema api, auth, private from anon, authenticated, authenticator, auth_service;

-- A function that a file writes again gets another place in the catalogue; _drop_undeclared.sql drops those that keep theirs.
create temporary table functions_before on commit drop as
  select oid, ctid as place from pg_proc where pronamespace in ('api'::regnamespace, 'auth'::regnamespace, 'private'::regnamespace);

-- The interface's table of roles: their rights on an organization's rows. The file of a table gives them for that table. Policies
-- and triggers ask private.can(). Personal rows are not in it, because only their owner reaches them.
delete from private.role_permissions;
create temporary table usual_rights on commit drop as
  select role, action
  from unnest(array['owner', 'admin', 'editor']) as role, unnest(array['list', 'get', 'create', 'update', 'delete']) as action
  union all
  select 'viewer', action from unnest(array['list', 'get']) as action;
