-- No API role owns anything of ours, is a superuser, creates roles or is exempt from row security.
select rolname as what from pg_roles
where rolname in ('anon', 'authenticated', 'authenticator', 'auth_service')
  and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or (rolcanlogin and rolname in ('anon', 'authenticated')))
union all
select format('%s owns %s', r.rolname, c.oid::regclass) from pg_class c join pg_roles r on r.oid = c.relowner
where r.rolname in ('anon', 'authenticated', 'authenticator', 'auth_service') and c.relnamespace in ('api'::regnamespace, 'auth'::regnamespace, 'private'::regnamespace)
