-- after: core/reset
-- Errors that the database raises: PostgreSQL's own, or in PostgREST's format.

-- The check of a policy calls deny() for a row that violates it. Without it the caller would get the message of row
-- security instead of the documented one.
create or replace function private.deny(p_table text) returns boolean
  language plpgsql volatile set search_path = ''
as $$
begin
  raise insufficient_privilege using message = format('permission denied for table %s', p_table);
end
$$;
comment on function private.deny(text) is 'Raises 42501 "permission denied for table …" (HTTP 403).';

create or replace function private.invalid(p_message text, p_hint text default null) returns void
  language plpgsql set search_path = ''
as $$
begin
  if p_hint is null then
    raise invalid_parameter_value using message = p_message;
  end if;
  raise invalid_parameter_value using message = p_message, hint = p_hint;
end
$$;
comment on function private.invalid(text, text) is
  'Raises 22023 (HTTP 400). The message describes the error, and the hint the allowed values.';

create or replace function private.reject(
  p_code text, p_message text, p_hint text, p_status integer default 400, p_headers jsonb default '{}',
  p_details text default null
) returns void
  language plpgsql immutable set search_path = ''
as $$
begin
  raise sqlstate 'PGRST' using
    message = pg_catalog.jsonb_build_object('code', p_code, 'message', p_message, 'details', p_details,
      'hint', p_hint)::text,
    detail = pg_catalog.jsonb_build_object('status', p_status, 'headers', p_headers)::text;
end
$$;
comment on function private.reject(text, text, text, integer, jsonb, text) is
  'Raises an error in PostgREST''s format, with this HTTP status and these headers.';

grant execute on function private.deny(text), private.invalid(text, text),
  private.reject(text, text, text, integer, jsonb, text) to authenticated;
