-- `Accept: application/vnd.rest.object+json`. PostgREST finds a handler for a media type as an aggregate of an exposed
-- schema that returns a domain of that name. Its two parts are in functions/private/object_media_type.sql.

create or replace aggregate api.one_object (anyelement) (
  sfunc = private.count_row,
  stype = private.one_row,
  finalfunc = private.one_object_or_406
);
comment on aggregate api.one_object (anyelement) is 'Handler of application/vnd.rest.object+json.';
grant execute on function api.one_object(anyelement) to anon, authenticated;
