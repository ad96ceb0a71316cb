-- name: powerful_roles
-- No API role owns any of our objects, is a superuser, creates roles or is exempt from row security.
select rolname as what from pg_roles
where rolname in ('anon', 'authenticated', 'authenticator', 'auth_service')
  and (
    rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or (rolcanlogin and rolname in ('anon', 'authenticated')))
union all
select format('%s owns %s', r.rolname, c.oid::regclass) from pg_class c join pg_roles r on r.oid = c.relowner
where r.rolname in ('anon', 'authenticated', 'authenticator', 'auth_service')
  and c.relnamespace in ('api'::regnamespace, 'auth'::regnamespace, 'private'::regnamespace);

-- name: rights_beyond_rows
-- The API roles have access to no table outside api, and may only read and write rows.
select format('%s may %s %s', r.rolname, privilege, c.oid::regclass) as what
from pg_roles r, pg_class c,
  unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) privilege
where r.rolname in ('anon', 'authenticated', 'authenticator') and c.relkind in ('r', 'p', 'v', 'm')
  and c.relnamespace in ('api'::regnamespace, 'auth'::regnamespace, 'private'::regnamespace, 'public'::regnamespace)
  and has_table_privilege(r.oid, c.oid, privilege)
  and (
    c.relnamespace <> 'api'::regnamespace
    or privilege in ('TRUNCATE', 'REFERENCES', 'TRIGGER')
    or r.rolname = 'authenticator');

-- name: rights_of_anon
-- anon may read every exposed table, where no policy shows it a row, and may do nothing else.
select format('anon may not read %s', relname) as what from pg_class
where relnamespace = 'api'::regnamespace and relkind in ('r', 'p', 'v')
  and not has_table_privilege('anon', oid, 'SELECT')
union all
select format('anon may write %s', oid::regclass) from pg_class
where relkind in ('r', 'p', 'v', 'S')
  and relnamespace in ('api'::regnamespace, 'auth'::regnamespace, 'private'::regnamespace)
  and (
    case relkind
      when 'S' then has_sequence_privilege('anon', oid, 'USAGE, UPDATE')
      else has_table_privilege('anon', oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
    end)
union all
select format('anon may call %s', p.oid::regprocedure) from pg_proc p
where p.pronamespace in ('api'::regnamespace, 'private'::regnamespace, 'auth'::regnamespace)
  and has_function_privilege('anon', p.oid, 'EXECUTE')
  and p.oid not in ('private.pre_request()'::regprocedure, 'api.one_object(anyelement)'::regprocedure);
