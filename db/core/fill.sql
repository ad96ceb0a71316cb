-- after: core/reset
-- The SQL text that functions put together has holes with names: `where {context} and month < {first_month}`.

create or replace function private.fill(p_template text, variadic p_parts text[]) returns text
  language plpgsql immutable parallel safe set search_path = ''
as $$
declare
  parts constant jsonb := jsonb_object(p_parts);
  filled text := split_part(p_template, '{', 1);
  piece text;
  name text;
  part text;
begin
  -- A part is never read again, so it may contain braces.
  foreach piece in array (string_to_array(p_template, '{'))[2:] loop
    name := split_part(piece, '}', 1);
    part := parts ->> name;
    if part is not null then
      filled := filled || part || substr(piece, length(name) + 2);
    elsif name ~ '^[a-z_]+$' then
      raise exception 'the hole {%} has no part', name;
    else
      -- the brace of an array or of JSON
      filled := filled || '{' || piece;
    end if;
  end loop;
  return filled;
end
$$;
comment on function private.fill(text, text[]) is
  'SQL text with a part in each hole {name}. The parts are names and values in turn. A part is SQL: values are '
  'quoted with quote_literal() or quote_nullable(), and names with quote_ident().';
grant execute on function private.fill(text, text[]) to authenticated;
