-- How many decimals a currency has. The codes are in db/rules/currencies.sql; this names those that have not two.

create or replace function private.currency_decimals(p_currency text) returns integer
  language sql immutable parallel safe
  return case
    when p_currency in ('bif', 'clp', 'djf', 'gnf', 'isk', 'jpy', 'kmf', 'krw', 'pyg', 'rwf', 'ugx', 'uyi', 'vnd', 'vuv', 'xaf', 'xof', 'xpf') then 0
    when p_currency in ('bhd', 'iqd', 'jod', 'kwd', 'lyd', 'omr', 'tnd') then 3
    when p_currency in ('clf', 'uyw') then 4
    else 2
  end;
comment on function private.currency_decimals(text) is
  'The decimals that ISO 4217 gives a currency, of which the code is in lower case; 2 for a code that is none. Amounts are stored with two.';
grant execute on function private.currency_decimals(text) to authenticated;

create or replace function private.fits_cents(p_amount numeric, p_currency text) returns boolean
  -- not SQL, which would be planned into a trigger's condition for each insert, also of amounts that are not asked
  language plpgsql immutable parallel safe set search_path = ''
as $$
declare
  decimals constant integer := private.currency_decimals(p_currency);
begin
  -- what is beyond the decimals of the currency is the noise of floating-point numbers
  return decimals <= 2 or round(p_amount, decimals) = round(p_amount, 2);
end
$$;
comment on function private.fits_cents(numeric, text) is 'Whether an amount, stored with two decimals, keeps those that its currency has.';
grant execute on function private.fits_cents(numeric, text) to authenticated;

create or replace function private.known_currencies() returns setof text
  language sql stable security definer set search_path = ''
begin atomic
  select code from private.currencies;
end;
comment on function private.known_currencies() is 'The currencies that a row may be of.';
grant execute on function private.known_currencies() to authenticated;
