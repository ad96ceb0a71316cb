-- A function pins its search_path, or has a body that needs none.
select oid::regprocedure::text as what from pg_proc
where pronamespace in ('api'::regnamespace, 'private'::regnamespace, 'auth'::regnamespace, 'public'::regnamespace) and prokind = 'f'
  and not coalesce(proconfig @> array['search_path=""'], false) and (prosqlbody is null or prosecdef)
  and not exists (select from pg_depend d where d.objid = pg_proc.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e')
