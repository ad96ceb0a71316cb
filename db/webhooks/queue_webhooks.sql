-- after: changes/tables, core/tenants, jobs/tables, webhooks/tables
-- Webhooks receive the changes of private.changes. Each has a cursor: a position of its tenant, with the change there.
-- The cursor moves in the transaction that queues the jobs, so each change is queued once, also with several
-- processes.

create or replace function private.timeline() returns text
  language sql stable
  return left(pg_walfile_name(pg_current_wal_lsn()), 8);
comment on function private.timeline() is
  'The timeline of the server. A webhook''s receiver may have seen changes that a failover has lost, with the cursor.';

create or replace function private.begin_webhook() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  select t.position, t.change, private.timeline() into strict new.seen_position, new.seen_change, new.seen_timeline
    from private.tenants t where t.tenant = private.tenant_of(new.user_id, new.organization_id);
  return new;
end
$$;
comment on function private.begin_webhook() is
  'Sets the cursor of a webhook that is new or turned on again to the present position. '
  'It receives only later changes.';

create or replace function private.queue_webhooks() returns bigint
  language plpgsql volatile security definer set search_path = ''
as $$
declare
  most_changes constant integer := 100;
  reset constant jsonb := '{"type": "rows.reset", "changes": []}'::jsonb;
  present constant text := private.timeline();
  due text[];
  queued bigint;
begin
  -- An idle database writes nothing. Another process may queue for the others.
  due := array(
    select w.id
    from auth.webhooks w join private.tenants t on t.tenant = private.tenant_of(w.user_id, w.organization_id)
    where w.disabled_at is null and (w.seen_change <> t.change or w.seen_timeline <> present)
    for no key update of w skip locked);
  if cardinality(due) = 0 then
    return 0;
  end if;
  -- a separate statement, because its snapshot must be newer than the locks
  with followed as materialized (
    select w.id, w.user_id, w.organization_id, w.tables, w.seen_position, t.tenant, t.position, t.change,
      w.seen_timeline <> present or w.seen_change <> t.change and not exists (
        select from private.changes c
        where c.tenant = t.tenant and c.position = w.seen_position + 1 and c.after = w.seen_change) as is_lost
    from auth.webhooks w join private.tenants t on t.tenant = private.tenant_of(w.user_id, w.organization_id)
    where w.id = any (due)
  ), seen as (
    select f.id as webhook_id, c.table_name, f.organization_id, c.actions, c.ids, c.change_id, c.happened_at
    from followed f
    join private.changes c on c.tenant = f.tenant and c.position > f.seen_position
    where not f.is_lost and (f.tables is null or c.table_name = any (f.tables))
      and (f.organization_id is null or exists (
        select from auth.members m
        join private.role_permissions p
          on p.role = m.role and p.resource = c.table_name and p.action = coalesce(c.permission, 'list')
        where m.organization_id = f.organization_id and m.user_id = f.user_id
          and auth.role_rank(m.role) >= auth.role_rank('admin')))
  ), messages as (
    select f.id as webhook_id, 'rows.reset' as type, '[]'::jsonb as changes from followed f where f.is_lost
    union all
    select s.webhook_id, 'rows.changed',
      jsonb_agg(
        jsonb_build_object('table', s.table_name, 'organization_id', s.organization_id, 'actions', s.actions,
          'ids', s.ids, 'change_id', s.change_id)
        order by s.happened_at)
    from seen s group by s.webhook_id
  ), bounded as (
    select m.webhook_id,
      case when jsonb_array_length(m.changes) > most_changes then reset
        else jsonb_build_object('type', m.type, 'changes', m.changes) end as payload
    from messages m
  ), stored as (
    insert into private.jobs as j (task, key, share, payload)
      select 'send_webhook', b.webhook_id, w.user_id, b.payload
      from bounded b
      join auth.webhooks w on w.id = b.webhook_id
      on conflict (task, key) where started_at is null do update
        set payload = case
            when reset in (j.payload, excluded.payload) then reset
            when jsonb_array_length((j.payload -> 'changes') || (excluded.payload -> 'changes')) > most_changes
              then reset
            else jsonb_build_object('type', 'rows.changed',
              'changes', (j.payload -> 'changes') || (excluded.payload -> 'changes'))
          end
      returning 1
  ), moved as (
    update auth.webhooks w set seen_position = f.position, seen_change = f.change, seen_timeline = present
      from followed f where w.id = f.id
  )
  select count(*) into queued from stored;
  return queued;
end
$$;
comment on function private.queue_webhooks() is
  'Queues the new changes for the webhooks whose user may list the rows, one waiting job for each webhook. More '
  'than a hundred changes, and lost ones, become a rows.reset. Returns the number of changed jobs.';
grant execute on function private.queue_webhooks() to auth_service;

create or replace function private.webhook_lag() returns double precision
  language sql stable security definer set search_path = ''
begin atomic
  select coalesce(extract(epoch from statement_timestamp() - least(
    (
      select min(greatest(j.run_at, j.leased_until)) from private.jobs j join auth.webhooks w on w.id = j.key
      where j.task = 'send_webhook' and w.disabled_at is null
        and j.run_at < statement_timestamp() and coalesce(j.leased_until < statement_timestamp(), true)
        -- a later message waits for the one that is repeated
        and (j.started_at is not null
          or not exists (
            select from private.jobs s where s.task = j.task and s.key = j.key and s.started_at is not null
          ))
    ), (
      select min(c.happened_at) from auth.webhooks w
      join private.changes c
        on c.tenant = private.tenant_of(w.user_id, w.organization_id) and c.position > w.seen_position
      where w.disabled_at is null
    )
  )), 0)::double precision;
end;
comment on function private.webhook_lag() is
  'The time in seconds for which a change has waited to be queued for webhooks, or a message to be sent when its '
  'attempt was due. 0 if nothing is late: a message whose next attempt lies ahead does not count.';
grant execute on function private.webhook_lag() to auth_service;

create or replace function private.delete_messages_of_webhook() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  delete from private.jobs where task = 'send_webhook' and key = old.id;
  return null;
end
$$;
comment on function private.delete_messages_of_webhook() is
  'Deletes the messages of a deleted webhook that are not delivered yet.';
