-- What amounts of one currency are in another, by the rates that the context has stored. A rate is two numbers, by which an
-- amount is multiplied and divided: so the inverse of a rate is exact, and what is rounded is rounded once.

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

create or replace function private.refuse_missing_rate(p_currency text, p_convert_to text, p_day date) returns numeric
  language plpgsql stable set search_path = ''
as $$
begin
  perform private.invalid(
    format('no exchange rate from %s to %s on or before %s', p_currency, p_convert_to, to_char(p_day, 'YYYY-MM-DD')),
    'Store one in exchange_rates, of this context: of the two currencies in either direction, or of each with a third.');
end
$$;
comment on function private.refuse_missing_rate(text, text, date) is 'Raises 22023 (HTTP 400) where a rate is asked for and there is none.';

create or replace function private.latest_rate(p_context text, p_from text, p_to text, p_day text) returns text
  language sql immutable set search_path = ''
  return format(
    $query$
      select numerator, denominator, on_date
      from (
        (select rate as numerator, 1::numeric as denominator, on_date, 1 as turn
          from api.exchange_rates where %1$s and base = %2$s and quote = %3$s and on_date <= %4$s order by on_date desc limit 1)
        union all
        (select 1, rate, on_date, 2
          from api.exchange_rates where %1$s and base = %3$s and quote = %2$s and on_date <= %4$s order by on_date desc limit 1)
      ) as either
      order by on_date desc, turn limit 1
    $query$, p_context, p_from, p_to, p_day);
comment on function private.latest_rate(text, text, text, text) is
  'Of two currencies and a day, which are SQL expressions: the latest rate on or before it, as SQL text. In either direction; the direct one when both are of one day.';

create or replace function private.exchange_rates(p_context text, p_asked text, p_convert_to text) returns text
  language sql immutable set search_path = ''
  return format(
    $query$
      select asked.currency, asked.day,
        coalesce(known.numerator, through.numerator, private.refuse_missing_rate(asked.currency, %1$L, asked.day)) as numerator,
        coalesce(known.denominator, through.denominator) as denominator
      -- of several that are missing, the first day's is named
      from (select * from (select currency, day from (%2$s) as needed group by 1, 2 offset 0) as needed order by day, currency offset 0) as asked
      left join lateral (
        (%3$s)
        union all
        select 1, 1, null where asked.currency = %1$L
      ) as known on true
      left join lateral (
        -- Currencies that the one asked for has rates with. The distinct ones are looked up from one to the next, because a
        -- pair may have a rate for each day.
        with recursive quotes (code) as (
          select (select min(quote) from api.exchange_rates where %4$s and base = asked.currency) where known.numerator is null
          union all
          select (select min(quote) from api.exchange_rates where %4$s and base = asked.currency and quote > quotes.code) from quotes where quotes.code is not null
        ), bases (code) as (
          select (select min(base) from api.exchange_rates where %4$s) where known.numerator is null
          union all
          select (select min(base) from api.exchange_rates where %4$s and base > bases.code) from bases where bases.code is not null
        )
        select one.numerator * other.numerator as numerator, one.denominator * other.denominator as denominator
        from (
          select code from quotes
          union
          -- one is enough, of which there may be thousands
          select code from bases where (select true from api.exchange_rates where %4$s and base = bases.code and quote = asked.currency limit 1)
        ) as common
        cross join lateral (%5$s) as one
        cross join lateral (%6$s) as other
        order by least(one.on_date, other.on_date) desc, common.code limit 1
      ) as through on true
    $query$,
    p_convert_to, p_asked,
    private.latest_rate(p_context, 'asked.currency', format('%L', p_convert_to), 'asked.day'),
    p_context,
    private.latest_rate(p_context, 'asked.currency', 'common.code', 'asked.day'),
    private.latest_rate(p_context, 'common.code', format('%L', p_convert_to), 'asked.day'));
comment on function private.exchange_rates(text, text, text) is
$$What a report converts by: (currency, day, numerator, denominator), as SQL text

`p_asked` is a query of (currency, day), of which each distinct pair is looked up once. The latest rate on or before the day holds, in either direction; where the two currencies have none, the way through one common currency whose older leg is the youngest. Of the context's rates alone. A missing one is 400 and names pair and day.

An amount times the numerator, divided by the denominator, is the amount in `p_convert_to`; private.converted() writes that.$$;

create or replace function private.converted(p_amount text, p_convert_to text) returns text
  language sql immutable set search_path = ''
  -- numeric division is not exact, and a quotient that is rounded twice may be a cent off: so the whole quotient of twice as much
  -- is taken. A rate that is only multiplied by needs none.
  return format('case when denominator = 1 then round(%1$s * numerator, %2$s) else sign(%1$s) * div(2 * abs(%1$s) * numerator * %3$s + denominator, 2 * denominator) * %4$s end',
    p_amount, least(private.currency_decimals(p_convert_to), 2),
    10 ^ least(private.currency_decimals(p_convert_to), 2), round(0.1 ^ least(private.currency_decimals(p_convert_to), 2), 2));
comment on function private.converted(text, text) is
  'An amount, which is an SQL expression, at the rate (numerator, denominator) beside it, rounded half away from zero to the decimals of the currency, of which two are stored; as SQL text.';

grant execute on function private.target_currency(text), private.asked_currency(text, text), private.refuse_missing_rate(text, text, date), private.latest_rate(text, text, text, text),
  private.exchange_rates(text, text, text), private.converted(text, text) to authenticated;
