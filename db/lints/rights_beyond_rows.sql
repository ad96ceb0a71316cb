-- The API roles reach no table outside api, and do nothing to one but read and write rows.
select format('%s may %s %s', r.rolname, privilege, c.oid::regclass) as what
from pg_roles r, pg_class c, unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) privilege
where r.rolname in ('anon', 'authenticated', 'authenticator') and c.relkind in ('r', 'p', 'v', 'm')
  and c.relnamespace in ('api'::regnamespace, 'auth'::regnamespace, 'private'::regnamespace, 'public'::regnamespace)
  and has_table_privilege(r.oid, c.oid, privilege)
  and (c.relnamespace <> 'api'::regnamespace or privilege in ('TRUNCATE', 'REFERENCES', 'TRIGGER') or r.rolname = 'authenticator')
