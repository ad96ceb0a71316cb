-- after: core
-- The structure of a dashboard's JSON. Constraints call the function, so it returns only true or false.

create or replace function private.is_layout(p_layout jsonb) returns boolean
  language sql immutable parallel safe set search_path = ''
begin atomic
  select case
    when jsonb_typeof(p_layout) is distinct from 'object'
      or jsonb_typeof(p_layout -> 'widgets') is distinct from 'array'
      then false
    else not exists (
      select from jsonb_array_elements(p_layout -> 'widgets') as widget
      where jsonb_typeof(widget) is distinct from 'object'
        or jsonb_typeof(widget -> 'id') is distinct from 'string' or widget ->> 'id' = ''
        or jsonb_typeof(widget -> 'type') is distinct from 'string' or widget ->> 'type' = ''
        or jsonb_typeof(widget -> 'position') is distinct from 'object'
        or jsonb_typeof(widget -> 'position' -> 'x') is distinct from 'number'
        or jsonb_typeof(widget -> 'position' -> 'y') is distinct from 'number'
        or jsonb_typeof(widget -> 'size') is distinct from 'object'
        or jsonb_typeof(widget -> 'size' -> 'w') is distinct from 'number'
        or jsonb_typeof(widget -> 'size' -> 'h') is distinct from 'number'
        or (widget -> 'position' -> 'x')::numeric < 0 or (widget -> 'position' -> 'y')::numeric < 0
        or (widget -> 'size' -> 'w')::numeric <= 0 or (widget -> 'size' -> 'h')::numeric <= 0
    )
  end;
end;
comment on function private.is_layout(jsonb) is
  'Whether the JSON is an object with `widgets`: an array of objects with id, type, position {x, y} and size {w, '
  'h}.';
grant execute on function private.is_layout(jsonb) to authenticated;
