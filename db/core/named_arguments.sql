-- after: core/drop_undeclared, *
-- Runs last, when undeclared functions are dropped. Creates for each function of api a second one with the same name
-- and one unnamed parameter of type json. PostgREST calls it if no function accepts the names of the arguments.
-- Otherwise PostgREST would search for a similar name, which takes minutes for a name of some thousand letters. Both
-- functions have one comment, because PostgREST shows only one of the two.

do $arguments$
declare
  named record;
begin
  for named in
    select p.proname, string_agg(distinct pg_get_function_arguments(p.oid), '; ') as takes,
      min(obj_description(p.oid, 'pg_proc')) as comment
    from pg_proc p
    -- a function of one row is a computed field and not a function of /rpc; a function of one JSON parameter accepts
    -- any names already
    where not exists (
        select from pg_class c
        where c.reltype = p.proargtypes[0] and p.pronargs = 1 and c.relnamespace = 'api'::regnamespace)
      and p.pronamespace = 'api'::regnamespace and p.prokind = 'f'
      and pg_get_function_identity_arguments(p.oid) !~ '^(\w+ )?jsonb?$'
    group by p.proname
  loop
    execute private.fill(
      $sql$
        create or replace function api.{name}(json) returns void language plpgsql stable set search_path = ''
          as {body};
        comment on function api.{name}(json) is {comment};
        grant execute on function api.{name}(json) to authenticated
      $sql$,
      'name', quote_ident(named.proname),
      'body', quote_literal(format($body$ begin perform private.reject('PGRST202', %L, %L, 404); end $body$,
        format('%s was called with unexpected arguments', named.proname),
        format('Expected arguments: %s.', named.takes))),
      'comment', quote_nullable(named.comment));
  end loop;
end
$arguments$;
