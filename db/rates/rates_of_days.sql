-- after: core/fill, rates/currencies, rates/tables
-- The exchange rates of reports and balances. A rate is two numbers: the amount is multiplied by the numerator and
-- divided by the denominator. So the inverse of a rate is exact, and the result is rounded once.
--
-- A report of fifteen years needs the rates of thousands of days. One look-up for each day would take longer than the
-- report. So the rates of a pair and the days are sorted together, and each day gets the rate before it.

create or replace function private.own_rates(p_context text, p_from text, p_to text, p_days date[])
  returns table (day date, numerator numeric, denominator numeric, on_date date)
  language plpgsql stable set search_path = ''
as $$
begin
  return query execute private.fill(
    $query$
      with known as (
        -- the direct rate comes after the inverse of the same day, and so applies
        select on_date, 1 as turn, rate as numerator, 1::numeric as denominator
        from api.exchange_rates
        where {context} and base = $1 and quote = $2 and on_date <= $3
        union all
        select on_date, 0, 1, rate
        from api.exchange_rates
        where {context} and base = $2 and quote = $1 and on_date <= $3
      ), steps as (
        select s.*, count(s.numerator) over (order by s.day, s.turn rows unbounded preceding) as step
        from (
          select on_date as day, known.* from known union all select wanted, null, 2, null, null from unnest($4) wanted
        ) s
      ), dated as (
        select d.day, d.turn, first_value(d.numerator) over one as numerator,
          first_value(d.denominator) over one as denominator,
          first_value(d.on_date) over one as on_date
        from steps d
        window one as (partition by d.step order by d.day, d.turn)
      )
      select d.day, d.numerator, d.denominator, d.on_date from dated d where d.turn = 2 and d.numerator is not null
    $query$, 'context', p_context)
    using p_from, p_to, (select max(d) from unnest(p_days) d), p_days;
end
$$;
comment on function private.own_rates(text, text, text, date[]) is
  'The latest rates that a context has stored for two currencies, in either direction, on or before each of the '
  'days. A day without a rate has no row.';

-- A currency that is no longer published has no rate: its last one would be wrong without a word. A day after today
-- has today's rate.
create or replace function private.instance_rates_on(p_currency text, p_days date[])
  returns table (day date, rate numeric, on_date date)
  language sql stable security definer set search_path = ''
begin atomic
  with steps as (
    select s.*, count(s.rate) over (order by s.day, s.is_wanted rows unbounded preceding) as step
    from (
      select r.on_date as day, false as is_wanted, r.rate, r.on_date
      from private.instance_rates r
      where r.currency = p_currency and r.on_date <= (select max(d) from unnest(p_days) d)
      union all
      -- with names, because PostgreSQL prints a null without one differently after a restore
      select d, true, null::numeric as rate, null::date as on_date from unnest(p_days) d
    ) s
  ), dated as (
    select d.day, d.is_wanted, first_value(d.rate) over one as rate, first_value(d.on_date) over one as on_date
    from steps d
    window one as (partition by d.step order by d.day, d.is_wanted)
  )
  select d.day, d.rate, d.on_date from dated d where d.is_wanted and d.on_date >= least(d.day, current_date) - 31
  union all
  -- the published rates are those of one euro
  select d, 1, d from unnest(p_days) d where p_currency = 'eur';
end;
comment on function private.instance_rates_on(text, date[]) is
  'The latest rates of the instance for one euro in a currency, on or before each of the days and at most 31 days '
  'old. A day without a rate has no row.';

create or replace function private.leg_rates(p_context text, p_from text, p_to text, p_is_own boolean, p_days date[])
  returns table (day date, numerator numeric, denominator numeric, on_date date)
  language plpgsql stable set search_path = ''
as $$
begin
  if p_is_own then
    return query select * from private.own_rates(p_context, p_from, p_to, p_days);
  else
    return query
      select f.day, t.rate, f.rate, least(f.on_date, t.on_date)
      from private.instance_rates_on(p_from, p_days) f join private.instance_rates_on(p_to, p_days) t on t.day = f.day;
  end if;
end
$$;
comment on function private.leg_rates(text, text, text, boolean, date[]) is
  'The rates of two currencies on each of the days: those of the context in p_context, or with p_is_own false those '
  'of the instance.';

create or replace function private.path_rates(
  p_context text, p_from text, p_via text, p_to text, p_is_first_own boolean, p_is_second_own boolean, p_days date[]
)
  returns table (day date, numerator numeric, denominator numeric, on_date date)
  language plpgsql stable set search_path = ''
as $$
begin
  return query
    select one.day, one.numerator * other.numerator, one.denominator * other.denominator,
      least(one.on_date, other.on_date)
    from private.leg_rates(p_context, p_from, p_via, p_is_first_own, p_days) one
    join private.leg_rates(p_context, p_via, p_to, p_is_second_own, p_days) other on other.day = one.day;
end
$$;
comment on function private.path_rates(text, text, text, text, boolean, boolean, date[]) is
  'The rates of two currencies through a third one on each of the days. on_date is the day of the older rate.';

create or replace function private.rates_of_days(p_context text, p_currencies text[], p_days date[], p_convert_to text)
  returns table (currency text, day date, numerator numeric, denominator numeric)
  language plpgsql stable set search_path = ''
as $$
#variable_conflict use_column
declare
  pairs text[];
  one record;
  target text;
  missing date[];
  found_days date[];
  numerators numeric[];
  denominators numeric[];
begin
  execute format('select coalesce(array_agg(distinct base || quote), ''{}'') from api.exchange_rates where %s',
    p_context)
    into pairs;
  for one in
    -- an amount of a currency that the euro has replaced is converted as an amount of euros
    select u.currency as given, case when f.rate is null then u.currency else 'eur' end as currency,
      coalesce(f.rate, 1) as per_euro,
      case when t.rate is null then p_convert_to else 'eur' end as target, coalesce(t.rate, 1) as target_per_euro,
      array_agg(u.day order by u.day) as days
    from unnest(p_currencies, p_days) u (currency, day)
    left join private.euro_rates() f on f.currency = u.currency and f.since <= u.day
    left join private.euro_rates() t on t.currency = p_convert_to and t.since <= u.day
    group by u.currency, f.rate, t.rate
  loop
    missing := one.days;
    target := one.target;
    if one.given = p_convert_to then
      return query select one.given, d, 1::numeric, 1::numeric from unnest(missing) d;
      continue;
    elsif one.currency = target then
      return query select one.given, d, one.target_per_euro, one.per_euro from unnest(missing) d;
      continue;
    end if;
    for step in 1..4 loop
      with partners as (
        -- the other currency of each pair
        select case when p.pair like c.code || '%' then right(p.pair, 3) else left(p.pair, 3) end as via, c.code
        from unnest(pairs) p (pair)
        join (values (one.currency), (target)) c (code) on c.code in (left(p.pair, 3), right(p.pair, 3))
      ), ways as (
        select p.via, true as is_first_own, true as is_second_own
        from partners p
        where step = 2 and p.code = one.currency
        intersect
        select p.via, true, true from partners p where p.code = target
        union
        select p.via, p.code = one.currency, p.code <> one.currency
        from partners p
        where step = 4 and p.via not in (one.currency, target)
      ), rates as (
        select l.*, null as via from private.leg_rates(p_context, one.currency, target, true, missing) l
          where step = 1 and array[one.currency || target, target || one.currency] && pairs
        union all
        select l.*, null from private.leg_rates(p_context, one.currency, target, false, missing) l where step = 3
        union all
        select l.*, w.via from ways w cross join lateral
          private.path_rates(p_context, one.currency, w.via, target, w.is_first_own, w.is_second_own, missing) l
      ), best as (
        select distinct on (r.day) r.day, r.numerator, r.denominator from rates r order by r.day, r.on_date desc, r.via
      )
      select coalesce(array_agg(b.day), '{}'), array_agg(b.numerator), array_agg(b.denominator)
      into found_days, numerators, denominators
      from best b;
      return query select one.given, u.day, u.numerator * one.target_per_euro, u.denominator * one.per_euro
        from unnest(found_days, numerators, denominators) u (day, numerator, denominator);
      missing := array(select unnest(missing) except select unnest(found_days));
      exit when missing = '{}';
    end loop;
    return query select one.given, d, null::numeric, null::numeric from unnest(missing) d;
  end loop;
end
$$;
comment on function private.rates_of_days(text, text[], date[], text) is
  E'The rates of a report: currency and day as in the two arrays, with numerator and denominator, which are null '
  'for a missing rate\n\n'
  'Since the day on which the euro replaced a currency, its amounts count as euros at the fixed rate of '
  'private.euro_rates(). Between the euro and another currency, the first of these that exists applies, each on or '
  'before the day:\n'
  '1. the context''s own rate of the two currencies, in either direction;\n'
  '2. its own rates of both with a third currency: of several such currencies the one whose older rate is the '
  'latest;\n'
  '3. the instance''s rates of both with the euro;\n'
  '4. an own rate of one of them with a third currency, and the instance''s rates of that and the other.';

create or replace function private.exchange_rates(p_context text, p_pairs text, p_convert_to text) returns text
  language sql immutable set search_path = ''
  return private.fill(
    $query$
      select r.*
      from (
        select array_agg(currency) as currencies, array_agg(day) as days
        from (select currency, day from ({pairs}) as needed group by 1, 2 offset 0) as pairs
      ) as wanted
      cross join lateral private.rates_of_days({quoted_context}, wanted.currencies, wanted.days, {target}) as r
    $query$,
    'pairs', p_pairs,
    'quoted_context', quote_literal(p_context),
    'target', quote_literal(p_convert_to));
comment on function private.exchange_rates(text, text, text) is
  E'The rates of a report: (currency, day, numerator, denominator), as SQL text\n\n'
  '`p_pairs` is a query of (currency, day). Each distinct pair is looked up once, by private.rates_of_days(). A '
  'missing rate is null.\n\n'
  'The amount times the numerator, divided by the denominator, is the amount in `p_convert_to`. private.converted() '
  'returns that expression; it is null for a missing rate.';

create or replace function private.converted(p_amount text, p_convert_to text) returns text
  language sql immutable set search_path = ''
  -- Numeric division rounds, and rounding twice may be wrong by a cent. So the amount is doubled, and div() returns
  -- the integer quotient. A denominator of 1 needs no division.
  return private.fill(
    $sql$
      case when denominator = 1 then round({amount} * numerator, {decimals})
        else sign({amount}) * div(2 * abs({amount}) * numerator * {units} + denominator, 2 * denominator) * {unit} end
    $sql$,
    'amount', p_amount,
    'decimals', least(private.currency_decimals(p_convert_to), 2)::text,
    'units', (10 ^ least(private.currency_decimals(p_convert_to), 2))::text,
    'unit', round(0.1 ^ least(private.currency_decimals(p_convert_to), 2), 2)::text);
comment on function private.converted(text, text) is
  'The conversion of an amount by the columns numerator and denominator, as SQL text. p_amount is an SQL '
  'expression. The result is rounded half away from zero to the decimals of the currency, at most two.';

grant execute on function private.own_rates(text, text, text, date[]), private.instance_rates_on(text, date[]),
  private.leg_rates(text, text, text, boolean, date[]),
  private.path_rates(text, text, text, text, boolean, boolean, date[]),
  private.rates_of_days(text, text[], date[], text), private.exchange_rates(text, text, text),
  private.converted(text, text) to authenticated;
