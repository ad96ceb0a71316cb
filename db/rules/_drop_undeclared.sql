-- Runs after the rules. Drops the functions that stand in no file: those that no file has written again since _reset.sql.
-- One that something still needs ends the migration with PostgreSQL's own words, which name what needs it. Functions of schema
-- public stay, because others may keep theirs there; db/lints tells of them.

do $drop$
declare
  undeclared constant text := (
    select string_agg(p.oid::regprocedure::text, ', ')
    from pg_proc p join functions_before b on b.oid = p.oid and b.place = p.ctid
    where not exists (select from pg_depend d where d.objid = p.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e'));
begin
  -- all at once, because one may need another
  if undeclared is not null then
    execute format('drop routine %s', undeclared);
  end if;
end
$drop$;
