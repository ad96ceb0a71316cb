-- name: functions_for_everybody
-- No function is executable by PUBLIC.
select oid::regprocedure::text as what from pg_proc
where pronamespace in ('api'::regnamespace, 'private'::regnamespace, 'auth'::regnamespace, 'public'::regnamespace)
  and (proacl is null or exists (select from aclexplode(proacl) where grantee = 0))
  and not exists (select from pg_depend d where d.objid = pg_proc.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e');

-- name: functions_callable_in_public
-- In schema public, which every request has in its search path, the API roles may call only the three claim functions.
select p.oid::regprocedure::text as what from pg_proc p
where p.pronamespace = 'public'::regnamespace and p.proname not in ('uid', 'org_id', 'org_role')
  and (has_function_privilege('authenticated', p.oid, 'execute') or has_function_privilege('anon', p.oid, 'execute'))
  and not exists (select from pg_depend d where d.objid = p.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e');

-- name: functions_with_definers_rights_exposed
-- Functions of api run with the caller's rights.
select oid::regprocedure::text as what from pg_proc where pronamespace = 'api'::regnamespace and prosecdef;

-- name: definers_functions_callable
-- The API roles may not call any function with the definer's rights, except those that are listed here.
-- Five of them return true or false, and pre_request() returns nothing. Two read the exchange rates of the instance, which everyone may see.
-- Eight read the caller's own rows: values of a bank, a date, the currency of an account, the categories of payees, the rows that a file matches, those that it may match anew, those that had its ids,
-- and other halves of its transfers.
-- Two find the row that a new row of the caller repeats. One reverts a request, and four store an import, its matches, its rules and its
-- deletion in the caller's own context. Three read the space for files, and store a pending attachment or a ticket, in the caller's contexts.
select oid::regprocedure::text as what from pg_proc
where prosecdef and prorettype <> 'trigger'::regtype and pronamespace in ('api'::regnamespace, 'private'::regnamespace, 'auth'::regnamespace, 'public'::regnamespace)
  and has_function_privilege('authenticated', oid, 'EXECUTE')
  and oid not in ('private.can(text,text)'::regprocedure, 'private.pre_request()'::regprocedure, 'private.row_exists(text,uuid)'::regprocedure, 'private.revert_request(uuid)'::regprocedure,
    'private.file_space_of_caller()'::regprocedure, 'private.store_upload(uuid,text,bigint,text,text)'::regprocedure, 'private.store_opening(uuid)'::regprocedure,
    'private.begin_import(text,uuid,text,bigint)'::regprocedure, 'private.bank_history(uuid[])'::regprocedure,
    'private.former_rows(json,text,uuid)'::regprocedure, 'private.open_matches(json,text,uuid)'::regprocedure,
    'private.resolve_import_rows(json,text,uuid,uuid[],text[],boolean,boolean)'::regprocedure, 'private.transfer_candidates(json,uuid,uuid[])'::regprocedure,
    'private.store_import_matches(uuid,jsonb[])'::regprocedure, 'private.unlink_import_transfers(uuid)'::regprocedure,
    'private.is_untouched(uuid,timestamptz,timestamptz)'::regprocedure, 'private.oldest_of_page(bigint)'::regprocedure,
    'private.currency_of_account(uuid,text,text)'::regprocedure, 'private.is_of_import(uuid,uuid)'::regprocedure, 'private.instance_currencies()'::regprocedure, 'private.instance_rates_on(text,date[])'::regprocedure, 'private.recognize_import(api.transactions)'::regprocedure,
    'private.refuse_repeated_row(anyelement,text[])'::regprocedure, 'private.learned_categories(text[],integer[],boolean[])'::regprocedure,
    'private.note_import_rules(uuid,jsonb[])'::regprocedure, 'private.has_tags_of_user(uuid)'::regprocedure,
    'private.note_import_balance(uuid,uuid,jsonb)'::regprocedure);

-- name: functions_without_search_path
-- Each function sets its search_path, or has a body that needs none.
select oid::regprocedure::text as what from pg_proc
where pronamespace in ('api'::regnamespace, 'private'::regnamespace, 'auth'::regnamespace, 'public'::regnamespace) and prokind = 'f'
  and not coalesce(proconfig @> array['search_path=""'], false) and (prosqlbody is null or prosecdef)
  and not exists (select from pg_depend d where d.objid = pg_proc.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e');
