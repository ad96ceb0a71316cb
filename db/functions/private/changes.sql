-- Live streams tell a client that rows have changed, so that it reads them again. Each statement that changes rows notes its tables,
-- contexts and ids in private.changes, in the same transaction. A transaction has one row for each table and context. The rows hold no
-- values, and the client reads under row security, so the streams need no second copy of the row rules.
--
-- A reader finds new rows by a snapshot: a change is new if the snapshot does not see its transaction. A number from a sequence would skip a
-- transaction that commits after a later one. There is no notification: commits with one wait for each other's write to the disk.

create or replace function private.note_change(
  p_table text, p_user_id text, p_organization_id text, p_permission text, p_action text, p_ids uuid[]
) returns void
  language plpgsql volatile set search_path = ''
as $$
declare
  caller constant text := public.uid();
  change uuid;
begin
  if caller is not null then
    change := private.activity_id(left(private.start_activity(), 24), 0);
  end if;
  insert into private.changes as c (table_name, user_id, organization_id, permission, actions, ids, change_id, actor_id)
    values (p_table, p_user_id, p_organization_id, p_permission, array[p_action], case when cardinality(p_ids) <= 100 then p_ids end, change, caller)
    on conflict on constraint changes_once do update
      set actions = case when p_action = any (c.actions) then c.actions else c.actions || p_action end,
        ids = case when c.ids is not null and excluded.ids is not null then
          (select case when count(*) <= 100 then array_agg(id) end from (select distinct id from unnest(c.ids || excluded.ids) as id) as of_both) end
      -- Each update makes a row version that the next one must pass. A foreign key may run one statement for each of 50,000 rows.
      where c.ids is not null or p_action <> all (c.actions);
end
$$;
comment on function private.note_change(text, text, text, text, text, uuid[]) is
  'Notes for live streams that a statement has changed rows of one table and context. The context is a user or an organization. p_permission is the right that a member needs to see the rows, if it is not list.';

create or replace function private.note_dashboards() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  -- A viewer sees no private dashboard of the team. A dashboard that becomes private or shared concerns viewers too.
  if tg_op = 'INSERT' then
    perform private.note_change('dashboards', c.user_id, c.organization_id, c.permission, 'create', c.ids)
    from (
      select case when organization_id is null then user_id end as user_id, organization_id,
        case when organization_id is not null and visibility = 'private' then 'list_private' end as permission, array_agg(id) as ids
      from new_rows group by 1, 2, 3
    ) c;
  elsif tg_op = 'UPDATE' then
    perform private.note_change('dashboards', c.user_id, c.organization_id, c.permission, 'update', c.ids)
    from (
      select case when n.organization_id is null then n.user_id end as user_id, n.organization_id,
        case when n.organization_id is not null and o.visibility = 'private' and n.visibility = 'private' then 'list_private' end as permission, array_agg(n.id) as ids
      from old_rows o full join new_rows n on n.id = o.id
      group by 1, 2, 3
    ) c;
  else
    perform private.note_change('dashboards', c.user_id, c.organization_id, c.permission, 'delete', c.ids)
    from (
      select case when organization_id is null then user_id end as user_id, organization_id,
        case when organization_id is not null and visibility = 'private' then 'list_private' end as permission, array_agg(id) as ids
      from old_rows group by 1, 2, 3
    ) c;
  end if;
  return null;
end
$$;
comment on function private.note_dashboards() is 'Notes changed dashboards for live streams, private ones apart from shared ones.';

create or replace function private.note_app_subscription() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  perform private.note_change('app_subscriptions', coalesce(new.user_id, old.user_id), null, null,
    case tg_op when 'INSERT' then 'create' when 'UPDATE' then 'update' else 'delete' end, array[coalesce(new.id, old.id)]);
  return null;
end
$$;
comment on function private.note_app_subscription() is 'Notes a changed plan for live streams of its subscriber.';

-- The end of a session, a membership, a role or a key is a row too. So a reader that sees a later change has also seen the end.
create or replace function private.note_lost_access() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  perform private.note_change('auth', to_jsonb(old) ->> 'user_id', null, null, 'update', null);
  return null;
end
$$;
comment on function private.note_lost_access() is 'Notes that the live streams of a user must be checked. For all users private.revoke_issued_tokens() does so.';

create or replace function private.changes_seen() returns pg_snapshot
  language sql stable security definer set search_path = ''
begin atomic
  select format('%s:%s:%s', least(pg_snapshot_xmin(s.present), s.end_xid), s.end_xid,
    (select string_agg(running::text, ',' order by running) from pg_snapshot_xip(s.present) as running where running < s.end_xid))::pg_snapshot
  from (
    select pg_current_snapshot() as present,
      greatest(k.from_xid, (select (c.xid::text::bigint + 1)::text::xid8 from private.changes c order by c.xid desc limit 1)) as end_xid
    from private.changes_kept k
  ) s;
end;
comment on function private.changes_seen() is
  'The present snapshot, without the transactions after the last change. A crash may lose those, and PostgreSQL then gives their numbers to others.';

create or replace function private.database_identity() returns text
  language sql stable
begin atomic
  select concat_ws(' ', s.system_identifier, left(pg_walfile_name(pg_current_wal_lsn()), 8), d.oid) from pg_control_system() s, pg_database d where d.datname = current_database();
end;
comment on function private.database_identity() is
  'The server, its timeline and the database. It changes by a restore or a failover, after which transactions may have the numbers of lost ones. A copy of the data folder keeps it.';

create or replace function private.is_incomplete_since(p_snapshot pg_snapshot, p_kept_from xid8) returns boolean
  language sql stable
begin atomic
  select pg_snapshot_xmax(p_snapshot) < p_kept_from
    or exists (select from pg_snapshot_xip(p_snapshot) as running where running < p_kept_from)
    -- a database that was restored into another server counts its transactions anew
    or pg_snapshot_xmax(p_snapshot) > pg_snapshot_xmax(pg_current_snapshot());
end;
comment on function private.is_incomplete_since(pg_snapshot, xid8) is
  'Whether private.changes may have lost a change that the snapshot does not see. The second argument is private.changes_kept.from_xid.';

create or replace function private.forget_restored_changes() returns void
  language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- A dump that was restored into another server has the transaction numbers of its former one. They look like transactions to come. Each
  -- statement has a snapshot of its own, which sees no row of a later transaction of this server.
  delete from private.changes c where c.xid >= pg_snapshot_xmax(pg_current_snapshot());
  -- running transactions have lost no row
  update private.changes_kept k set from_xid = pg_snapshot_xmin(pg_current_snapshot()) where k.from_xid > pg_snapshot_xmax(pg_current_snapshot());
end
$$;
comment on function private.forget_restored_changes() is 'Deletes changes with transaction numbers of another server. A stream that resumes then sends a reset.';

create or replace function private.forget_changes(p_keep integer, p_most integer) returns bigint
  language plpgsql volatile security definer set search_path = ''
as $$
declare
  -- The present snapshots of readers begin here. A transaction that runs for hours must not make them incomplete.
  running constant xid8 := pg_snapshot_xmin(pg_current_snapshot());
  kept_from xid8;
  forgotten bigint;
begin
  -- one process at a time, because the deletion and its note belong together
  perform from private.changes_kept for update;
  perform private.forget_restored_changes();
  select max(xid) into kept_from from (
    select c.xid from private.changes c where c.happened_at < now() - interval '1 hour'
    union all
    (select c.xid from private.changes c order by c.xid desc offset p_keep limit 1)
  ) as ended where xid < running;
  if kept_from is null then
    return 0;
  end if;
  delete from private.changes c where c.xid in (select d.xid from private.changes d where d.xid <= kept_from order by d.xid limit p_most);
  get diagnostics forgotten = row_count;
  update private.changes_kept k set from_xid = greatest(k.from_xid, (kept_from::text::bigint + 1)::text::xid8);
  return forgotten;
end
$$;
comment on function private.forget_changes(integer, integer) is
  'Deletes up to p_most changes that are older than an hour or not among the newest p_keep. Returns the number of deleted rows. A stream that resumes from before them sends a reset.';
grant execute on function private.forget_changes(integer, integer), private.forget_restored_changes(), private.changes_seen(),
  private.is_incomplete_since(pg_snapshot, xid8), private.database_identity()
  to auth_service;
