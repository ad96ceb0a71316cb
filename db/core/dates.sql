-- after: core/tables
-- Days and moments in a caller's rows. PostgREST passes the value of a column with one of these domain types to the
-- function that casts JSON to the type. A malformed value raises PostgreSQL's own error, with the expected form as
-- the hint. Responses and filters need no cast and behave like those of a date or timestamptz.

create or replace function private.is_day(p_text text) returns boolean
  language sql immutable strict parallel safe
  return p_text ~ '^[0-9]{4}(-[0-9]{1,2}-[0-9]{1,2}|[0-9]{4})$';
comment on function private.is_day(text) is 'Whether a text has the form of a day: 2025-01-31, 2025-1-31 or 20250131.';

create or replace function private.sent_text(p_value json) returns text
  -- not strict, so that the planner can inline it: a call for each row would take a fifth of a bulk creation
  language sql immutable parallel safe
  -- most texts need no JSON unescaping, which takes twice as long
  return case when pg_catalog.strpos(p_value::text, '\') = 0 then pg_catalog.btrim(p_value::text, '" ')
    else pg_catalog.btrim(p_value #>> '{}', E' \t\r\n') end;
comment on function private.sent_text(json) is 'The text of a value that a caller sent, without the blanks around it.';

create or replace function private.read_day(p_value json) returns private.day
  language plpgsql stable strict parallel safe set search_path = ''
as $$
declare
  given text := private.sent_text(p_value);
  day date;
begin
  day := given::date;
  -- PostgreSQL also reads words such as today, which another day would read otherwise
  if not (private.is_day(given) or private.is_moment(given)) and pg_catalog.isfinite(day) then
    raise invalid_datetime_format using message = pg_catalog.format('invalid input syntax for type date: "%s"', given);
  end if;
  return day;
exception
  when data_exception then
    raise exception using errcode = sqlstate, message = sqlerrm, hint = 'Use YYYY-MM-DD, such as 2025-01-31.';
end
$$;
comment on function private.read_day(json) is
  'Reads a day that a caller sent. Raises an error with the expected form if it is malformed. Called by PostgREST.';

create or replace function private.read_first_day(p_value json) returns private.first_day
  language sql stable parallel safe
  return private.read_day(p_value)::date;
comment on function private.read_first_day(json) is
  'Reads the first day of a month that a caller sent, as read_day() does. Called by PostgREST.';

-- Days and moments arrive in one type. So read_moment() returns a whole day as a moment far beyond the range of the
-- column, and transactions_before_row() reads the day from it. A caller's own moment can never be in that range.

create or replace function private.mark_day(p_day date) returns timestamptz
  language sql immutable parallel safe
  return (p_day + 3000000)::timestamp at time zone 'UTC';
comment on function private.mark_day(date) is 'Encodes a whole day as a moment more than 8000 years later.';

create or replace function private.marked_day(p_moment timestamptz) returns date
  language sql immutable parallel safe
  return case
    when p_moment > '5000-01-01 00:00:00+00' and p_moment < 'infinity'
      then (p_moment at time zone 'UTC')::date - 3000000
  end;
comment on function private.marked_day(timestamptz) is 'The whole day that mark_day() has encoded; null for a moment.';

create or replace function private.read_moment(p_value json) returns private.moment
  language plpgsql stable strict parallel safe set search_path = ''
as $$
declare
  given text := private.sent_text(p_value);
  moment timestamptz;
begin
  moment := given::timestamptz;
  -- the constraint of the column refuses infinity like any other value outside the range
  if moment < '1900-01-01 00:00:00+00' or moment >= '2200-01-01 00:00:00+00' then
    return 'infinity'::timestamptz;
  end if;
  if private.is_day(given) then
    return private.mark_day(given::date);
  end if;
  -- PostgreSQL also reads words such as today, and days with a zone, whose day would be lost
  if not private.is_moment(given) then
    raise invalid_datetime_format using message = pg_catalog.format(
      'invalid input syntax for type timestamp with time zone: "%s"', given);
  end if;
  return moment;
exception
  when data_exception then
    raise exception using errcode = case sqlstate when '22009' then '22008' else sqlstate end, message = sqlerrm,
      hint = 'Use YYYY-MM-DD, such as 2025-01-31, or YYYY-MM-DDTHH:MM:SSZ, such as 2025-01-31T18:30:00Z.';
end
$$;
comment on function private.read_moment(json) is
  'Reads a day, which it encodes with mark_day(), or a moment that a caller sent. Raises an error with the expected '
  'form if it is malformed. Called by PostgREST.';

-- PostgREST uses only implicit casts. PostgreSQL itself ignores casts to a domain, and warns about them.
drop cast if exists (json as private.day);
create cast (json as private.day) with function private.read_day(json) as implicit;
drop cast if exists (json as private.first_day);
create cast (json as private.first_day) with function private.read_first_day(json) as implicit;
drop cast if exists (json as private.moment);
create cast (json as private.moment) with function private.read_moment(json) as implicit;
comment on cast (json as private.day) is 'Reads a day for PostgREST.';
comment on cast (json as private.first_day) is 'Reads the first day of a month for PostgREST.';
comment on cast (json as private.moment) is 'Reads a moment for PostgREST.';

-- PostgREST only uses a cast that its own login may execute, and calls it as the caller
grant execute on function private.read_day(json), private.read_first_day(json),
  private.read_moment(json) to authenticator, authenticated;
grant execute on function private.mark_day(date), private.marked_day(timestamptz), private.is_day(text),
  private.sent_text(json) to authenticated;
