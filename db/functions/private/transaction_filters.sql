-- Filters that clients send as data, made into a condition on api.transactions.
--
-- The condition is SQL text, because only then can the planner use an index for it. Nothing of what was sent becomes part
-- of that text as it is: fields and operators are chosen from the lists here, and a value is checked for its type and
-- then written as a quoted literal.

create or replace function private.filter_literal(p_kind text, p_value jsonb, p_name text) returns text
  language plpgsql stable set search_path = ''
as $$
declare
  given constant text := p_value #>> '{}';
begin
  if p_kind = 'number' and jsonb_typeof(p_value) in ('number', 'string') and given ~ '^-?[0-9]{1,15}([.][0-9]{1,10})?$' then
    return format('%L::numeric', given);
  elsif p_kind = 'id' and jsonb_typeof(p_value) = 'string' and given ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    return format('%L::uuid', given);
  elsif p_kind = 'date' and jsonb_typeof(p_value) = 'string' then
    return format('%L::timestamptz', private.to_moment(given, p_name));
  elsif p_kind = 'text' and jsonb_typeof(p_value) in ('string', 'number') and char_length(given) <= 1000 then
    return format('%L::text', given);
  end if;
  perform private.invalid(
    format('%s does not fit: %s', p_name, coalesce(quote_literal(left(given, 40)), 'null')),
    case p_kind
      when 'number' then 'It takes a number, such as 12.50.'
      when 'id' then 'It takes a uuid.'
      when 'date' then 'It takes a date as YYYY-MM-DD, an ISO 8601 date-time, or a date range preset.'
      else 'It takes a text of up to 1000 characters.'
    end);
end
$$;
comment on function private.filter_literal(text, jsonb, text) is 'A checked value as a typed, quoted SQL literal; anything else is 400.';

create or replace function private.filter_day_after(p_value jsonb, p_name text) returns text
  language sql stable set search_path = ''
  -- the end of a range that is written as a date includes that day
  return case
    when p_value #>> '{}' ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'
      then format('< %L::timestamptz', (private.to_moment(p_value #>> '{}', p_name)::date + 1)::timestamptz)
    else '<= ' || private.filter_literal('date', p_value, p_name)
  end;
comment on function private.filter_day_after(jsonb, text) is 'The upper end of a range of moments: a date is included as a whole day.';

create or replace function private.days_condition(p_field text, p_days daterange) returns text
  language sql stable set search_path = ''
  -- quote_literal of an end that is not there is null, which concat_ws leaves out
  return coalesce(nullif(concat_ws(' and ',
    quote_ident(p_field) || ' >= ' || quote_literal(lower(p_days)::timestamptz) || '::timestamptz',
    quote_ident(p_field) || ' < ' || quote_literal(upper(p_days)::timestamptz) || '::timestamptz'), ''), 'true');
comment on function private.days_condition(text, daterange) is 'That a moment is within some whole days.';

create or replace function private.filter_condition(p_filter jsonb) returns text
  language plpgsql stable set search_path = ''
as $$
declare
  fields constant jsonb := '{
    "amount": "number", "transaction_date": "date", "created_at": "date", "updated_at": "date", "id": "id", "category_id": "id",
    "name": "text", "description": "text", "currency": "text", "status": "text", "source": "text", "reference_no": "text",
    "external_id": "text", "user_id": "text", "organization_id": "text"}';
  operations constant jsonb := '{
    "number": ["eq", "neq", "gt", "gte", "lt", "lte", "in", "from", "to", "between", "is_null"],
    "date": ["eq", "neq", "gt", "gte", "lt", "lte", "in", "from", "to", "between", "is_null"],
    "id": ["eq", "neq", "in", "is_null"],
    "text": ["eq", "neq", "like", "ilike", "in", "is_null"]}';
  field constant text := p_filter ->> 'field';
  operation constant text := p_filter ->> 'operation';
  value constant jsonb := p_filter -> 'value';
  given constant text := p_filter ->> 'value';
  kind text;
  name constant text := format('the value of %s %s', left(field, 40), left(operation, 40));
  days daterange;
  comparison text;
begin
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

  if operation = 'is_null' then
    if coalesce(jsonb_typeof(value), 'null') not in ('null', 'boolean') then
      perform private.invalid(name || ' does not fit', 'It takes true or false.');
    end if;
    return format('%I is %s', field, case when coalesce(given, 'true') = 'true' then 'null' else 'not null' end);
  end if;

  -- a preset is a range of days: equal is within it, greater is after it; all_time has no ends
  if kind = 'date' and jsonb_typeof(value) = 'string' and given = any (private.presets()) then
    days := private.preset_range(given);
    return case
      when operation in ('eq', 'in', 'between') then private.days_condition(field, days)
      when operation in ('gte', 'from') then private.days_condition(field, daterange(lower(days), null))
      when operation in ('lte', 'to') then private.days_condition(field, daterange(null, upper(days)))
      when operation = 'neq' then 'not (' || private.days_condition(field, days) || ')'
      when operation = 'gt' and upper(days) is not null then private.days_condition(field, daterange(upper(days), null))
      when operation = 'lt' and lower(days) is not null then private.days_condition(field, daterange(null, lower(days)))
      else 'false'
    end;
  end if;

  if operation in ('in', 'between') then
    if jsonb_typeof(value) is distinct from 'array' or jsonb_array_length(value) not between 1 and 1000
      or (operation = 'between' and jsonb_array_length(value) <> 2) then
      perform private.invalid(name || ' does not fit',
        case operation when 'in' then 'It takes an array of 1 to 1000 values.' else 'It takes an array of two values: from and to.' end);
    end if;
    if operation = 'in' then
      return format('%I in (%s)', field, (select string_agg(private.filter_literal(kind, element, name), ', ') from jsonb_array_elements(value) element));
    end if;
    return format('%1$I >= %2$s and %1$I %3$s', field, private.filter_literal(kind, value -> 0, name),
      case kind when 'date' then private.filter_day_after(value -> 1, name) else '<= ' || private.filter_literal(kind, value -> 1, name) end);
  end if;
  if operation in ('like', 'ilike') then
    if jsonb_typeof(value) is distinct from 'string' or right(given, 1) = '\' then
      perform private.invalid(name || ' does not fit', 'It takes a text pattern; * stands for any characters.');
    end if;
    return format('%I %s %s', field, operation, private.filter_literal('text', to_jsonb(replace(given, '*', '%')), name));
  end if;
  if operation = 'to' and kind = 'date' then
    -- the type is asked first, so that the answer to nonsense is the same for every operation
    perform private.filter_literal(kind, value, name);
    return format('%I %s', field, private.filter_day_after(value, name));
  end if;
  comparison := case operation
    when 'eq' then '=' when 'neq' then 'is distinct from' when 'gt' then '>' when 'gte' then '>=' when 'from' then '>='
    when 'lt' then '<' when 'lte' then '<=' when 'to' then '<=' end;
  return format('%I %s %s', field, comparison, private.filter_literal(kind, value, name));
end
$$;
comment on function private.filter_condition(jsonb) is 'One filter as a condition on api.transactions.';

create or replace function private.transaction_condition(p_filters jsonb) returns text
  language plpgsql stable set search_path = ''
as $$
begin
  if coalesce(jsonb_typeof(p_filters), 'null') = 'null' then
    return 'true';
  end if;
  if jsonb_typeof(p_filters) <> 'array' or jsonb_array_length(p_filters) > 50 then
    perform private.invalid('filters are an array of up to 50 filters',
      'Each has field, operation and value, such as {"field": "amount", "operation": "gt", "value": 50}.');
  end if;
  return coalesce((select string_agg('(' || private.filter_condition(filter) || ')', ' and ') from jsonb_array_elements(p_filters) filter), 'true');
end
$$;
comment on function private.transaction_condition(jsonb) is 'All filters as one condition on api.transactions; all of them must hold.';

create or replace function private.context_condition(p_user_id text, p_organization_id text) returns text
  language plpgsql stable set search_path = ''
as $$
begin
  -- someone else's numbers are refused and not just empty
  if p_user_id <> public.uid() or p_organization_id <> public.org_id() or (p_organization_id is not null and public.org_id() is null) then
    perform private.deny('transactions');
  end if;
  if p_organization_id is null then
    return format('(organization_id is null and user_id = %L)', public.uid());
  end if;
  return format('(organization_id = %L)', p_organization_id);
end
$$;
comment on function private.context_condition(text, text) is
  'The rows of one context as a condition on api.transactions. It only narrows: the row rules hold besides.';

grant execute on function private.filter_literal(text, jsonb, text), private.filter_day_after(jsonb, text), private.days_condition(text, daterange),
  private.filter_condition(jsonb),
  private.transaction_condition(jsonb), private.context_condition(text, text) to authenticated;
