-- after: *
-- Runs after the other files. Drops the functions that no file defines: those without a comment since reset.sql. If
-- another object depends on such a function, PostgreSQL's error names the object, and the migration ends. Functions
-- of schema public stay, because an operator may keep some there; db/lints reports those that the API roles may call.

do $drop$
declare
  undeclared constant text := (
    select string_agg(p.oid::regprocedure::text, ', ')
    from pg_proc p
    where p.pronamespace in ('api'::regnamespace, 'auth'::regnamespace, 'private'::regnamespace)
      and obj_description(p.oid, 'pg_proc') is null
      and not exists (
        select from pg_depend d where d.objid = p.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e'
      )
  );
begin
  -- one statement, because one function may depend on another
  if undeclared is not null then
    execute format('drop routine %s', undeclared);
  end if;
end
$drop$;
