-- Currencies: the codes of ISO 4217 that have decimals. Metals, bond units, units of account, the code for tests and the one for none have
-- none. Codes that ended since 2020 stay, because books reach back.

create or replace function private.currency_codes() returns text[]
  language sql immutable parallel safe
  -- Nearly every row is of one of the first six, so they are compared first. Ended: Cuba's convertible peso in 2021, the kuna in 2023,
  -- the leone of before in 2024, Zimbabwe's dollar in 2024, the Antillean guilder in 2025, the lev in 2026.
  return '{
    usd, eur, gbp, chf, cad, aud,
    aed, afn, all, amd, aoa, ars, awg, azn, bam, bbd, bdt, bhd, bif, bmd, bnd, bob, bov, brl, bsd, btn, bwp, byn, bzd, cdf,
    che, chw, clf, clp, cny, cop, cou, crc, cup, cve, czk, djf, dkk, dop, dzd, egp, ern, etb, fjd, fkp, gel, ghs, gip, gmd,
    gnf, gtq, gyd, hkd, hnl, htg, huf, idr, ils, inr, iqd, irr, isk, jmd, jod, jpy, kes, kgs, khr, kmf, kpw, krw, kwd, kyd,
    kzt, lak, lbp, lkr, lrd, lsl, lyd, mad, mdl, mga, mkd, mmk, mnt, mop, mru, mur, mvr, mwk, mxn, mxv, myr, mzn, nad, ngn,
    nio, nok, npr, nzd, omr, pab, pen, pgk, php, pkr, pln, pyg, qar, ron, rsd, rub, rwf, sar, sbd, scr, sdg, sek, sgd, shp,
    sle, sos, srd, ssp, stn, svc, syp, szl, thb, tjs, tmt, tnd, top, try, ttd, twd, tzs, uah, ugx, usn, uyi, uyu, uyw, uzs,
    ved, ves, vnd, vuv, wst, xad, xaf, xcd, xcg, xof, xpf, yer, zar, zmw, zwg,
    cuc, hrk, sll, zwl, ang, bgn
  }'::text[];
comment on function private.currency_codes() is 'The currencies that a row may be of, in lower case, as they are stored.';

create or replace function private.is_currency(p_code text) returns boolean
  language sql immutable parallel safe
  return p_code = any (private.currency_codes());
comment on function private.is_currency(text) is 'Whether a row may be of this currency.';
grant execute on function private.currency_codes(), private.is_currency(text) to authenticated;

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

-- An amount is below 10^12 and stored with two decimals; more are rounded half away from zero, unless they are decimals of its currency.
-- The columns have no scale of their own, because PostgREST reads a request into the type of the column: a trigger would see 1.23
-- where 1.234 was sent. Each table's before_row() in db/rules keeps its amounts so.
create or replace function private.fits_cents(p_amount numeric, p_currency text) returns boolean
  language sql immutable parallel safe
  -- what is beyond the decimals of the currency is the noise of floating-point numbers
  return private.currency_decimals(p_currency) <= 2 or round(p_amount, private.currency_decimals(p_currency)) = round(p_amount, 2);
comment on function private.fits_cents(numeric, text) is 'Whether an amount, stored with two decimals, keeps those that its currency has.';
grant execute on function private.fits_cents(numeric, text) to authenticated;

create or replace function private.asked_currency(p_currency text, p_refusal text default 'there is no currency %L') returns text
  language plpgsql stable set search_path = ''
as $$
begin
  if not private.is_currency(lower(p_currency)) then
    perform private.invalid(format(p_refusal, left(p_currency, 40)), 'It takes a code of ISO 4217, such as eur.');
  end if;
  return lower(p_currency);
end
$$;
comment on function private.asked_currency(text, text) is
  'The currency that a report is asked for, in lower case; null is each; a code that is not known is 400, in the words of p_refusal.';

create or replace function private.target_currency(p_convert_to text) returns text
  language sql stable set search_path = ''
  return private.asked_currency(p_convert_to, 'p_convert_to is no currency: %L');
comment on function private.target_currency(text) is 'The currency that a report is to convert to, in lower case; null is none; a code that is not known is 400.';

grant execute on function private.asked_currency(text, text), private.target_currency(text) to authenticated;

-- A plan made while there were few transactions would read all of them for each line item.
create or replace function private.currency_of_transaction(p_id uuid) returns text
  language sql stable set enable_seqscan = off
begin atomic
  select currency from api.transactions where id = p_id;
end;
comment on function private.currency_of_transaction(uuid) is 'The currency of a transaction that the caller sees.';
grant execute on function private.currency_of_transaction(uuid) to authenticated;
