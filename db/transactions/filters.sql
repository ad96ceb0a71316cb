-- after: transactions/tables
-- Filters that clients send as data. Only this file defines their meaning: it converts each filter to typed
-- conditions on a row. The API function get_filtered_transactions() evaluates them for each row as it comes, so that
-- it can stop after enough rows. The reports read every row of a context, and evaluation by row would take about
-- twice the time. So report_rows.sql writes the same conditions as SQL text.
--
-- A date filter has two conditions. A transaction with a booking day (booked_on) is compared with `days`, which do
-- not depend on the time zone. Any other transaction is compared with `moments`. A booking day counts as its
-- midnight.

create or replace function private.filter_literal(p_kind text, p_value jsonb, p_name text) returns text
  language plpgsql stable set search_path = ''
as $$
declare
  given constant text := p_value #>> '{}';
  literal text;
begin
  literal := case
    when p_kind = 'number' and jsonb_typeof(p_value) in ('number', 'string')
      and given ~ '^-?[0-9]{1,15}([.][0-9]{1,10})?$' then given
    when p_kind = 'id' and jsonb_typeof(p_value) = 'string'
      and given ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then lower(given)
    when p_kind = 'date' and jsonb_typeof(p_value) = 'string' then private.to_moment(given, p_name)::text
    when p_kind = 'text' and jsonb_typeof(p_value) in ('string', 'number') and char_length(given) <= 1000 then given
  end;
  if literal is null then
    perform private.invalid(
      format('%s is not valid: %s', p_name, coalesce(quote_literal(left(given, 40)), 'null')),
      case p_kind
        when 'number' then 'Must be a number, such as 12.50.'
        when 'id' then 'Must be an ID, such as 3f1c1a5e-8f0e-4f52-9c0b-6a3d2f7e9b10.'
        when 'date' then 'Must be a date as YYYY-MM-DD, an ISO 8601 date-time, or a date range preset.'
        else 'Must be text of up to 1000 characters.'
      end);
  end if;
  return literal;
end
$$;
comment on function private.filter_literal(text, jsonb, text) is
  'Checks a filter value and returns it as the text of its type. Raises 400 for any other value.';

create or replace function private.filter_ranges(
  p_operation text, p_values text[], p_includes_day boolean
) returns text[]
  language sql immutable set search_path = ''
begin atomic
  with written as (
    select at, case
        when p_operation in ('eq', 'in') then '[' || quoted || ',' || quoted || ']'
        when p_operation = 'neq' then '(,' || quoted || '),(' || quoted || ',)'
        when p_operation = 'gt' then '(' || quoted || ',)'
        when p_operation in ('gte', 'from') or p_operation = 'between' and at = 1 then '[' || quoted || ',)'
        when p_operation = 'lt' or p_includes_day then '(,' || quoted || ')'
        else '(,' || quoted || ']'
      end as range
    from unnest(p_values) with ordinality as v (value, at)
    cross join lateral (select '"' || value || '"' as quoted) q
  )
  -- between has two ranges that must both hold; for any other operation one of the ranges is enough
  select array_agg(ranges order by at)
  from (
    select min(at) as at, '{' || string_agg(range, ',') || '}' as ranges
    from written
    group by case when p_operation = 'between' then at end
  ) r;
end;
comment on function private.filter_ranges(text, text[], boolean) is
  'The values that an operation accepts, as texts of multiranges that must all hold. p_includes_day: the upper end '
  'is the day after the day that the client named.';

create or replace function private.moments(p_days datemultirange) returns tstzmultirange
  language sql stable set search_path = ''
  return (
    select coalesce(range_agg(tstzrange(lower(days)::timestamptz, upper(days)::timestamptz)), '{}')
    from unnest(p_days) as days);
comment on function private.moments(datemultirange) is 'The moments of some days, in the request''s time zone.';

create or replace function private.days_of(p_midnights tsmultirange) returns datemultirange
  language sql immutable set search_path = ''
  return (
    select coalesce(range_agg(daterange(
      case when lower_inc(r) then (lower(r) + interval '1 day' - interval '1 microsecond')::date
        else lower(r)::date + 1 end,
      case when upper_inc(r) then upper(r)::date + 1
        else (upper(r) + interval '1 day' - interval '1 microsecond')::date end)),
      '{}')
    from unnest(p_midnights) as r);
comment on function private.days_of(tsmultirange) is 'The days whose midnight is within some ranges.';

create or replace function private.moment_bounds(p_moments tstzmultirange, p_days datemultirange) returns tstzrange
  language sql immutable set search_path = ''
  -- a day begins 14 hours before UTC's in the east, and ends 12 hours after it in the west
  return range_merge(p_moments + case when isempty(p_days) then tstzmultirange() else tstzmultirange(tstzrange(
    lower(p_days)::timestamp at time zone 'UTC' - interval '14 hours',
    upper(p_days)::timestamp at time zone 'UTC' + interval '12 hours')) end);
comment on function private.moment_bounds(tstzmultirange, datemultirange) is
  'The range of transaction_date that contains every transaction within some moments, or with a booking day within '
  'some days.';

create or replace function private.filter_kind(p_filter jsonb) returns text
  language plpgsql stable set search_path = ''
as $$
declare
  fields constant jsonb := '{
    "amount": "number", "transaction_date": "date", "created_at": "date", "updated_at": "date", "id": "id",
    "category_id": "id", "account_id": "id", "tag": "tag", "search": "search", "name": "text", "description": "text",
    "currency": "text", "status": "text", "source": "text", "reference_no": "text", "external_id": "text",
    "user_id": "text", "organization_id": "text"}'::jsonb;
  operations constant jsonb := '{
    "number": ["eq", "neq", "gt", "gte", "lt", "lte", "in", "from", "to", "between", "is_null"],
    "date": ["eq", "neq", "gt", "gte", "lt", "lte", "in", "from", "to", "between", "is_null"],
    "id": ["eq", "neq", "in", "is_null"],
    "text": ["eq", "neq", "like", "ilike", "in", "is_null"],
    "tag": ["eq", "neq", "in", "is_null"],
    "search": ["eq", "ilike", "contains"]}'::jsonb;
  field constant text := p_filter ->> 'field';
  operation constant text := p_filter ->> 'operation';
  kind constant text := fields ->> field;
begin
  if jsonb_typeof(p_filter) is distinct from 'object' or p_filter - array['field', 'operation', 'value'] <> '{}' then
    perform private.invalid('a filter must be an object',
      'Must have field, operation and value, such as {"field": "amount", "operation": "gt", "value": 50}.');
  end if;
  if kind is null or jsonb_typeof(p_filter -> 'field') <> 'string' then
    perform private.invalid(
      format('unknown filter field %s', coalesce(quote_literal(left(field, 40)), 'null')),
      'Valid fields: ' || (select string_agg(f, ', ' order by f) from jsonb_object_keys(fields) f) || '.');
  end if;
  if operation is null or jsonb_typeof(p_filter -> 'operation') <> 'string' or not operations -> kind ? operation then
    perform private.invalid(
      format('unknown operation %s for %s', coalesce(quote_literal(left(operation, 40)), 'null'), field),
      format('Valid operations for %s: %s.', field,
        (select string_agg(o, ', ') from jsonb_array_elements_text(operations -> kind) o)));
  end if;
  return kind;
end
$$;
comment on function private.filter_kind(jsonb) is
  'The kind of a filter''s field: number, date, id, text, tag or search. Raises 400 for an unknown field, and for an '
  'operation that the field does not have.';

create or replace function private.filter_texts(p_filter jsonb, p_kind text, p_is_pattern boolean, p_name text)
  returns text[]
  language plpgsql stable set search_path = ''
as $$
declare
  operation constant text := p_filter ->> 'operation';
  value constant jsonb := p_filter -> 'value';
  given constant text := p_filter ->> 'value';
  texts text[];
begin
  if operation in ('in', 'between')
    and (jsonb_typeof(value) is distinct from 'array' or jsonb_array_length(value) not between 1 and 1000
      or (operation = 'between' and jsonb_array_length(value) <> 2)) then
    perform private.invalid(p_name || ' is not valid',
      case operation
        when 'in' then 'Must be an array of 1 to 1000 values.'
        else 'Must be an array of two values: from and to.'
      end);
  end if;
  if p_is_pattern and (jsonb_typeof(value) is distinct from 'string' or right(given, 1) = '\') then
    perform private.invalid(p_name || ' is not valid', 'Must be a text pattern, in which * stands for any characters.');
  end if;
  texts := array(
    select private.filter_literal(case when p_kind in ('tag', 'search') then 'text' else p_kind end,
      case when p_is_pattern then to_jsonb(replace(given, '*', '%')) else element end, p_name)
    from jsonb_array_elements(
      case when operation in ('in', 'between') then value else jsonb_build_array(value) end
    ) with ordinality as e (element, at)
    order by at);
  return case
    when p_kind = 'tag' then array(
      select g.id::text
      from api.tags g
      where normalize(g.name, nfc) = any (array(select normalize(text, nfc) from unnest(texts) as t (text))))
    -- currencies are stored in lower case
    when p_filter ->> 'field' = 'currency' then array(
      select lower(text) from unnest(texts) with ordinality as t (text, at) order by at)
    when p_kind = 'search' then array[private.search_pattern(texts[1])]
    else texts
  end;
end
$$;
comment on function private.filter_texts(jsonb, text, boolean, text) is
  'The values of a filter as texts of their types; of tags the ids. Raises 400 for a value that does not fit.';

create or replace function private.filter_days(p_operation text, p_preset daterange) returns datemultirange
  language sql immutable set search_path = ''
  return case
    when p_operation in ('eq', 'in', 'between') then datemultirange(p_preset)
    when p_operation in ('gte', 'from') then datemultirange(daterange(lower(p_preset), null))
    when p_operation in ('lte', 'to') then datemultirange(daterange(null, upper(p_preset)))
    when p_operation = 'neq' then datemultirange(daterange(null, null)) - datemultirange(p_preset)
    when p_operation = 'gt' and upper(p_preset) is not null then datemultirange(daterange(upper(p_preset), null))
    when p_operation = 'lt' and lower(p_preset) is not null then datemultirange(daterange(null, lower(p_preset)))
    else '{}'
  end;
comment on function private.filter_days(text, daterange) is
  'The days that an operation accepts with a preset, which is a range of days: equal means within it, greater means '
  'after it; all_time has no ends.';

create or replace function private.filter_conditions(p_filter jsonb)
  returns table (
    field text, kind text, numbers nummultirange, moments tstzmultirange, days datemultirange, likeness text,
    texts text[], is_negated boolean, takes_null boolean)
  language plpgsql stable rows 1 set search_path = ''
as $$
declare
  operation constant text := p_filter ->> 'operation';
  value constant jsonb := p_filter -> 'value';
  given constant text := p_filter ->> 'value';
  name constant text := format('the value of %s %s', left(p_filter ->> 'field', 40), left(operation, 40));
  includes_day boolean;
  midnights text[];
begin
  kind := private.filter_kind(p_filter);
  field := p_filter ->> 'field';
  likeness := case when kind <> 'text' then '=' when operation = 'like' then '~~' when operation = 'ilike' then '~~*'
    else '=' end;
  is_negated := operation = 'neq';
  takes_null := operation = 'neq';
  if operation = 'is_null' then
    if coalesce(jsonb_typeof(value), 'null') not in ('null', 'boolean') then
      perform private.invalid(name || ' is not valid', 'Must be true or false.');
    end if;
    takes_null := coalesce(given, 'true') = 'true';
    -- is_null true accepts only null, and is_null false accepts every other value
    numbers := case when takes_null then '{}' else '{(,)}' end::nummultirange;
    moments := case when takes_null then '{}' else '{(,)}' end::tstzmultirange;
    days := case when takes_null then '{}' else '{(,)}' end::datemultirange;
    -- null texts stand for any tag: is_null true accepts a transaction without any tag
    texts := case when kind <> 'tag' then '{}'::text[] end;
    is_negated := takes_null = (kind = 'tag');
    return next;
    return;
  end if;

  if kind = 'date' and jsonb_typeof(value) = 'string' and given = any (private.presets()) then
    days := private.filter_days(operation, private.preset_range(given));
    moments := private.moments(days);
    return next;
    return;
  end if;

  texts := private.filter_texts(p_filter, kind, likeness <> '=', name);
  if kind in ('id', 'text', 'tag', 'search') then
    return next;
    return;
  end if;
  -- a range end that is written as a date includes that day
  includes_day := kind = 'date' and operation in ('to', 'between')
    and coalesce(value ->> 1, given) ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$';
  -- a day does not depend on the time zone; a moment is compared with the midnight in the request's time zone
  midnights := case when kind = 'date' then array(
    select case when element ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' then element
      else (texts[at]::timestamptz::timestamp)::text end
    from jsonb_array_elements_text(
      case when operation in ('in', 'between') then value else jsonb_build_array(value) end
    ) with ordinality as e (element, at)
    order by at) end;
  if includes_day then
    texts[cardinality(texts)] := (texts[cardinality(texts)]::timestamptz::date + 1)::timestamptz;
    midnights[cardinality(midnights)] := midnights[cardinality(midnights)]::date + 1;
  end if;
  if operation = 'between' and (case kind
      when 'number' then texts[1]::numeric > texts[2]::numeric
      else texts[1]::timestamptz > texts[2]::timestamptz
        or includes_day and texts[1]::timestamptz = texts[2]::timestamptz
    end) then
    perform private.invalid(format('the range of %s starts after it ends', name), 'Swap them.');
  end if;
  for numbers, moments, days in
    select case kind when 'number' then range::nummultirange end, case kind when 'date' then range::tstzmultirange end,
      private.days_of(midnight::tsmultirange)
    from unnest(private.filter_ranges(operation, texts, includes_day),
      private.filter_ranges(operation, midnights, includes_day)) as r (range, midnight)
  loop
    return next;
  end loop;
end
$$;
comment on function private.filter_conditions(jsonb) is
  E'Converts a filter to typed conditions that must all hold. Raises 400 for an invalid filter\n\n'
  '`kind` decides which column has the accepted values. Number: `numbers`. Date: `moments`, and `days` for a '
  'transaction with a booking day. Id and text: `texts`, of which one must match by the operator `likeness`, or none '
  'if `is_negated`. Tag: `texts` are the ids of the caller''s tags with these names; the transaction must have one of '
  'them, or none if `is_negated`; null is any tag. Search: `texts` is a pattern for LIKE that private.search_text() '
  'must match. `takes_null` says whether null passes.';

create or replace function private.parse_filters(p_filters jsonb)
  returns table (
    field text, kind text, numbers nummultirange, moments tstzmultirange, days datemultirange, likeness text,
    texts text[], is_negated boolean, takes_null boolean)
  language plpgsql stable rows 1 set search_path = ''
as $$
declare
  -- PostgREST reads the value of a GET as text
  filters constant jsonb := case
    when jsonb_typeof(p_filters) = 'string' and p_filters #>> '{}' like '[%' then (p_filters #>> '{}')::jsonb
    else p_filters
  end;
begin
  if coalesce(jsonb_typeof(filters), 'null') = 'null' then
    return;
  end if;
  perform private.require_plain_numbers(filters, 'filters');
  if jsonb_typeof(filters) <> 'array' or jsonb_array_length(filters) > 50 then
    perform private.invalid('filters must be an array of up to 50 filters',
      'Each must have field, operation and value, such as {"field": "amount", "operation": "gt", "value": 50}.');
  end if;
  return query select c.*
    from jsonb_array_elements(filters) as filter
    cross join lateral private.filter_conditions(filter) as c;
end
$$;
comment on function private.parse_filters(jsonb) is 'All filters as typed conditions; no rows without filters.';

create or replace function private.text_of(t api.transactions, field text) returns text
  language sql immutable parallel safe
  return case field
    when 'id' then t.id::text
    when 'category_id' then t.category_id::text
    when 'account_id' then t.account_id::text
    when 'name' then t.name
    when 'description' then t.description
    when 'currency' then t.currency
    when 'status' then t.status
    when 'source' then t.source
    when 'reference_no' then t.reference_no
    when 'external_id' then t.external_id
    when 'user_id' then t.user_id
    when 'organization_id' then t.organization_id
  end;
comment on function private.text_of(api.transactions, text) is
  'The value of a field of a transaction as text, for the comparison with conditions.';

grant execute on function private.filter_literal(text, jsonb, text), private.filter_ranges(text, text[], boolean),
  private.filter_kind(jsonb), private.filter_texts(jsonb, text, boolean, text), private.filter_days(text, daterange),
  private.moments(datemultirange), private.days_of(tsmultirange), private.moment_bounds(tstzmultirange, datemultirange),
  private.filter_conditions(jsonb), private.parse_filters(jsonb),
  private.text_of(api.transactions, text) to authenticated;
