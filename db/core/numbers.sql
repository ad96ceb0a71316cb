-- after: core/dates
-- Amounts in a caller's rows and arguments. PostgreSQL 16 and later also read `0x10` and `1_000` as numbers, so the
-- same request would store another row than at PostgreSQL 15. PostgREST passes the value of a column with one of
-- these domain types to the function that casts JSON to the type. Responses need no cast. Filters have none, because
-- PostgREST would use a cast from text also for eq(any), which takes an array. The edge checks them (edge/query.ts).

create or replace function private.read_number(p_text text) returns numeric
  language plpgsql immutable strict parallel safe set search_path = ''
as $$
begin
  -- before_row() of the table refuses NaN and Infinity by the name of the column
  if pg_catalog.btrim(p_text) !~* '^([-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)(e[-+]?[0-9]+)?|nan|[-+]?inf(inity)?)$' then
    raise invalid_text_representation using message = pg_catalog.format('invalid input syntax for type numeric: "%s"',
      pg_catalog.left(p_text, 40)),
      hint = 'Use a decimal point and no thousands separator, such as 1234.50.';
  end if;
  return p_text::numeric;
end
$$;
comment on function private.read_number(text) is
  'Reads a number that a caller sent. Raises 400 with the expected form if it is malformed.';

create or replace function private.read_amount(p_value json) returns private.amount
  language sql immutable parallel safe
  return private.read_number(private.sent_text(p_value));
create or replace function private.read_opening_balance(p_value json) returns private.opening_balance
  language sql immutable parallel safe
  return private.read_number(private.sent_text(p_value));
create or replace function private.read_quantity(p_value json) returns private.quantity
  language sql immutable parallel safe
  return private.read_number(private.sent_text(p_value));
create or replace function private.read_rate(p_value json) returns private.rate
  language sql immutable parallel safe
  return private.read_number(private.sent_text(p_value));
comment on function private.read_amount(json) is 'Reads an amount that a caller sent. Called by PostgREST.';
comment on function private.read_opening_balance(json) is
  'Reads an opening balance that a caller sent. Called by PostgREST.';
comment on function private.read_quantity(json) is 'Reads a quantity that a caller sent. Called by PostgREST.';
comment on function private.read_rate(json) is 'Reads an exchange rate that a caller sent. Called by PostgREST.';

-- PostgREST uses only implicit casts. PostgreSQL itself ignores casts to a domain, and warns about them.
drop cast if exists (json as private.amount);
create cast (json as private.amount) with function private.read_amount(json) as implicit;
comment on cast (json as private.amount) is 'Reads an amount for PostgREST.';
drop cast if exists (json as private.opening_balance);
create cast (json as private.opening_balance) with function private.read_opening_balance(json) as implicit;
comment on cast (json as private.opening_balance) is 'Reads an opening balance for PostgREST.';
drop cast if exists (json as private.quantity);
create cast (json as private.quantity) with function private.read_quantity(json) as implicit;
comment on cast (json as private.quantity) is 'Reads a quantity for PostgREST.';
drop cast if exists (json as private.rate);
create cast (json as private.rate) with function private.read_rate(json) as implicit;
comment on cast (json as private.rate) is 'Reads an exchange rate for PostgREST.';

-- PostgREST only uses a cast that its own login may execute, and calls it as the caller
grant execute on function private.read_amount(json), private.read_opening_balance(json), private.read_quantity(json),
  private.read_rate(json) to authenticator, authenticated;
grant execute on function private.read_number(text) to authenticated;
