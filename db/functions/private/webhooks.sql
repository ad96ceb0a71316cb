-- Webhooks receive the changes of private.changes. The cursor is a snapshot: a change is new if the snapshot does not see its transaction.
-- The cursor moves in the transaction that queues the deliveries, so each change is queued once, also with several processes.

create or replace function private.queue_webhooks() returns bigint
  language plpgsql volatile security definer set search_path = ''
as $$
declare
  most_changes constant integer := 100;
  present constant text := private.database_identity();
  since pg_snapshot;
  former text;
  is_other boolean;
  until_now pg_snapshot;
  has_fresh boolean;
  queued bigint := 0;
begin
  if not exists (select from auth.webhooks where disabled_at is null) then
    return 0;
  end if;
  -- One process at a time. The lock writes nothing, unlike one of the row.
  if not pg_try_advisory_xact_lock(hashtextextended('webhooks', 0)) then
    return 0;
  end if;
  -- a separate statement, because its snapshot must be newer than the lock
  select snapshot, coalesce(database, present) into since, former from private.webhook_cursor;
  is_other := former <> present;
  with kept as materialized (
    select from_xid, private.is_incomplete_since(since, from_xid) as has_gap from private.changes_kept
  ), fresh as materialized (
    select c.* from private.changes c
    where c.xid >= pg_snapshot_xmin(since) and not pg_visible_in_snapshot(c.xid, since)
  ), seen as (
    select w.id as webhook_id, c.table_name, c.organization_id, c.actions, c.ids, c.change_id, c.happened_at
    from fresh c join auth.webhooks w on w.user_id = c.user_id
    where c.organization_id is null and w.organization_id is null and w.disabled_at is null and c.table_name <> 'auth'
      and (w.tables is null or c.table_name = any (w.tables)) and not pg_visible_in_snapshot(c.xid, w.sends_from)
    union all
    select w.id, c.table_name, c.organization_id, c.actions, c.ids, c.change_id, c.happened_at
    from fresh c
    join auth.webhooks w on w.organization_id = c.organization_id
    join auth.members m on m.organization_id = w.organization_id and m.user_id = w.user_id and auth.role_rank(m.role) >= auth.role_rank('admin')
    join private.role_permissions p on p.role = m.role and p.resource = c.table_name and p.action = coalesce(c.permission, 'list')
    where w.disabled_at is null and (w.tables is null or c.table_name = any (w.tables)) and not pg_visible_in_snapshot(c.xid, w.sends_from)
  ), lost as (
    select w.id as webhook_id from auth.webhooks w cross join kept k
    where w.disabled_at is null and (is_other or k.has_gap and private.is_incomplete_since(w.sends_from, k.from_xid))
  ), messages as (
    select l.webhook_id, 'rows.reset' as type, '[]'::jsonb as changes from lost l
    union all
    select s.webhook_id, 'rows.changed',
      jsonb_agg(jsonb_build_object('table', s.table_name, 'organization_id', s.organization_id, 'actions', s.actions, 'ids', s.ids, 'change_id', s.change_id)
        order by s.happened_at)
    from seen s where not exists (select from lost l where l.webhook_id = s.webhook_id)
    group by s.webhook_id
  ), stored as (
    insert into auth.webhook_deliveries as d (webhook_id, type, changes)
      select m.webhook_id, case when jsonb_array_length(m.changes) > most_changes then 'rows.reset' else m.type end,
        case when jsonb_array_length(m.changes) > most_changes then '[]' else m.changes end
      from messages m
      on conflict (webhook_id) where is_open do update
        set type = case when 'rows.reset' in (d.type, excluded.type) or jsonb_array_length(d.changes || excluded.changes) > most_changes
            then 'rows.reset' else 'rows.changed' end,
          changes = case when 'rows.reset' in (d.type, excluded.type) or jsonb_array_length(d.changes || excluded.changes) > most_changes
            then '[]' else d.changes || excluded.changes end
      returning 1
  ), restored as (
    update auth.webhooks w set sends_from = private.changes_seen()
      where is_other or pg_snapshot_xmax(w.sends_from) > pg_snapshot_xmax(pg_current_snapshot())
  )
  select pg_current_snapshot(), exists (select from fresh) or exists (select from lost), (select count(*) from stored)
    into until_now, has_fresh, queued;
  -- An idle database writes nothing. The cursor moves past all rows before they are deleted, also past those that no webhook receives, and
  -- when transactions end that were running at its snapshot.
  if has_fresh or is_other or pg_snapshot_xmax(since) > pg_snapshot_xmax(until_now)
    or pg_snapshot_xmin(since) < pg_snapshot_xmax(since) and pg_snapshot_xmin(since) < pg_snapshot_xmin(until_now) then
    update private.webhook_cursor set snapshot = until_now, database = present;
  end if;
  return queued;
end
$$;
comment on function private.queue_webhooks() is
  'Queues the new changes for the webhooks whose user may list the rows, one open delivery for each webhook. More than a hundred changes, and lost ones, become a rows.reset. Returns the number of changed deliveries.';
grant execute on function private.queue_webhooks() to auth_service;

create or replace function private.webhook_lag() returns double precision
  language sql stable security definer set search_path = ''
begin atomic
  select coalesce(extract(epoch from statement_timestamp() - least(
    (
      select min(greatest(w.next_attempt_at, d.created_at)) from auth.webhooks w join auth.webhook_deliveries d on d.webhook_id = w.id
      where w.disabled_at is null and w.next_attempt_at < statement_timestamp()
    ), (
      select min(c.happened_at) from private.changes c cross join private.webhook_cursor k
      where c.xid >= pg_snapshot_xmin(k.snapshot) and not pg_visible_in_snapshot(c.xid, k.snapshot) and c.table_name <> 'auth'
        and exists (select from auth.webhooks w where w.disabled_at is null)
    )
  )), 0)::double precision;
end;
comment on function private.webhook_lag() is
  'The time in seconds for which a change has waited to be queued for webhooks, or a message to be sent when its attempt was due. 0 if nothing waits.';
grant execute on function private.webhook_lag() to auth_service;
