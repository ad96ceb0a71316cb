-- The parameters `grouping` and `periods` of the reports over time.

create or replace function private.period_unit("grouping" text, periods integer) returns text
  language plpgsql immutable parallel safe set search_path = ''
as $$
declare
  unit constant text := case "grouping"
    when 'daily' then 'day' when 'weekly' then 'week' when 'monthly' then 'month' when 'quarterly' then 'quarter' when 'yearly' then 'year' end;
begin
  if unit is null then
    perform private.invalid(format('unknown grouping %s', coalesce(quote_literal(left("grouping", 40)), 'null')), 'It is daily, weekly, monthly, quarterly or yearly.');
  end if;
  if periods is null or periods not between 1 and 120 then
    perform private.invalid('periods is out of range', 'It is 1 to 120.');
  end if;
  return unit;
end
$$;
comment on function private.period_unit(text, integer) is 'Returns the unit of date_trunc() for a grouping. Raises 400 for an unknown grouping, and for a number of periods outside 1 to 120.';

create or replace function private.period_step(p_unit text) returns interval
  language sql immutable parallel safe
  return case p_unit when 'quarter' then interval '3 months' else ('1 ' || p_unit)::interval end;
comment on function private.period_step(text) is 'The length of a period.';

create or replace function private.first_period(p_unit text, p_periods integer) returns timestamp
  language sql stable parallel safe
  return date_trunc(p_unit, current_date::timestamp) - (p_periods - 1) * private.period_step(p_unit);
comment on function private.first_period(text, integer) is 'The beginning of the first of several periods, of which the last contains today.';

grant execute on function private.period_unit(text, integer), private.period_step(text), private.first_period(text, integer) to authenticated;
