-- after: core/reset
-- Requests to a hot standby. A standby returns the rows, sessions and memberships that it has replayed. The auth
-- service writes a mark into the log every two seconds while a standby is connected. So a standby knows its delay
-- even when there are no other writes.

create or replace function private.mark_for_standbys() returns void
  language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- pg_receivewal archives the log and needs no marks
  if exists (select from pg_catalog.pg_stat_replication where application_name is distinct from 'pg_receivewal') then
    perform pg_logical_emit_message(true, 'finance', 'mark');
  end if;
end
$$;
comment on function private.mark_for_standbys() is 'Writes a mark into the log if a standby may receive it.';
grant execute on function private.mark_for_standbys() to auth_service;

create or replace function private.reject_when_behind() returns void
  language plpgsql stable set search_path = ''
as $$
begin
  -- a standby that has replayed nothing since its start does not know its delay
  if coalesce(pg_last_xact_replay_timestamp() < clock_timestamp() - interval '20 seconds', true) then
    perform private.reject('53400', 'this standby is more than 20 seconds behind the primary',
      'Send the request to the primary.', 503,
      '{"Retry-After": "1"}');
  end if;
end
$$;
comment on function private.reject_when_behind() is
  'Refuses a request to a standby whose delay is too long to know who may still read.';
