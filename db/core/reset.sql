-- after: core/roles
-- Runs first. Drops all policies and triggers and revokes all grants, so that objects that no file defines any more
-- disappear. The whole migration is one transaction, so no request sees the database without its rules.

do $reset$
declare
  found record;
begin
  for found in select schemaname, tablename, policyname
    from pg_policies
    where schemaname in ('api', 'auth', 'private') loop
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

-- Each file comments on the functions that it defines. drop_undeclared.sql drops those that have no comment then.
do $comments$
declare
  found record;
begin
  for found in
    select p.oid::regprocedure as routine from pg_proc p
    where p.pronamespace in ('api'::regnamespace, 'auth'::regnamespace, 'private'::regnamespace)
      and not exists (
        select from pg_depend d where d.objid = p.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e'
      )
  loop
    execute format('comment on routine %s is null', found.routine);
  end loop;
end
$comments$;
