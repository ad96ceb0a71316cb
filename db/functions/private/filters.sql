-- Filters that clients send as data. Only this file defines their meaning: it converts each filter to typed conditions on a row. The API
-- function get_filtered_transactions() evaluates them for each row as it comes, so that it can stop after enough rows. The reports read
-- every row of a context, and evaluation by row would take about twice the time. So reports.sql writes the same conditions as SQL text.
--
-- A date filter has two conditions. A transaction with a booking day (booked_on) is compared with `days`, which do not depend on the time
-- zone. Any other transaction is compared with `moments`. A booking day counts as its midnight.

create or replace function private.filter_literal(p_kind text, p_value jsonb, p_name text) returns text
  language plpgsql stable set search_path = ''
as $$
declare
  given constant text := p_value #>> '{}';
begin
  if p_kind = 'number' and jsonb_typeof(p_value) in ('number', 'string') and given ~ '^-?[0-9]{1,15}([.][0-9]{1,10})?$' then
    return given;
  elsif p_kind = 'id' and jsonb_typeof(p_value) = 'string' and given ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    return lower(given);
  elsif p_kind = 'date' and jsonb_typeof(p_value) = 'string' then
    return private.to_moment(given, p_name);
  elsif p_kind = 'text' and jsonb_typeof(p_value) in ('string', 'number') and char_length(given) <= 1000 then
    return given;
  end if;
  perform private.invalid(
    format('%s does not fit: %s', p_name, coalesce(quote_literal(left(given, 40)), 'null')),
    case p_kind
      when 'number' then 'It takes a number, such as 12.50.'
      when 'id' then 'It takes an id, such as 3f1c1a5e-8f0e-4f52-9c0b-6a3d2f7e9b10.'
      when 'date' then 'It takes a date as YYYY-MM-DD, an ISO 8601 date-time, or a date range preset.'
      else 'It takes a text of up to 1000 characters.'
    end);
end
$$;
comment on function private.filter_literal(text, jsonb, text) is 'Checks a filter value and returns it as the text of its type. Raises 400 for any other value.';

create or replace function private.filter_ranges(p_operation text, p_values text[], p_includes_day boolean) returns text[]
  language sql immutable set search_path = ''
begin atomic
  with written as (
    select at, format(
      case
        when p_operation in ('eq', 'in') then '["%1$s","%1$s"]'
        when p_operation = 'neq' then '(,"%1$s"),("%1$s",)'
        when p_operation = 'gt' then '("%1$s",)'
        when p_operation in ('gte', 'from') or p_operation = 'between' and at = 1 then '["%1$s",)'
        when p_operation = 'lt' or p_includes_day then '(,"%1$s")'
        else '(,"%1$s"]'
      end, value) as range
    from unnest(p_values) with ordinality as v (value, at)
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
  'The values that an operation accepts, as texts of multiranges that must all hold. p_includes_day: the upper end is the day after the day that the client named.';

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
      case when lower_inc(r) then (lower(r) + interval '1 day' - interval '1 microsecond')::date else lower(r)::date + 1 end,
      case when upper_inc(r) then upper(r)::date + 1 else (upper(r) + interval '1 day' - interval '1 microsecond')::date end)), '{}')
    from unnest(p_midnights) as r);
comment on function private.days_of(tsmultirange) is 'The days whose midnight is within some ranges.';

create or replace function private.moment_bounds(p_moments tstzmultirange, p_days datemultirange) returns tstzrange
  language sql immutable set search_path = ''
  -- a day begins 14 hours before UTC's in the east, and ends 12 hours after it in the west
  return range_merge(p_moments + case when isempty(p_days) then tstzmultirange() else tstzmultirange(tstzrange(
    lower(p_days)::timestamp at time zone 'UTC' - interval '14 hours', upper(p_days)::timestamp at time zone 'UTC' + interval '12 hours')) end);
comment on function private.moment_bounds(tstzmultirange, datemultirange) is
  'The range of transaction_date that contains every transaction within some moments, or with a booking day within some days.';

create or replace function private.filter_conditions(p_filter jsonb)
  returns table (
    field text, kind text, numbers nummultirange, moments tstzmultirange, days datemultirange, likeness text, texts text[], is_negated boolean, takes_null boolean)
  language plpgsql stable rows 1 set search_path = ''
as $$
declare
  fields constant jsonb := '{
    "amount": "number", "transaction_date": "date", "created_at": "date", "updated_at": "date", "id": "id", "category_id": "id",
    "account_id": "id", "tag": "tag", "search": "search", "name": "text", "description": "text", "currency": "text", "status": "text", "source": "text", "reference_no": "text",
    "external_id": "text", "user_id": "text", "organization_id": "text"}';
  operations constant jsonb := '{
    "number": ["eq", "neq", "gt", "gte", "lt", "lte", "in", "from", "to", "between", "is_null"],
    "date": ["eq", "neq", "gt", "gte", "lt", "lte", "in", "from", "to", "between", "is_null"],
    "id": ["eq", "neq", "in", "is_null"],
    "text": ["eq", "neq", "like", "ilike", "in", "is_null"],
    "tag": ["eq", "neq", "in", "is_null"],
    "search": ["eq", "ilike", "contains"]}';
  operation constant text := p_filter ->> 'operation';
  value constant jsonb := p_filter -> 'value';
  given constant text := p_filter ->> 'value';
  name text;
  preset daterange;
  includes_day boolean;
  midnights text[];
begin
  field := p_filter ->> 'field';
  name := format('the value of %s %s', left(field, 40), left(operation, 40));
  if jsonb_typeof(p_filter) is distinct from 'object' or p_filter - array['field', 'operation', 'value'] <> '{}' then
    perform private.invalid('a filter is an object', 'It has field, operation and value, such as {"field": "amount", "operation": "gt", "value": 50}.');
  end if;
  kind := fields ->> field;
  if kind is null or jsonb_typeof(p_filter -> 'field') <> 'string' then
    perform private.invalid(
      format('unknown filter field %s', coalesce(quote_literal(left(field, 40)), 'null')),
      'Fields are ' || (select string_agg(f, ', ' order by f) from jsonb_object_keys(fields) f) || '.');
  end if;
  if operation is null or jsonb_typeof(p_filter -> 'operation') <> 'string' or not operations -> kind ? operation then
    perform private.invalid(
      format('unknown operation %s for %s', coalesce(quote_literal(left(operation, 40)), 'null'), field),
      format('Operations for %s are %s.', field, (select string_agg(o, ', ') from jsonb_array_elements_text(operations -> kind) o)));
  end if;
  likeness := '=';
  is_negated := operation = 'neq';
  takes_null := operation = 'neq';

  if operation = 'is_null' then
    if coalesce(jsonb_typeof(value), 'null') not in ('null', 'boolean') then
      perform private.invalid(name || ' does not fit', 'It takes true or false.');
    end if;
    takes_null := coalesce(given, 'true') = 'true';
    -- is_null true accepts only null, and is_null false accepts every other value
    numbers := case when takes_null then '{}' else '{(,)}' end;
    moments := case when takes_null then '{}' else '{(,)}' end;
    days := case when takes_null then '{}' else '{(,)}' end;
    -- null texts stand for any tag: is_null true accepts a transaction without any tag
    texts := case when kind <> 'tag' then '{}'::text[] end;
    is_negated := takes_null = (kind = 'tag');
    return next;
    return;
  end if;

  -- a preset is a range of days: equal means within it, greater means after it; all_time has no ends
  if kind = 'date' and jsonb_typeof(value) = 'string' and given = any (private.presets()) then
    preset := private.preset_range(given);
    days := case
      when operation in ('eq', 'in', 'between') then datemultirange(preset)
      when operation in ('gte', 'from') then datemultirange(daterange(lower(preset), null))
      when operation in ('lte', 'to') then datemultirange(daterange(null, upper(preset)))
      when operation = 'neq' then datemultirange(daterange(null, null)) - datemultirange(preset)
      when operation = 'gt' and upper(preset) is not null then datemultirange(daterange(upper(preset), null))
      when operation = 'lt' and lower(preset) is not null then datemultirange(daterange(null, lower(preset)))
      else '{}'
    end;
    moments := private.moments(days);
    return next;
    return;
  end if;

  if operation in ('in', 'between')
    and (jsonb_typeof(value) is distinct from 'array' or jsonb_array_length(value) not between 1 and 1000
      or (operation = 'between' and jsonb_array_length(value) <> 2)) then
    perform private.invalid(name || ' does not fit',
      case operation when 'in' then 'It takes an array of 1 to 1000 values.' else 'It takes an array of two values: from and to.' end);
  end if;
  if operation in ('like', 'ilike') and kind = 'text' then
    if jsonb_typeof(value) is distinct from 'string' or right(given, 1) = '\' then
      perform private.invalid(name || ' does not fit', 'It takes a text pattern; * stands for any characters.');
    end if;
    likeness := case operation when 'like' then '~~' else '~~*' end;
  end if;
  texts := array(
    select private.filter_literal(case when kind in ('tag', 'search') then 'text' else kind end, case when likeness = '=' then element else to_jsonb(replace(given, '*', '%')) end, name)
    from jsonb_array_elements(case when operation in ('in', 'between') then value else jsonb_build_array(value) end) with ordinality as e (element, at)
    order by at);
  if kind = 'tag' then
    texts := array(select g.id::text from api.tags g where g.name = any (texts));
  elsif field = 'currency' then
    -- currencies are stored in lower case
    texts := array(select lower(text) from unnest(texts) with ordinality as t (text, at) order by at);
  elsif kind = 'search' then
    texts := array[private.search_pattern(texts[1])];
  end if;
  if kind in ('id', 'text', 'tag', 'search') then
    return next;
    return;
  end if;
  -- a range end that is written as a date includes that day
  includes_day := kind = 'date' and operation in ('to', 'between')
    and coalesce(value ->> 1, given) ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$';
  -- a day does not depend on the time zone; a moment is compared with the midnight in the request's time zone
  midnights := case when kind = 'date' then array(
    select case when element ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' then element else (texts[at]::timestamptz::timestamp)::text end
    from jsonb_array_elements_text(case when operation in ('in', 'between') then value else jsonb_build_array(value) end) with ordinality as e (element, at)
    order by at) end;
  if includes_day then
    texts[cardinality(texts)] := (texts[cardinality(texts)]::timestamptz::date + 1)::timestamptz;
    midnights[cardinality(midnights)] := midnights[cardinality(midnights)]::date + 1;
  end if;
  for numbers, moments, days in
    select case kind when 'number' then range::nummultirange end, case kind when 'date' then range::tstzmultirange end, private.days_of(midnight::tsmultirange)
    from unnest(private.filter_ranges(operation, texts, includes_day), private.filter_ranges(operation, midnights, includes_day)) as r (range, midnight)
  loop
    return next;
  end loop;
end
$$;
comment on function private.filter_conditions(jsonb) is
$$Converts a filter to typed conditions that must all hold. Raises 400 for an invalid filter

`kind` decides which column has the accepted values. Number: `numbers`. Date: `moments`, and `days` for a transaction with a booking day. Id and text: `texts`, of which one must match by the operator `likeness`, or none if `is_negated`. Tag: `texts` are the ids of the caller's tags with these names; the transaction must have one of them, or none if `is_negated`; null is any tag. Search: `texts` is a pattern for LIKE that private.search_text() must match. `takes_null` says whether null passes.$$;

create or replace function private.parse_filters(p_filters jsonb)
  returns table (
    field text, kind text, numbers nummultirange, moments tstzmultirange, days datemultirange, likeness text, texts text[], is_negated boolean, takes_null boolean)
  language plpgsql stable rows 1 set search_path = ''
as $$
declare
  -- PostgREST reads the value of a GET as text
  filters constant jsonb := case when jsonb_typeof(p_filters) = 'string' and p_filters #>> '{}' like '[%' then (p_filters #>> '{}')::jsonb else p_filters end;
begin
  if coalesce(jsonb_typeof(filters), 'null') = 'null' then
    return;
  end if;
  perform private.require_plain_numbers(filters, 'filters');
  if jsonb_typeof(filters) <> 'array' or jsonb_array_length(filters) > 50 then
    perform private.invalid('filters are an array of up to 50 filters',
      'Each has field, operation and value, such as {"field": "amount", "operation": "gt", "value": 50}.');
  end if;
  return query select c.* from jsonb_array_elements(filters) as filter cross join lateral private.filter_conditions(filter) as c;
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
comment on function private.text_of(api.transactions, text) is 'The value of a field of a transaction as text, for the comparison with conditions.';

grant execute on function private.filter_literal(text, jsonb, text), private.filter_ranges(text, text[], boolean), private.moments(datemultirange), private.days_of(tsmultirange), private.moment_bounds(tstzmultirange, datemultirange),
  private.filter_conditions(jsonb), private.parse_filters(jsonb), private.text_of(api.transactions, text) to authenticated;
