-- Runs last. Drops the functions that stand in no file: those that no file has written again since _clear.sql. One that something
-- still needs ends the migration with PostgreSQL's own words, which name what needs it. In schema public others may keep
-- functions of theirs, so those stay; db/lints tells of them.

do $strays$
declare
  found record;
begin
  for found in
    select p.oid::regprocedure as function, case p.prokind when 'a' then 'aggregate' when 'p' then 'procedure' else 'function' end as kind
    from pg_proc p join functions_before b on b.oid = p.oid and b.place = p.ctid
    where not exists (select from pg_depend d where d.objid = p.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e')
    -- an aggregate needs its functions
    order by p.prokind <> 'a'
  loop
    execute format('drop %s %s', found.kind, found.function);
  end loop;
end
$strays$;
