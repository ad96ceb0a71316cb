-- after: core/reset
-- JSON stores 1e131000 in a few bytes and prints it with 131,001 digits. So the printed form of a caller's JSON may
-- be ten thousand times as long as the request. Code that prints a caller's JSON (::text, ->>, #>>) must call one of
-- these functions first.

create or replace function private.plain_numbers(p_json jsonb) returns boolean
  language plpgsql immutable strict parallel safe set search_path = ''
as $$
declare
  -- strict, because lax mode visits the elements of an array twice. The result is one array, because returning single
  -- rows takes PostgreSQL quadratic time.
  numbers constant jsonb := jsonb_path_query_array(p_json, 'strict $.** ? (@.type() == "number")');
  number numeric;
begin
  -- a loop, because a query takes three times as long for the few numbers of typical JSON
  for place in 0 .. jsonb_array_length(numbers) - 1 loop
    number := (numbers -> place)::numeric;
    -- scale() finds numbers such as 0e-16380, which equal 0
    if scale(number) > 50 or abs(number) >= 1e30 then
      return false;
    end if;
  end loop;
  return true;
end
$$;
comment on function private.plain_numbers(jsonb) is
  'Whether every number in the JSON, at any depth, is below 1e30 and has at most 50 decimal places. Such numbers '
  'print about as long as they were sent.';

create or replace function private.require_plain_numbers(p_json jsonb, p_name text) returns void
  language plpgsql immutable set search_path = ''
as $$
begin
  if not private.plain_numbers(p_json) then
    perform private.invalid(format('a number in %s is out of range', p_name),
      'Numbers in JSON must be below 1e30 and have up to 50 decimal places.');
  end if;
end
$$;
comment on function private.require_plain_numbers(jsonb, text) is
  'Raises 400 for JSON with a number that would print at length. p_name is the name of the parameter in the message.';
grant execute on function private.plain_numbers(jsonb), private.require_plain_numbers(jsonb, text) to authenticated;
