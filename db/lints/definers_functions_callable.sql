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
    'private.write_once(anyelement,text[])'::regprocedure)
