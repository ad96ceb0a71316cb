-- name: functions_for_everybody
-- No function is executable by PUBLIC.
select oid::regprocedure::text as what from pg_proc
where pronamespace in ('api'::regnamespace, 'private'::regnamespace, 'auth'::regnamespace, 'public'::regnamespace)
  and (proacl is null or exists (select from aclexplode(proacl) where grantee = 0))
  and oid not in (select objid from pg_depend where classid = 'pg_proc'::regclass and deptype = 'e');

-- name: functions_callable_in_public
-- In schema public, which every request has in its search path, the API roles may call only the three claim functions.
select p.oid::regprocedure::text as what from pg_proc p
where p.pronamespace = 'public'::regnamespace and p.proname not in ('uid', 'org_id', 'org_role')
  and (has_function_privilege('authenticated', p.oid, 'execute') or has_function_privilege('anon', p.oid, 'execute'))
  and p.oid not in (select objid from pg_depend where classid = 'pg_proc'::regclass and deptype = 'e');

-- name: functions_with_definers_rights_exposed
-- Functions of api run with the caller's rights.
select oid::regprocedure::text as what from pg_proc where pronamespace = 'api'::regnamespace and prosecdef;

-- name: definers_functions_callable
-- The API roles may not call a function with the definer's rights, except those that are listed here.
select oid::regprocedure::text as what from pg_proc
where prosecdef and prorettype <> 'trigger'::regtype
  and pronamespace in ('api'::regnamespace, 'private'::regnamespace, 'auth'::regnamespace, 'public'::regnamespace)
  and has_function_privilege('authenticated', oid, 'EXECUTE')
  and oid <> all (array[
    -- They return true, false, a currency or nothing.
    'private.can(text,text)', 'private.pre_request()', 'private.row_exists(text,uuid)',
    'private.currency_of_account(uuid,text,text)', 'private.is_of_import(uuid,uuid)',
    'private.is_untouched(uuid,timestamptz,timestamptz)', 'private.has_tags_of_user(uuid)',
    'private.check_category(text,text,text,uuid,text)',
    'private.check_account(text,text,text,uuid,text,text)', 'private.reject_item_of_half(uuid)',
    'private.reject_items_of_half(uuid)', 'private.require_unused_currency(uuid,text)',
    'private.require_open_transaction(text,api.transactions,api.transactions)', 'private.note_closed_days()',
    -- They read the caller's own rows, or the rates of the instance, which everyone may see.
    'private.bank_history(uuid[])', 'private.former_rows(json,text,uuid)', 'private.open_matches(json,text,uuid)',
    'private.resolve_import_rows(json,text,uuid,uuid[],text[],boolean,boolean)',
    'private.transfer_candidates(json,uuid,uuid[])', 'private.oldest_of_page(bigint)',
    'private.learned_categories(text[],integer[],boolean[])', 'private.recognize_import(api.transactions)',
    'private.file_space_of_caller()', 'private.instance_currencies()', 'private.instance_rates_on(text,date[])',
    -- They write in the caller's own context, and check the rights themselves.
    'private.revert_request(uuid)', 'private.store_upload(uuid,text,bigint,text,text)',
    'private.store_opening(uuid)', 'private.begin_import(text,uuid,text,bigint)',
    'private.store_bank_versions(uuid,jsonb[])', 'private.store_import_matches(uuid,jsonb[])',
    'private.unlink_import_transfers(uuid)', 'private.note_import_rules(uuid,jsonb[])',
    'private.note_import_balance(uuid,uuid,jsonb)',
    -- Triggers call them for a row that the policies let the caller write.
    'private.check_transfer(text,api.transactions,api.transactions)',
    'private.store_bank_values(api.transactions,api.transactions)', 'private.store_unknown_bank_values(uuid,text)',
    'private.check_line_items_later(uuid)',
    'private.store_former_budget(api.categories,api.categories)', 'private.clear_recurring_transfers(uuid)',
    'private.revert_import_updates(api.imports)', 'private.release_file(uuid)'
  ]::regprocedure[]);

-- name: functions_without_search_path
-- Each function sets its search_path, or has a body that needs none.
select oid::regprocedure::text as what from pg_proc
where pronamespace in ('api'::regnamespace, 'private'::regnamespace, 'auth'::regnamespace, 'public'::regnamespace)
  and prokind = 'f'
  and not coalesce(proconfig @> array['search_path=""'], false) and (prosqlbody is null or prosecdef)
  and oid not in (select objid from pg_depend where classid = 'pg_proc'::regclass and deptype = 'e');

-- name: functions_with_system_columns
-- No function decides by the number of a transaction or the place of a row: they have others after a restore.
select oid::regprocedure::text as what from pg_proc
where pronamespace in ('api'::regnamespace, 'private'::regnamespace, 'auth'::regnamespace, 'public'::regnamespace)
  and prokind = 'f'
  and pg_get_functiondef(oid)
    ~* '\m(ctid|[cx]m(in|ax)|pg_snapshot|pg_current_(xact_id|snapshot)\w*|pg_visible_in_snapshot|pg_snapshot_\w+|'
      'pg_xact_\w+|txid_\w+)\M'
  and oid not in (select objid from pg_depend where classid = 'pg_proc'::regclass and deptype = 'e');
