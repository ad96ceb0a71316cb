-- after: core/tables
-- The media type `application/vnd.rest.object+json`. Its handler is an aggregate in an exposed schema. PostgREST
-- finds it by its return type, a domain with the name of the media type.

create or replace function private.count_row(kept private.one_row, next_row anyelement) returns private.one_row
  language plpgsql immutable parallel safe set search_path = ''
as $$
begin
  if kept is null then
    return row(1::bigint, to_json(next_row));
  end if;
  -- more than one row is refused, so the other rows are only counted
  return row(kept.seen + 1, kept.first);
end
$$;
comment on function private.count_row(private.one_row, anyelement) is 'Keeps the first row and counts the others.';

create or replace function private.one_object_or_406(kept private.one_row)
  returns private."application/vnd.rest.object+json"
  language plpgsql immutable parallel safe set search_path = ''
as $$
begin
  if kept.seen = 1 then
    return kept.first;
  end if;
  -- the same text as PostgREST 12 returns for its own object media type
  raise sqlstate 'PGRST' using
    message = json_build_object(
      'code', 'PGRST116',
      'message', 'JSON object requested, multiple (or no) rows returned',
      'details', format('The result contains %s rows', coalesce(kept.seen, 0)),
      'hint', null)::text,
    detail = '{"status": 406, "headers": {}}';
end
$$;
comment on function private.one_object_or_406(private.one_row) is
  'Returns the object, or raises 406 PGRST116 if there are no rows or several.';

create or replace aggregate api.one_object (anyelement) (
  sfunc = private.count_row,
  stype = private.one_row,
  finalfunc = private.one_object_or_406
);
comment on aggregate api.one_object (anyelement) is 'Handler of the media type application/vnd.rest.object+json.';
grant execute on function api.one_object(anyelement) to anon, authenticated;
