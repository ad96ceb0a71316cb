-- Runs first. Drops all policies and triggers and revokes all grants, so that objects that no file defines any more disappear. The whole
-- migration is one transaction, so no request sees the database without its rules.

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

-- When a file replaces a function, its row moves to another place (ctid) in the catalogue. _drop_undeclared.sql drops the functions
-- without such a move.
create temporary table functions_before on commit drop as
  select oid, ctid as place from pg_proc where pronamespace in ('api'::regnamespace, 'auth'::regnamespace, 'private'::regnamespace);

-- The rights of each role on an organization's rows. Each table's file inserts the rights on its table, usually these. Policies and triggers
-- read them through private.can(). Personal rows need no right: only their owner has access.
delete from private.role_permissions;
create temporary table usual_rights on commit drop as
  select role, action
  from unnest(array['owner', 'admin', 'editor']) as role, unnest(array['list', 'get', 'create', 'update', 'delete']) as action
  union all
  select 'viewer', action from unnest(array['list', 'get']) as action;
