-- Functions of api run with the caller's rights.
select oid::regprocedure::text as what from pg_proc where pronamespace = 'api'::regnamespace and prosecdef
