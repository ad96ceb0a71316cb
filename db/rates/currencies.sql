-- after: transactions/tables
-- Currencies: the codes of ISO 4217 that have decimals. Excluded are metals, bond units, units of account, and the
-- codes for tests and for no currency. Codes that were withdrawn since 2020 remain, because accounting data contains
-- older transactions.

create or replace function private.currency_codes() returns text[]
  language sql immutable parallel safe
  -- Nearly all rows have one of the first six, so these are compared first. Withdrawn: Cuba's convertible peso in
  -- 2021, the kuna in 2023, the old leone in 2024, Zimbabwe's dollar in 2024, the Antillean guilder in 2025, the lev
  -- in 2026.
  return '{
    usd, eur, gbp, chf, cad, aud,
    aed, afn, all, amd, aoa, ars, awg, azn, bam, bbd, bdt, bhd, bif, bmd, bnd, bob, bov, brl, bsd, btn, bwp, byn,
    bzd, cdf, che, chw, clf, clp, cny, cop, cou, crc, cup, cve, czk, djf, dkk, dop, dzd, egp, ern, etb, fjd, fkp,
    gel, ghs, gip, gmd, gnf, gtq, gyd, hkd, hnl, htg, huf, idr, ils, inr, iqd, irr, isk, jmd, jod, jpy, kes, kgs,
    khr, kmf, kpw, krw, kwd, kyd, kzt, lak, lbp, lkr, lrd, lsl, lyd, mad, mdl, mga, mkd, mmk, mnt, mop, mru, mur,
    mvr, mwk, mxn, mxv, myr, mzn, nad, ngn, nio, nok, npr, nzd, omr, pab, pen, pgk, php, pkr, pln, pyg, qar, ron,
    rsd, rub, rwf, sar, sbd, scr, sdg, sek, sgd, shp, sle, sos, srd, ssp, stn, svc, syp, szl, thb, tjs, tmt, tnd,
    top, try, ttd, twd, tzs, uah, ugx, usn, uyi, uyu, uyw, uzs, ved, ves, vnd, vuv, wst, xad, xaf, xcd, xcg, xof,
    xpf, yer, zar, zmw, zwg,
    cuc, hrk, sll, zwl, ang, bgn
  }'::text[];
comment on function private.currency_codes() is 'The supported currencies, in lower case, as they are stored.';

create or replace function private.is_currency(p_code text) returns boolean
  language sql immutable parallel safe
  return p_code = any (private.currency_codes());
comment on function private.is_currency(text) is 'Whether the currency is supported.';
grant execute on function private.currency_codes(), private.is_currency(text) to authenticated;

-- Regulations of the European Union fix these rates for ever. The product accepts hrk and bgn; the others are of rows
-- from its early versions.
create or replace function private.euro_rates() returns table (currency text, since date, rate numeric)
  language sql immutable parallel safe rows 24
begin atomic
  values
    ('ats', date '1999-01-01', 13.7603), ('bef', '1999-01-01', 40.3399), ('dem', '1999-01-01', 1.95583),
      ('esp', '1999-01-01', 166.386),
    ('fim', '1999-01-01', 5.94573), ('frf', '1999-01-01', 6.55957), ('iep', '1999-01-01', 0.787564),
    ('itl', '1999-01-01', 1936.27),
    ('luf', '1999-01-01', 40.3399), ('nlg', '1999-01-01', 2.20371), ('pte', '1999-01-01', 200.482),
    ('grd', '2001-01-01', 340.750),
    ('sit', '2007-01-01', 239.640), ('cyp', '2008-01-01', 0.585274), ('mtl', '2008-01-01', 0.429300),
    ('skk', '2009-01-01', 30.1260),
    ('eek', '2011-01-01', 15.6466), ('lvl', '2014-01-01', 0.702804), ('ltl', '2015-01-01', 3.45280),
    ('hrk', '2023-01-01', 7.53450),
    ('bgn', '2026-01-01', 1.95583);
end;
comment on function private.euro_rates() is
  'The currencies that the euro has replaced: since that day, one euro is always worth the rate in the currency.';
grant execute on function private.euro_rates() to authenticated;

create or replace function private.currency_decimals(p_currency text) returns integer
  language sql immutable parallel safe
  return case
    when p_currency in ('bif', 'clp', 'djf', 'gnf', 'isk', 'jpy', 'kmf', 'krw', 'pyg', 'rwf', 'ugx', 'uyi', 'vnd',
      'vuv', 'xaf', 'xof', 'xpf')
      then 0
    when p_currency in ('bhd', 'iqd', 'jod', 'kwd', 'lyd', 'omr', 'tnd') then 3
    when p_currency in ('clf', 'uyw') then 4
    else 2
  end;
comment on function private.currency_decimals(text) is
  'The number of decimals that ISO 4217 defines for a currency, given in lower case; 2 for an unknown code. Amounts '
  'are stored with two decimals.';
grant execute on function private.currency_decimals(text) to authenticated;

-- An amount is below 10^12 and stored with two decimals. Further decimals are rounded half away from zero, unless the
-- currency has them: then the amount is refused. The columns have no scale, because PostgREST converts a request to
-- the column's type: a trigger would see 1.23 instead of 1.234. The before_row() of each table checks and rounds the
-- amounts.
create or replace function private.fits_cents(p_amount numeric, p_currency text) returns boolean
  language sql immutable parallel safe
  -- decimals beyond those of the currency are floating-point noise
  return private.currency_decimals(p_currency) <= 2
    or round(p_amount, private.currency_decimals(p_currency)) = round(p_amount, 2);
comment on function private.fits_cents(numeric, text) is
  'Whether an amount keeps all decimals of its currency when it is stored with two decimals.';
grant execute on function private.fits_cents(numeric, text) to authenticated;

create or replace function private.parse_currency(
  p_currency text, p_rejection text default 'unknown currency %L'
) returns text
  language plpgsql stable set search_path = ''
as $$
begin
  if not private.is_currency(lower(p_currency)) then
    perform private.invalid(format(p_rejection, left(p_currency, 40)), 'Must be an ISO 4217 code, such as eur.');
  end if;
  return lower(p_currency);
end
$$;
comment on function private.parse_currency(text, text) is
  'Returns a currency parameter of a report in lower case; null if it is null. Raises 400 with the message '
  'p_rejection for an unknown code.';

create or replace function private.target_currency(p_convert_to text) returns text
  language sql stable set search_path = ''
  return private.parse_currency(p_convert_to, 'unknown currency in p_convert_to: %L');
comment on function private.target_currency(text) is
  'Returns the currency to which a report converts, in lower case; null for no conversion. Raises 400 for an '
  'unknown code.';

grant execute on function private.parse_currency(text, text), private.target_currency(text) to authenticated;

-- A plan from the time of few transactions would read all of them for each line item.
create or replace function private.currency_of_transaction(p_id uuid) returns text
  language sql stable set enable_seqscan = off
begin atomic
  select currency from api.transactions where id = p_id;
end;
comment on function private.currency_of_transaction(uuid) is 'The currency of a transaction that the caller sees.';
grant execute on function private.currency_of_transaction(uuid) to authenticated;
