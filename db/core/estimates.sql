-- after: core/reset
-- The planner estimates from all rows of a table, past every row rule. `Prefer: count=planned` and `count=estimated`
-- make PostgREST explain a query and return the estimate. pre_request() refuses both preferences. It sees one of
-- several Prefer fields, and PostgREST reads them all. So each policy for select refuses to be explained.

create or replace function private.is_not_explained() returns boolean
  -- immutable, although it reads the statement: the planner then calls it while it plans, and EXPLAIN only plans. A
  -- query that runs is never refused, so a kept plan needs no second call.
  language plpgsql immutable set search_path = ''
as $$
begin
  -- the owner of the database and its tools may explain
  if session_user = 'authenticator' and pg_catalog.current_query() ~* '^\s*explain\M' then
    perform private.reject_estimate();
  end if;
  return true;
end
$$;
comment on function private.is_not_explained() is
  'Returns true, or refuses a statement that PostgREST explains. Every policy for select calls it first.';

create or replace function private.reject_estimate() returns void
  language plpgsql immutable set search_path = ''
as $$
begin
  perform private.reject('PGRST122', 'the preferences count=planned and count=estimated are not supported',
    'Use count=exact.');
end
$$;
comment on function private.reject_estimate() is 'Refuses a count that would be the planner''s estimate.';

grant execute on function private.is_not_explained(), private.reject_estimate() to authenticated;
