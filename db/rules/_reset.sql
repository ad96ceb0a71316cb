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
