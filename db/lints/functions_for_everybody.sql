-- No function is executable by everybody.
select oid::regprocedure::text as what from pg_proc
where pronamespace in ('api'::regnamespace, 'private'::regnamespace, 'auth'::regnamespace, 'public'::regnamespace)
  and (proacl is null or exists (select from aclexplode(proacl) where grantee = 0))
  and not exists (select from pg_depend d where d.objid = pg_proc.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e')
