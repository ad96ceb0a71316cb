-- Of schema public, which is in every request's search path, the API roles call the three claim functions and nothing else of ours.
select p.oid::regprocedure::text as what from pg_proc p
where p.pronamespace = 'public'::regnamespace and p.proname not in ('uid', 'org_id', 'org_role')
  and (has_function_privilege('authenticated', p.oid, 'execute') or has_function_privilege('anon', p.oid, 'execute'))
  and not exists (select from pg_depend d where d.objid = p.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e')
