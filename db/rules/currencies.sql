-- The currencies that a row may be of: each code of ISO 4217 that has decimals, which leaves out metals, bond units, the
-- IMF's and other units of account, the code for tests and the one for none. Codes that ended since 2020 are kept,
-- because books reach back. How many decimals a code has is in db/functions/private/currencies.sql.

comment on table private.currencies is 'Currencies of ISO 4217: what a row may be of.';
comment on column private.currencies.code is 'In lower case, as it is stored.';
comment on column private.currencies.decimals is 'How many ISO 4217 gives its amounts. Of amounts two are stored at most.';

delete from private.currencies;
insert into private.currencies (code, decimals)
  select code, private.currency_decimals(code)
  from unnest(string_to_array(
    'aed afn all amd aoa ars aud awg azn bam bbd bdt bhd bif bmd bnd bob bov brl bsd btn bwp byn bzd cad cdf che chf chw clf clp cny '
    'cop cou crc cup cve czk djf dkk dop dzd egp ern etb eur fjd fkp gbp gel ghs gip gmd gnf gtq gyd hkd hnl htg huf idr ils inr iqd '
    'irr isk jmd jod jpy kes kgs khr kmf kpw krw kwd kyd kzt lak lbp lkr lrd lsl lyd mad mdl mga mkd mmk mnt mop mru mur mvr mwk mxn '
    'mxv myr mzn nad ngn nio nok npr nzd omr pab pen pgk php pkr pln pyg qar ron rsd rub rwf sar sbd scr sdg sek sgd shp sle sos srd '
    'ssp stn svc syp szl thb tjs tmt tnd top try ttd twd tzs uah ugx usd usn uyi uyu uyw uzs ved ves vnd vuv wst xad xaf xcd xcg xof '
    'xpf yer zar zmw zwg '
    -- ended: Cuba's convertible peso in 2021, the kuna in 2023, the leone of before in 2024, Zimbabwe's dollar in 2024, the
    -- Antillean guilder in 2025, the lev in 2026
    'cuc hrk sll zwl ang bgn', ' ')) as code;
