-- name: functions_for_everybody
-- No function is executable by everybody.
select oid::regprocedure::text as what from pg_proc
where pronamespace in ('api'::regnamespace, 'private'::regnamespace, 'auth'::regnamespace, 'public'::regnamespace)
  and (proacl is null or exists (select from aclexplode(proacl) where grantee = 0))
  and not exists (select from pg_depend d where d.objid = pg_proc.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e');

-- name: functions_callable_in_public
-- Of schema public, which is in every request's search path, the API roles call the three claim functions and nothing else of ours.
select p.oid::regprocedure::text as what from pg_proc p
where p.pronamespace = 'public'::regnamespace and p.proname not in ('uid', 'org_id', 'org_role')
  and (has_function_privilege('authenticated', p.oid, 'execute') or has_function_privilege('anon', p.oid, 'execute'))
  and not exists (select from pg_depend d where d.objid = p.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e');

-- name: functions_with_definers_rights_exposed
-- Functions of api run with the caller's rights.
select oid::regprocedure::text as what from pg_proc where pronamespace = 'api'::regnamespace and prosecdef;

-- name: definers_functions_callable
-- The API roles may call no function that raises privileges but those that are named here.
-- Five answer yes or no; three tell of the caller's own rows: what a bank said, a date, the currency of an account. Two find the row that a new one of
-- the caller's repeats, one takes a request back, and one makes an import of the caller's own context.
select oid::regprocedure::text as what from pg_proc
where prosecdef and prorettype <> 'trigger'::regtype and pronamespace in ('api'::regnamespace, 'private'::regnamespace, 'auth'::regnamespace, 'public'::regnamespace)
  and has_function_privilege('authenticated', oid, 'EXECUTE')
  and oid not in ('private.can(text,text)'::regprocedure, 'private.pre_request()'::regprocedure, 'private.row_exists(text,uuid)'::regprocedure, 'private.take_back(uuid)'::regprocedure,
    'private.begin_import(text,uuid,text,bigint)'::regprocedure, 'private.bank_history(uuid[])'::regprocedure,
    'private.is_untouched(uuid,timestamptz,timestamptz)'::regprocedure, 'private.oldest_of_page(bigint)'::regprocedure,
    'private.currency_of_account(uuid,text,text)'::regprocedure, 'private.is_of_import(uuid,uuid)'::regprocedure, 'private.recognize_import(api.transactions)'::regprocedure,
    'private.write_once(anyelement,text[])'::regprocedure);

-- name: functions_without_search_path
-- A function pins its search_path, or has a body that needs none.
select oid::regprocedure::text as what from pg_proc
where pronamespace in ('api'::regnamespace, 'private'::regnamespace, 'auth'::regnamespace, 'public'::regnamespace) and prokind = 'f'
  and not coalesce(proconfig @> array['search_path=""'], false) and (prosqlbody is null or prosecdef)
  and not exists (select from pg_depend d where d.objid = pg_proc.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e');
