-- after: core/bounded_json_numbers
-- Dates in requests, and the presets. A day is in the request's time zone: UTC, unless the request has `Prefer:
-- timezone=…`. Ranges are of whole days. A client's range includes its end; a daterange does not.

create or replace function private.presets() returns text[]
  language sql immutable parallel safe set search_path = ''
  return array[
    'today', 'yesterday', 'last_7_days', 'last_30_days', 'this_week', 'last_week', 'this_month', 'last_month',
    'this_quarter', 'last_quarter', 'this_year', 'last_year', 'all_time', 'custom'];
comment on function private.presets() is 'The names of the date range presets that a client may send.';

create or replace function private.preset_days(p_preset text, today date) returns daterange
  language plpgsql immutable parallel safe set search_path = ''
as $$
declare
  unit text;
  step interval;
  first date;
begin
  case p_preset
    when 'today' then return daterange(today, today + 1);
    when 'yesterday' then return daterange(today - 1, today);
    when 'last_7_days' then return daterange(today - 6, today + 1);
    when 'last_30_days' then return daterange(today - 29, today + 1);
    when 'all_time' then return daterange(null, null);
    when 'custom' then
      perform private.invalid('the preset custom needs start_date and end_date', 'Send both as YYYY-MM-DD.');
    else
      if p_preset is null or p_preset <> all (private.presets()) then
        perform private.invalid(
          format('unknown date range preset %s', coalesce(quote_literal(left(p_preset, 40)), 'null')),
          'Valid presets: ' || array_to_string(private.presets(), ', ') || '.');
      end if;
  end case;
  unit := split_part(p_preset, '_', 2);
  step := case unit when 'quarter' then interval '3 months' else ('1 ' || unit)::interval end;
  first := date_trunc(unit, today::timestamp)::date;
  return case
    when p_preset like 'last%' then daterange((first - step)::date, first)
    else daterange(first, (first + step)::date)
  end;
end
$$;
comment on function private.preset_days(text, date) is
  'The days of a preset, as of the day `today`. Weeks begin on Monday; this_… is the whole week, month, quarter or '
  'year.';

create or replace function private.preset_range(p_preset text) returns daterange
  language sql stable parallel safe set search_path = ''
  return private.preset_days(p_preset, current_date);
comment on function private.preset_range(text) is 'The days of a preset, as of today.';

create or replace function private.is_moment(p_value text) returns boolean
  language sql immutable parallel safe
  return p_value ~* '^[0-9]{4}-[0-9]{2}-[0-9]{2}'
    '([t ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?(z|[+-][0-9]{2}(:?[0-9]{2})?)?)?$';
comment on function private.is_moment(text) is 'Whether a text has the form of an ISO 8601 date or date-time.';

create or replace function private.moment(p_value text) returns timestamptz
  language plpgsql stable parallel safe set search_path = ''
as $$
declare
  moment timestamptz;
begin
  if private.is_moment(p_value) then
    begin
      moment := p_value::timestamptz;
    exception
      when data_exception then null;
    end;
  end if;
  return case when moment >= '1900-01-01 00:00:00+00' and moment < '2200-01-01 00:00:00+00' then moment end;
end
$$;
comment on function private.moment(text) is
  'A date or date-time that a client sent; null if it is malformed or outside 1900 to 2199.';

create or replace function private.to_moment(
  p_value text, p_name text, p_has_presets boolean default true
) returns timestamptz
  language plpgsql stable parallel safe set search_path = ''
as $$
declare
  moment constant timestamptz := private.moment(p_value);
begin
  if moment is null then
    perform private.invalid(
      format('%s is not a date: %s', p_name, coalesce(quote_literal(left(p_value, 40)), 'null')),
      'Use YYYY-MM-DD or an ISO 8601 date-time, from 1900 to 2199.'
        || case when p_has_presets then ' Valid presets: ' || array_to_string(private.presets(), ', ') || '.'
        else '' end);
  end if;
  return moment;
end
$$;
comment on function private.to_moment(text, text, boolean) is
  'A date or date-time that a client sent. Raises 400 with the name of the parameter if it is malformed; the hint '
  'lists the presets if the parameter accepts them.';

create or replace function private.whole_day(p_value text) returns date
  language sql stable parallel safe set search_path = ''
  return case
    when p_value ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' and private.moment(p_value) is not null then p_value::date
  end;
comment on function private.whole_day(text) is
  'The day that a client sent; null for a date-time and for a malformed value.';

create or replace function private.date_range(p_start_date text, p_end_date text, p_preset text) returns daterange
  language plpgsql stable parallel safe set search_path = ''
as $$
declare
  first date;
  last date;
begin
  if coalesce(p_preset, 'custom') <> 'custom' then
    if p_start_date is not null or p_end_date is not null then
      perform private.invalid(
        format('the preset %s can''t be combined with start_date and end_date', left(p_preset, 40)),
        'Omit them, or use the preset custom.');
    end if;
    return private.preset_range(p_preset);
  end if;
  if p_start_date is null or p_end_date is null then
    perform private.invalid('a date range needs start_date and end_date, or a preset',
      'Send both as YYYY-MM-DD. Valid presets: ' || array_to_string(private.presets(), ', ') || '.');
  end if;
  first := coalesce(private.whole_day(p_start_date), private.to_moment(p_start_date, 'start_date')::date);
  last := coalesce(private.whole_day(p_end_date), private.to_moment(p_end_date, 'end_date')::date);
  if first > last then
    perform private.invalid('start_date is after end_date', 'Swap them.');
  end if;
  return daterange(first, last + 1);
end
$$;
comment on function private.date_range(text, text, text) is
  'The days from start_date to end_date, both included, or of a preset.';

create or replace function private.is_date_range(p_range jsonb) returns boolean
  language sql immutable parallel safe set search_path = ''
begin atomic
  select case
    when p_range is null then true
    when not private.plain_numbers(p_range) then false
    when jsonb_typeof(p_range) <> 'object' or p_range - array['preset', 'start_date', 'end_date'] <> '{}' then false
    when coalesce(p_range ->> 'preset', 'custom') <> 'custom'
      then jsonb_typeof(p_range -> 'preset') = 'string' and p_range ->> 'preset' = any (private.presets())
        and p_range ->> 'start_date' is null and p_range ->> 'end_date' is null
    -- the cast refuses dates such as February 31, also with 400
    else coalesce(
      p_range ->> 'start_date' ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'
      and p_range ->> 'end_date' ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'
        and (p_range ->> 'start_date')::date <= (p_range ->> 'end_date')::date, false)
  end;
end;
comment on function private.is_date_range(jsonb) is
  'Whether the JSON is {preset}, or {start_date, end_date} in order. Used by a constraint.';

grant execute on function private.presets(), private.preset_days(text, date), private.preset_range(text),
  private.is_moment(text), private.moment(text), private.to_moment(text, text, boolean), private.whole_day(text),
  private.date_range(text, text, text), private.is_date_range(jsonb) to authenticated;
