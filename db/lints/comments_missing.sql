-- Every exposed schema, table, column, function and aggregate has a comment, because PostgREST serves it as documentation.
select 'schema api' as what where obj_description('api'::regnamespace, 'pg_namespace') is null
union all
select c.relname from pg_class c where c.relnamespace = 'api'::regnamespace and c.relkind in ('r', 'p', 'v') and obj_description(c.oid, 'pg_class') is null
union all
select format('%s.%s', c.relname, a.attname) from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where c.relnamespace = 'api'::regnamespace and c.relkind in ('r', 'p', 'v') and col_description(c.oid, a.attnum) is null
union all
select p.oid::regprocedure::text from pg_proc p where p.pronamespace in ('api'::regnamespace, 'private'::regnamespace, 'public'::regnamespace) and obj_description(p.oid, 'pg_proc') is null
  and not exists (select from pg_depend d where d.objid = p.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e')
