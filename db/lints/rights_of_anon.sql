-- anon reads every exposed table, by no policy, and does nothing else.
select format('anon may not read %s', relname) as what from pg_class
where relnamespace = 'api'::regnamespace and relkind in ('r', 'p', 'v') and not has_table_privilege('anon', oid, 'SELECT')
union all
select format('anon may write %s', oid::regclass) from pg_class
where relkind in ('r', 'p', 'v', 'S') and relnamespace in ('api'::regnamespace, 'auth'::regnamespace, 'private'::regnamespace)
  and (case relkind when 'S' then has_sequence_privilege('anon', oid, 'USAGE, UPDATE') else has_table_privilege('anon', oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER') end)
union all
select format('anon may call %s', p.oid::regprocedure) from pg_proc p
where p.pronamespace in ('api'::regnamespace, 'private'::regnamespace, 'auth'::regnamespace) and has_function_privilege('anon', p.oid, 'EXECUTE')
  and p.oid not in ('private.pre_request()'::regprocedure, 'api.one_object(anyelement)'::regprocedure)
