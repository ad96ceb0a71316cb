-- JSON keeps 1e131000 in a few bytes and prints it with 131,001 digits, so what is printed of a caller's JSON may be ten
-- thousand times as long as what was sent. Whoever prints any of it (::text, ->>, #>>) asks here first.

create or replace function private.plain_numbers(p_json jsonb) returns boolean
  language plpgsql immutable strict parallel safe set search_path = ''
as $$
declare
  -- strict, because lax mode would visit the elements of an array twice; as one array, because PostgreSQL takes the square
  -- of the time to return what it found row by row
  numbers constant jsonb := jsonb_path_query_array(p_json, 'strict $.** ? (@.type() == "number")');
  number numeric;
begin
  -- a loop, because for the few numbers that most JSON has, a query takes three times as long
  for place in 0 .. jsonb_array_length(numbers) - 1 loop
    number := numbers -> place;
    -- scale() tells of 0e-16380, which is equal to 0
    if scale(number) > 50 or abs(number) >= 1e30 then
      return false;
    end if;
  end loop;
  return true;
end
$$;
comment on function private.plain_numbers(jsonb) is
  'Whether every number in it, however deep, is below 1e30 and has at most 50 decimal places, and so prints about as long as it was sent.';

create or replace function private.require_plain_numbers(p_json jsonb, p_name text) returns void
  language plpgsql immutable set search_path = ''
as $$
begin
  if not private.plain_numbers(p_json) then
    perform private.invalid(format('a number in %s does not fit', p_name), 'Numbers in JSON are below 1e30 and have up to 50 decimal places.');
  end if;
end
$$;
comment on function private.require_plain_numbers(jsonb, text) is 'Answers 400 when a number of what a caller sent would print at length; the name is of where it stood.';
grant execute on function private.plain_numbers(jsonb), private.require_plain_numbers(jsonb, text) to authenticated;
