-- `Accept: application/vnd.rest.object+json`: one object instead of an array. PostgREST finds a handler for a media type
-- as an aggregate of an exposed schema that returns a domain of that name; it is no table and no function, so it is
-- neither in the description nor under /rpc. PostgREST's own application/vnd.pgrst.object+json works beside it.

create domain private."application/vnd.rest.object+json" as json;
comment on domain private."application/vnd.rest.object+json" is 'The one row of an answer, as an object.';

create type private.one_row as (seen bigint, first json);
comment on type private.one_row is 'What the aggregate below keeps: how many rows, and the first of them.';

-- requires functions/object_media_type.sql
create aggregate api.one_object (anyelement) (
  sfunc = private.count_row,
  stype = private.one_row,
  finalfunc = private.one_object_or_406
);
comment on aggregate api.one_object (anyelement) is 'Handler of application/vnd.rest.object+json.';
grant execute on function api.one_object(anyelement) to anon, authenticated;
