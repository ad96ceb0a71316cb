-- A day or a moment in a row that a caller sends. PostgREST hands the value of a column whose type is one of these domains to the
-- function that casts JSON to it; what PostgreSQL cannot read is refused as PostgreSQL refuses it, with the form as the hint.
-- Answers and filters need no cast, so they are as those of a date or timestamptz.

create or replace function private.read_day(p_value json) returns private.day
  language plpgsql stable strict parallel safe set search_path = ''
as $$
begin
  -- nearly every text stands in JSON as it is, and to take one apart costs twice as much
  return pg_catalog.btrim(p_value::text, '"')::date;
exception
  when data_exception then
    begin
      return (p_value #>> '{}')::date;
    exception
      when data_exception then
        raise exception using errcode = sqlstate, message = sqlerrm, hint = 'A day is YYYY-MM-DD, such as 2025-01-31.';
    end;
end
$$;
comment on function private.read_day(json) is 'A day that a caller sends; one that cannot be read is refused with the form. PostgREST calls it.';

create or replace function private.read_first_day(p_value json) returns private.first_day
  language sql stable parallel safe
  return private.read_day(p_value)::date;
comment on function private.read_first_day(json) is 'A first day that a caller sends, as read_day() reads it. PostgREST calls it.';

-- A whole day and a moment are the same type. So read_moment() hands on a whole day as a moment beyond all that a column takes, and
-- transactions_before_row() reads the day from it. No moment of a caller comes to lie there.

create or replace function private.mark_day(p_day date) returns timestamptz
  language sql immutable parallel safe set search_path = ''
  return (p_day + 3000000)::timestamp at time zone 'UTC';
comment on function private.mark_day(date) is 'Marks a whole day, as a moment more than 8000 years later.';

create or replace function private.marked_day(p_moment timestamptz) returns date
  language sql immutable parallel safe
  return case when p_moment > '5000-01-01 00:00:00+00' and p_moment < 'infinity' then (p_moment at time zone 'UTC')::date - 3000000 end;
comment on function private.marked_day(timestamptz) is 'The whole day that is marked; null for a moment.';

create or replace function private.read_moment(p_value json) returns private.moment
  language plpgsql stable strict parallel safe set search_path = ''
as $$
declare
  given text := pg_catalog.btrim(p_value::text, '"');
  moment timestamptz;
begin
  begin
    moment := given::timestamptz;
  exception
    when data_exception then
      given := p_value #>> '{}';
      moment := given::timestamptz;
  end;
  -- the constraint of the column refuses it, as any other beyond
  if moment < '1900-01-01 00:00:00+00' or moment >= '2200-01-01 00:00:00+00' then
    return 'infinity';
  end if;
  return case
    when given like '____-__-__' or length(given) < 12 and given ~ '^ *[0-9]{4}-?[0-9]{1,2}-?[0-9]{1,2} *$' then private.mark_day(given::date)
    else moment
  end;
exception
  when data_exception then
    raise exception using errcode = sqlstate, message = sqlerrm,
      hint = 'A day is YYYY-MM-DD, such as 2025-01-31; a moment is YYYY-MM-DDTHH:MM:SSZ, such as 2025-01-31T18:30:00Z.';
end
$$;
comment on function private.read_moment(json) is
  'A day, which is marked, or a moment that a caller sends; one that cannot be read is refused with the form. PostgREST calls it.';

-- PostgREST uses no cast but an implicit one. PostgreSQL itself uses none to a domain, and warns of that.
drop cast if exists (json as private.day);
create cast (json as private.day) with function private.read_day(json) as implicit;
drop cast if exists (json as private.first_day);
create cast (json as private.first_day) with function private.read_first_day(json) as implicit;
drop cast if exists (json as private.moment);
create cast (json as private.moment) with function private.read_moment(json) as implicit;
comment on cast (json as private.day) is 'How PostgREST reads a day.';
comment on cast (json as private.first_day) is 'How PostgREST reads a first day.';
comment on cast (json as private.moment) is 'How PostgREST reads a moment.';

-- PostgREST uses a cast that its own user may call, and calls it as the caller
grant execute on function private.read_day(json), private.read_first_day(json), private.read_moment(json) to authenticator, authenticated;
grant execute on function private.mark_day(date), private.marked_day(timestamptz) to authenticated;
