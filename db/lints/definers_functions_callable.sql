-- Of the functions that raise privileges, the API roles may call those that are named here.
-- Three answer yes or no and one the currencies there are; one takes a request back, and one makes an import of the caller's own context.
select oid::regprocedure::text as what from pg_proc
where prosecdef and prorettype <> 'trigger'::regtype and pronamespace in ('api'::regnamespace, 'private'::regnamespace, 'auth'::regnamespace, 'public'::regnamespace)
  and has_function_privilege('authenticated', oid, 'EXECUTE')
  and oid not in ('private.can(text,text)'::regprocedure, 'private.pre_request()'::regprocedure, 'private.row_exists(text,uuid)'::regprocedure, 'private.take_back(uuid)'::regprocedure,
    'private.begin_import(text,uuid,text,bigint)'::regprocedure, 'private.known_currencies()'::regprocedure)
