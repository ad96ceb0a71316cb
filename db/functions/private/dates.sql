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

create or replace function private.read_moment(p_value json) returns private.moment
  language plpgsql stable strict parallel safe set search_path = ''
as $$
begin
  return pg_catalog.btrim(p_value::text, '"')::timestamptz;
exception
  when data_exception then
    begin
      return (p_value #>> '{}')::timestamptz;
    exception
      when data_exception then
        raise exception using errcode = sqlstate, message = sqlerrm,
          hint = 'A day is YYYY-MM-DD, such as 2025-01-31; a moment is YYYY-MM-DDTHH:MM:SSZ, such as 2025-01-31T18:30:00Z.';
    end;
end
$$;
comment on function private.read_moment(json) is
  'A day or a moment that a caller sends; one that cannot be read is refused with the form. PostgREST calls it.';

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
