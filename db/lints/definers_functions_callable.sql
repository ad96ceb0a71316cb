-- Of the functions that raise privileges, the API roles may call those that are named here.
-- Four answer yes or no, one the currencies there are, one what a bank said of the caller's own rows and one a date of these; one takes a request back, and one makes an import
-- of the caller's own context.
select oid::regprocedure::text as what from pg_proc
where prosecdef and prorettype <> 'trigger'::regtype and pronamespace in ('api'::regnamespace, 'private'::regnamespace, 'auth'::regnamespace, 'public'::regnamespace)
  and has_function_privilege('authenticated', oid, 'EXECUTE')
  and oid not in ('private.can(text,text)'::regprocedure, 'private.pre_request()'::regprocedure, 'private.row_exists(text,uuid)'::regprocedure, 'private.take_back(uuid)'::regprocedure,
    'private.begin_import(text,uuid,text,bigint)'::regprocedure, 'private.known_currencies()'::regprocedure, 'private.bank_history(uuid[])'::regprocedure,
    'private.is_untouched(uuid,timestamptz,timestamptz)'::regprocedure, 'private.oldest_of_page(bigint)'::regprocedure)
