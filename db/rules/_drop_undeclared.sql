-- Runs after the rules. Drops the functions that no file defines: those that no file has replaced since _reset.sql. If another object
-- depends on such a function, PostgreSQL's error names the object, and the migration ends. Functions of schema public stay, because an
-- operator may keep some there; db/lints reports those that the API roles may call.

do $drop$
declare
  undeclared constant text := (
    select string_agg(p.oid::regprocedure::text, ', ')
    from pg_proc p join functions_before b on b.oid = p.oid and b.place = p.ctid
    where not exists (select from pg_depend d where d.objid = p.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e'));
begin
  -- one statement, because one function may depend on another
  if undeclared is not null then
    execute format('drop routine %s', undeclared);
  end if;
end
$drop$;
