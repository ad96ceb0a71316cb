-- Every function of api begins with private.require_plain_query(), because the plans within a function know no query that comes later.
select p.oid::regprocedure::text as what from pg_proc p
where p.pronamespace = 'api'::regnamespace and p.prokind in ('f', 'p')
  -- a computed field is asked for in a query of its table, whose policy asks
  and not exists (select from pg_class c where c.reltype = p.proargtypes[0] and p.pronargs = 1 and c.relnamespace = 'api'::regnamespace)
  -- what answers no call
  and not p.prosrc ~ '^\s*begin perform private\.refuse\('
  and case
    when p.prosqlbody is not null then pg_get_functiondef(p.oid) !~ '\(?private\.require_plain_query\(\)'
    else p.prosrc !~ '^(?:(?!\mbegin\M).)*\mbegin\s+perform private\.require_plain_query\(\);'
  end
