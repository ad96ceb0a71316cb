-- What a hot standby may be asked. It answers with the rows, sessions and memberships that it has heard of. The auth service
-- writes a mark every two seconds while somebody receives the primary's log, so a standby knows how far it is behind, also when
-- nobody works.

create or replace function private.mark_for_standbys() returns void
  language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- what archives the log asks no question of it
  if exists (select from pg_catalog.pg_stat_replication where application_name is distinct from 'pg_receivewal') then
    perform pg_logical_emit_message(true, 'finance', 'mark');
  end if;
end
$$;
comment on function private.mark_for_standbys() is 'Writes a mark into the log, when a standby may receive it.';
grant execute on function private.mark_for_standbys() to auth_service;

create or replace function private.refuse_when_behind() returns void
  language plpgsql stable set search_path = ''
as $$
begin
  -- a standby that has heard of nothing since its start does not know how far it is behind
  if coalesce(pg_last_xact_replay_timestamp() < clock_timestamp() - interval '20 seconds', true) then
    perform private.refuse('53400', 'this standby is more than 20 seconds behind', 'Ask the primary.', 503, '{"Retry-After": "1"}');
  end if;
end
$$;
comment on function private.refuse_when_behind() is 'Refuses a request to a standby that is too far behind to know who may still read.';
