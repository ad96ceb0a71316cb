-- after: core
-- The parameters `grouping`, `periods`, `p_from` and `p_to` of the reports over time.

create or replace function private.period_unit("grouping" text, periods integer) returns text
  language plpgsql immutable parallel safe set search_path = ''
as $$
declare
  unit constant text := case "grouping"
    when 'daily' then 'day'
    when 'weekly' then 'week'
    when 'monthly' then 'month'
    when 'quarterly' then 'quarter'
    when 'yearly' then 'year'
  end;
begin
  if unit is null then
    perform private.invalid(format('unknown grouping %s', coalesce(quote_literal(left("grouping", 40)), 'null')),
      'Must be daily, weekly, monthly, quarterly or yearly.');
  end if;
  if periods is null or periods not between 1 and 120 then
    perform private.invalid('periods is out of range', 'Must be 1 to 120.');
  end if;
  return unit;
end
$$;
comment on function private.period_unit(text, integer) is
  'Returns the unit of date_trunc() for a grouping. Raises 400 for an unknown grouping, and for a number of periods '
  'outside 1 to 120.';

create or replace function private.period_step(p_unit text) returns interval
  language sql immutable parallel safe
  return case p_unit when 'quarter' then interval '3 months' else ('1 ' || p_unit)::interval end;
comment on function private.period_step(text) is 'The length of a period.';

create or replace function private.first_period(p_unit text, p_periods integer) returns timestamp
  language sql stable parallel safe
  return date_trunc(p_unit, current_date::timestamp) - (p_periods - 1) * private.period_step(p_unit);
comment on function private.first_period(text, integer) is
  'The beginning of the first of several periods, of which the last contains today.';

create or replace function private.days_of_periods(
  p_unit text, p_periods integer, p_from text, p_to text
) returns daterange
  language plpgsql stable parallel safe set search_path = ''
as $$
declare
  step constant interval := private.period_step(p_unit);
  from_day constant date := case
    when p_from is not null then coalesce(private.whole_day(p_from), private.to_moment(p_from, 'p_from', false)::date)
  end;
  to_day constant date := case
    when p_to is not null then coalesce(private.whole_day(p_to), private.to_moment(p_to, 'p_to', false)::date)
  end;
  last_period constant timestamp := date_trunc(p_unit, coalesce(to_day, current_date)::timestamp);
  first constant date := coalesce(from_day, (last_period - (coalesce(p_periods, 12) - 1) * step)::date);
  last constant date := coalesce(to_day, (last_period + step)::date - 1);
begin
  if p_from is not null and p_periods is not null then
    perform private.invalid('periods can''t be combined with p_from', 'Send p_from and p_to, or periods and p_to.');
  end if;
  if first > last then
    perform private.invalid('p_from is after p_to',
      'Swap them. Without p_to the range ends with the current period.');
  end if;
  if date_trunc(p_unit, first::timestamp) + 119 * step < last_period then
    perform private.invalid('the range has more than 120 periods', 'Choose a longer grouping or a shorter range.');
  end if;
  return daterange(first, last + 1);
end
$$;
comment on function private.days_of_periods(text, integer, text, text) is
  'The days of a report: from p_from to p_to, both included. Without p_from the last periods until p_to; without '
  'p_to until the end of the current period.';

grant execute on function private.period_unit(text, integer), private.period_step(text),
  private.first_period(text, integer), private.days_of_periods(text, integer, text, text) to authenticated;
