-- The SQL of the reports, as text, so that the planner can use an index for each condition. Each report writes its statement with one
-- format(), in private.<report>_statement() beside it in db/functions/api. The functions below return the parts. A part is an argument of
-- the next format(), never a format string itself. No part contains a client's text: field names are those of the filters' list, and values
-- are quoted literals of typed values. CONTRIBUTING.md, "To follow a request", shows how to explain a statement.
--
-- All reports count by the same rules, so two reports of one range never contradict each other. The page docs/data.md explains the rules.
-- * A transfer between accounts does not count.
-- * A failed transaction counts only if a filter on status accepts it, or if each status is a group.
-- * A line item with a category moves its part of the amount there, with the transaction's sign. The rest stays in the transaction's category.

-- Conditions

create or replace function private.context_condition(p_user_id text, p_organization_id text) returns text
  language plpgsql stable set search_path = ''
as $$
begin
  -- another user's or team's data is an error and not an empty result
  if p_user_id <> public.uid() or p_organization_id <> public.org_id() or (p_organization_id is not null and public.org_id() is null) then
    perform private.deny('transactions');
  end if;
  -- With a literal value, the planner would multiply the value's frequency with that of the row rule, as if they were independent. It would
  -- then read the table instead of the tenant's index.
  return case
    when p_organization_id is null then '(organization_id is null and user_id = (select private.personal_id()))'
    else '(organization_id = (select public.org_id()))'
  end;
end
$$;
comment on function private.context_condition(text, text) is
  'The condition for the rows of one context, as SQL text, for any table with the owner pair. It only narrows the result: the row rules apply in addition.';

create or replace function private.range_condition(p_field text, p_ranges anymultirange) returns text
  language sql stable set search_path = ''
  -- the body is a string, because PostgreSQL cannot parse an SQL-standard body with polymorphic parameters
as $$
  select case
    when isempty(p_ranges) then 'false'
    -- PostgreSQL searches a list of values by hash
    when (select bool_and(coalesce(lower(r) = upper(r), false)) from unnest(p_ranges) r) then format('%I = any (%L)', p_field, array(select lower(r) from unnest(p_ranges) r))
    when (select count(*) from unnest(p_ranges)) > 1 then format('%I::%s <@ %L::%s', p_field, pg_typeof(lower(p_ranges)), p_ranges, pg_typeof(p_ranges))
    -- two comparisons can use an index; quote_literal() returns null for a missing end, which concat_ws() ignores
    else coalesce(nullif(concat_ws(' and ',
      quote_ident(p_field) || case when lower_inc(p_ranges) then ' >= ' else ' > ' end || quote_literal(lower(p_ranges)),
      quote_ident(p_field) || case when upper_inc(p_ranges) then ' <= ' else ' < ' end || quote_literal(upper(p_ranges))), ''), 'true')
  end
$$;
comment on function private.range_condition(text, anymultirange) is 'The condition that a column is within ranges, as SQL text.';

create or replace function private.date_condition(p_moments tstzmultirange, p_days datemultirange) returns text
  language sql stable set search_path = ''
  return concat_ws(' and ',
    -- the first condition can use an index
    private.range_condition('transaction_date', tstzmultirange(private.moment_bounds(p_moments, p_days))),
    case when p_moments <> '{(,)}' or p_days <> '{(,)}' then
      format('case when booked_on is null then %s else %s end', private.range_condition('transaction_date', p_moments), private.range_condition('booked_on', p_days))
    end);
comment on function private.date_condition(tstzmultirange, datemultirange) is
  'The condition that a transaction is within some moments, or, if it has a booking day, that this day is within some days, as SQL text.';

create or replace function private.days_condition(p_days daterange) returns text
  language sql stable set search_path = ''
  return private.date_condition(private.moments(datemultirange(p_days)), datemultirange(p_days));
comment on function private.days_condition(daterange) is
  'The condition that a transaction is within some whole days, as SQL text: by its booking day, or by its moment in the request''s time zone.';

create or replace function private.filters_to_sql(p_filters jsonb) returns table (field text, condition text)
  language sql stable rows 1 set search_path = ''
begin atomic
  select c.field, case c.kind
      -- The subquery becomes one hash. A join would become single look-ups, because the planner does not know the size of a tenant.
      when 'tag' then format(
        '(id in (select transaction_id from api.transaction_tags where %s)) is %s true',
        case when c.texts is null then 'true' else format('tag_id = any (%L)', c.texts) end, case when c.is_negated then 'not' end)
      when 'search' then format('(name ~~* any (%1$L) or description ~~* any (%1$L) or reference_no ~~* any (%1$L))', c.texts)
      else format(case when c.takes_null then '(%1$I is null or %2$s)' else '(%1$I is not null and %2$s)' end, c.field, case c.kind
        when 'number' then private.range_condition(c.field, c.numbers)
        when 'date' then case c.field when 'transaction_date' then private.date_condition(c.moments, c.days) else private.range_condition(c.field, c.moments) end
        else format('%s %I %s any (%L)', case when c.is_negated then 'not' end, c.field, c.likeness, c.texts)
      end)
    end
  from private.parse_filters(p_filters) c;
end;
comment on function private.filters_to_sql(jsonb) is 'The filters as conditions on api.transactions that must all hold, as SQL text, each with its field.';

-- Conversion with the rates that the context has stored. A rate is two numbers: the amount is multiplied by the numerator and divided by
-- the denominator. So the inverse of a rate is exact, and the result is rounded once.

create or replace function private.refuse_missing_rate(p_currency text, p_convert_to text, p_day date) returns numeric
  language plpgsql stable set search_path = ''
as $$
begin
  perform private.invalid(
    format('no exchange rate from %s to %s on or before %s', p_currency, p_convert_to, to_char(p_day, 'YYYY-MM-DD')),
    'Store one in exchange_rates, of this context: of the two currencies in either direction, or of each with a third.');
end
$$;
comment on function private.refuse_missing_rate(text, text, date) is 'Raises 22023 (HTTP 400) for a missing exchange rate.';

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
  'A query for the latest rate of two currencies on or before a day, as SQL text. The currencies and the day are SQL expressions. The query searches both directions and prefers the direct rate if both have the same day.';

create or replace function private.exchange_rates(p_context text, p_pairs text, p_convert_to text) returns text
  language sql immutable set search_path = ''
  return format(
    $query$
      select wanted.currency, wanted.day,
        coalesce(known.numerator, through.numerator, private.refuse_missing_rate(wanted.currency, %1$L, wanted.day)) as numerator,
        coalesce(known.denominator, through.denominator) as denominator
      -- if several rates are missing, the error names the one of the first day
      from (select * from (select currency, day from (%2$s) as needed group by 1, 2 offset 0) as needed order by day, currency offset 0) as wanted
      left join lateral (
        (%3$s)
        union all
        select 1, 1, null where wanted.currency = %1$L
      ) as known on true
      left join lateral (
        -- Currencies that have rates with the source currency. The query looks up one distinct value after the other, because a pair may
        -- have a rate for each day.
        with recursive quotes (code) as (
          select (select min(quote) from api.exchange_rates where %4$s and base = wanted.currency) where known.numerator is null
          union all
          select (select min(quote) from api.exchange_rates where %4$s and base = wanted.currency and quote > quotes.code) from quotes where quotes.code is not null
        ), bases (code) as (
          select (select min(base) from api.exchange_rates where %4$s) where known.numerator is null
          union all
          select (select min(base) from api.exchange_rates where %4$s and base > bases.code) from bases where bases.code is not null
        )
        select one.numerator * other.numerator as numerator, one.denominator * other.denominator as denominator
        from (
          select code from quotes
          union
          -- one rate of each pair is enough, of possibly thousands
          select code from bases where (select true from api.exchange_rates where %4$s and base = bases.code and quote = wanted.currency limit 1)
        ) as common
        cross join lateral (%5$s) as one
        cross join lateral (%6$s) as other
        order by least(one.on_date, other.on_date) desc, common.code limit 1
      ) as through on true
    $query$,
    p_convert_to, p_pairs,
    private.latest_rate(p_context, 'wanted.currency', format('%L', p_convert_to), 'wanted.day'),
    p_context,
    private.latest_rate(p_context, 'wanted.currency', 'common.code', 'wanted.day'),
    private.latest_rate(p_context, 'common.code', format('%L', p_convert_to), 'wanted.day'));
comment on function private.exchange_rates(text, text, text) is
$$The rates of a report: (currency, day, numerator, denominator), as SQL text

`p_pairs` is a query of (currency, day). Each distinct pair is looked up once. The latest rate on or before the day applies, in either direction. If the two currencies have none, the rates of both with a third currency apply: of several such currencies the one whose older rate is the latest. Only the context's own rates are used. A missing rate is 400 with the pair and the day.

The amount times the numerator, divided by the denominator, is the amount in `p_convert_to`. private.converted() returns that expression.$$;

create or replace function private.converted(p_amount text, p_convert_to text) returns text
  language sql immutable set search_path = ''
  -- Numeric division rounds, and rounding twice may be wrong by a cent. So the amount is doubled, and div() returns the integer quotient. A
  -- denominator of 1 needs no division.
  return format('case when denominator = 1 then round(%1$s * numerator, %2$s) else sign(%1$s) * div(2 * abs(%1$s) * numerator * %3$s + denominator, 2 * denominator) * %4$s end',
    p_amount, least(private.currency_decimals(p_convert_to), 2),
    10 ^ least(private.currency_decimals(p_convert_to), 2), round(0.1 ^ least(private.currency_decimals(p_convert_to), 2), 2));
comment on function private.converted(text, text) is
  'The conversion of an amount by the columns numerator and denominator, as SQL text. p_amount is an SQL expression. The result is rounded half away from zero to the decimals of the currency, at most two.';

create or replace function private.converted_rows(p_rows text, p_context text, p_convert_to text) returns text
  language sql immutable set search_path = ''
  return case when p_convert_to is null then format('(%s) as counted', p_rows) else format(
    -- PostgreSQL estimates one row for a context, and would search all rates for each of a hundred thousand rows. A full join cannot be a
    -- nested loop; each row has a rate and each rate a row. The offset keeps outer conditions from turning it into an inner join.
    $query$
      (select day, status, %1$L as currency, transaction_currency, category_id, whole, %2$s as amount, count
      from (
        select parts.*, rates.numerator, rates.denominator
        from (select day, status, currency as transaction_currency, category_id, whole, amount, count from (%3$s) as unconverted) as parts
        full join (%4$s) as rates on rates.currency = parts.transaction_currency and rates.day = parts.day
        offset 0
      ) as rated) as counted
    $query$,
    p_convert_to, private.converted('amount', p_convert_to), p_rows,
    private.exchange_rates(p_context, format('select currency, day from (%s) as unconverted', p_rows), p_convert_to)) end;
comment on function private.converted_rows(text, text, text) is
  'The rows of a report as a relation in SQL text, for use after "from": converted to p_convert_to with the rates of the context, or unchanged if that is null.';

-- Amounts

create or replace function private.split_allocations(p_context text, p_condition text, p_of_category text, p_by_category boolean, p_are_many boolean) returns text
  language plpgsql immutable set search_path = ''
as $$
declare
  transactions constant text := format(
    'select id, coalesce(booked_on, transaction_date::date) as day, status, currency, category_id as own_category, amount as whole from api.transactions where %s and %s offset 0',
    case when p_are_many then 'true' else 'id = i.transaction_id' end, p_condition);
  items constant text := format(
    'select transaction_id, category_id, sum(abs(amount)) as part from api.line_items where %s and category_id is not null and amount <> 0 and %s group by 1, 2 offset 0',
    case when p_are_many then 'transaction_id = t.id' else 'true' end, p_context);
begin
  return format(
    $query$
      select day, status, currency, moved.category_id, whole, moved.amount, moved.count
      from (
        select t.*, i.category_id as part_category, sign(t.whole) * i.part as part, row_number() over one as place,
          first_value(i.category_id) over one as largest, sum(i.part) over one >= abs(t.whole) as is_all%1$s
        from %2$s
        where i.category_id is distinct from t.own_category
        window one as (partition by t.id order by i.part desc, i.category_id rows between unbounded preceding and unbounded following)
      ) as split
      -- If the items use up the amount, the largest part is the whole less the others. So the rounding of a conversion ends up there, and
      -- nothing remains in the transaction's own category.
      cross join lateral (select case when is_all and place = 1 then whole else part end as amount) as taken
      cross join lateral (values
        (part_category, taken.amount, %3$s),
        (case when is_all and place > 1 then largest else own_category end, -taken.amount, %4$s)
      ) as moved (category_id, amount, count)
      where %5$s
    $query$,
    case when not p_by_category then
      ', of_own.is_selected as is_own_selected, max(case when of_part.is_selected then i.category_id::text end) over one as selected_part' end,
    -- A few line items are read before their transactions. Many line items are read after them, so that only those of the range are read. The
    -- offsets enforce that order.
    case when p_are_many then format('(%s) as t cross join lateral (%s) as i', transactions, items)
      else format('(%s) as i cross join lateral (%s) as t', items, transactions) end
      || case when not p_by_category then format(
        ' cross join lateral (select (%1$s) as is_selected from (values (t.own_category)) as own (category_id)) as of_own
          cross join lateral (select (%1$s) as is_selected from (values (i.category_id)) as part (category_id)) as of_part', p_of_category) else '' end,
    -- Each category counts the transaction once. A report without groups counts it in its own row if the filter accepts the transaction's
    -- category. Otherwise one part counts it.
    case when p_by_category then '1' else 'case when part_category::text = selected_part and not is_own_selected then 1 else 0 end' end,
    case when p_by_category then 'case when is_all and place = 1 then -1 else 0 end'
      else 'case when is_all and place = 1 and is_own_selected and selected_part is null then -1 else 0 end' end,
    p_of_category);
end
$$;
comment on function private.split_allocations(text, text, text, boolean, boolean) is
  'The amounts that line items move from their transaction''s category to their own, as SQL text: two rows for each category of a transaction''s items. p_by_category: each category is a group. p_are_many: the context has many items with a category.';

create or replace function private.report_transactions(
  p_context text,
  p_filters jsonb default null,
  p_condition text default 'true',
  p_by_category boolean default false,
  p_by_status boolean default false,
  p_convert_to text default null
) returns text
  language plpgsql stable set search_path = ''
as $$
declare
  condition text;
  of_category text;
  of_status boolean;
  items integer;
  counted text;
begin
  select coalesce(string_agg(t.condition, ' and ') filter (where field <> 'category_id'), 'true'),
      string_agg(t.condition, ' and ') filter (where field = 'category_id'),
      coalesce(bool_or(field = 'status'), false)
    into condition, of_category, of_status
    from private.filters_to_sql(p_filters) t;
  condition := concat_ws(' and ', p_context, 'transfer_id is null', case when not (of_status or p_by_status) then $sql$status <> 'failed'$sql$ end,
    condition, p_condition);
  counted := format(
    'select coalesce(booked_on, transaction_date::date) as day, status, currency, category_id, amount as whole, amount, 1 as count from api.transactions where %s',
    concat_ws(' and ', condition, of_category));
  if p_by_category or of_category is not null then
    execute format('select count(*) from (select from api.line_items where %s and category_id is not null limit 1001) i', p_context) into items;
    if items > 0 then
      counted := concat_ws(' union all ', counted, private.split_allocations(p_context, condition, coalesce(of_category, 'true'), p_by_category, items > 1000));
    end if;
  end if;
  return private.converted_rows(counted, p_context, p_convert_to);
end
$$;
comment on function private.report_transactions(text, jsonb, text, boolean, boolean, text) is
$$The rows that a report adds up, as a relation in SQL text, for use after "from"

`p_context` is a result of private.context_condition(). `p_filters` are the client's filters. `p_condition` is a further condition on api.transactions, such as days or an account. `p_by_category`: the report groups by category, so a split transaction has several rows; a filter on category_id has the same effect. `p_by_status`: the report groups by status. `p_convert_to` is a result of private.target_currency().

Columns: `day` (the transaction's booking day, or the day of its moment in the request's time zone), `status`, `currency` (the target currency if converted), `category_id`, `amount`, `whole` (the transaction's full amount, whose sign distinguishes income and expense), `count`. A report adds up `amount` and `count`; `count` counts each transaction once in a group. The part of a line item is also a row with the negative amount in the transaction's category, so a group whose count is 0 is empty. If converted, `transaction_currency` is the original currency.

Without split transactions and without conversion the relation is the plain table, and a report reads only the index of a context.$$;

grant execute on function private.refuse_missing_rate(text, text, date), private.context_condition(text, text), private.range_condition(text, anymultirange), private.date_condition(tstzmultirange, datemultirange),
  private.days_condition(daterange), private.filters_to_sql(jsonb), private.latest_rate(text, text, text, text), private.exchange_rates(text, text, text),
  private.converted(text, text), private.converted_rows(text, text, text), private.split_allocations(text, text, text, boolean, boolean),
  private.report_transactions(text, jsonb, text, boolean, boolean, text) to authenticated;
