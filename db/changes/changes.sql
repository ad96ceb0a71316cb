-- after: changes/tables, core/tenants
-- Live streams tell a client that rows have changed, so that it reads them again. Each statement that changes rows
-- notes its tables, tenants and ids in private.changes, in the same transaction. The first note of a transaction in a
-- tenant raises the tenant's position (db/core/tenants.sql), in any role. A transaction has one row for each table and
-- tenant. The rows hold no values, and the client reads under row security, so the streams need no second copy of the
-- row rules.
--
-- A reader knows its position in a tenant, and the id of the change there. It has missed nothing if the next position
-- has this change as its column after. If not, changes were deleted after an hour, or lost by a restore or a failover,
-- and the client reads everything.
--
-- There is no notification: commits with one wait for each other's write to the disk.

create or replace function private.action_of(p_operation text) returns text
  language sql immutable parallel safe
  return case p_operation when 'INSERT' then 'create' when 'UPDATE' then 'update' else 'delete' end;
comment on function private.action_of(text) is 'The action of activity and of live streams for tg_op of a trigger.';

create or replace function private.note_change(
  p_table text, p_tenant text, p_permission text, p_action text, p_ids uuid[]
) returns void
  language plpgsql volatile set search_path = ''
as $$
declare
  caller constant text := public.uid();
  request uuid;
begin
  -- a user or an organization is being deleted with all rows
  if p_tenant = current_setting('private.deleted_tenant', true) then
    return;
  end if;
  if caller is not null then
    request := private.activity_id(private.start_activity(), 0);
  end if;
  perform private.raise_position(p_tenant);
  insert into private.changes as c
      (tenant, position, change, after, table_name, permission, actions, ids, change_id, actor_id)
    select t.tenant, t.position, t.change, t.after, p_table, p_permission, array[p_action],
      case when cardinality(p_ids) <= 100 then p_ids end, request, caller
    from private.tenants t where t.tenant = p_tenant
    on conflict on constraint changes_once do update
      set actions = case when p_action = any (c.actions) then c.actions else c.actions || p_action end,
        ids = case when c.ids is not null and excluded.ids is not null then (
          select case when count(*) <= 100 then array_agg(id) end
          from (select distinct id from unnest(c.ids || excluded.ids) as id) as of_both) end
      -- Each update makes a row version that the next one must pass. A foreign key may run one statement for each of
      -- 50,000 rows.
      where c.ids is not null or p_action <> all (c.actions);
end
$$;
comment on function private.note_change(text, text, text, text, uuid[]) is
  'Notes that a statement has changed rows of one table and tenant. Raises the position of the tenant, once in a '
  'transaction. p_permission is the right that a member needs to see the rows, if it is not list.';

create or replace function private.note_dashboard() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  -- a dashboard that becomes private or shared concerns viewers too
  is_hidden constant boolean := coalesce(new.organization_id, old.organization_id) is not null
    and 'private' = all (array_remove(array[old.visibility, new.visibility], null));
begin
  perform private.note_change('dashboards', coalesce(new.tenant, old.tenant),
    case when is_hidden then 'list_private' end, private.action_of(tg_op), array[coalesce(new.id, old.id)]);
  return null;
end
$$;
comment on function private.note_dashboard() is
  'Notes a changed dashboard for live streams. Viewers see no private dashboard of a team.';

create or replace function private.note_app_subscription() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  perform private.note_change('app_subscriptions', private.tenant_of(coalesce(new.user_id, old.user_id), null), null,
    private.action_of(tg_op), array[coalesce(new.id, old.id)]);
  if tg_op = 'DELETE' then
    return old;
  end if;
  if tg_op = 'UPDATE' then
    new.updated_at := private.edited_at(old.updated_at);
  end if;
  return new;
end
$$;
comment on function private.note_app_subscription() is
  'Sets updated_at of a changed plan, and notes the change for live streams of its subscriber.';

create or replace function private.note_end_of_access(p_tenant text) returns void
  language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform private.raise_position(p_tenant);
  insert into private.changes (tenant, position, change, after, table_name, actions)
    select t.tenant, t.position, t.change, t.after, 'access', array['delete']
    from private.tenants t where t.tenant = p_tenant
    on conflict on constraint changes_once do nothing;
end
$$;
comment on function private.note_end_of_access(text) is
  'Notes that the live streams of the user of an a: tenant must be checked, or those of all users.';

create or replace function private.note_lost_access() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  perform private.note_end_of_access('a:' || (to_jsonb(old) ->> 'user_id'));
  return null;
end
$$;
comment on function private.note_lost_access() is 'Notes that the live streams of a user must be checked.';

create or replace function private.forget_changes(p_keep integer, p_most integer) returns bigint
  language plpgsql volatile security definer set search_path = ''
as $$
declare
  until constant timestamptz := greatest(
    now() - interval '1 hour',
    (select happened_at from private.changes order by happened_at desc offset p_keep limit 1));
  forgotten bigint;
begin
  -- a position in whole, after all earlier ones of the tenant
  delete from private.changes c
    using (
      select o.tenant, max(o.position) as position
      from (select tenant, position from private.changes where happened_at <= until order by happened_at limit p_most) o
      group by o.tenant
    ) old
    where c.tenant = old.tenant and c.position <= old.position;
  get diagnostics forgotten = row_count;
  return forgotten;
end
$$;
comment on function private.forget_changes(integer, integer) is
  'Deletes about p_most changes that are older than an hour or not among the newest p_keep. Returns the number of '
  'deleted rows. A stream that resumes from before them sends a reset.';
grant execute on function private.forget_changes(integer, integer) to auth_service;

comment on table private.changes is
  'The tables and tenants that transactions of about the last hour have changed, for live streams and webhooks. The '
  'table access of an a: tenant is an end of access.';
comment on column private.changes.position is 'The position of the tenant to which the transaction has raised it.';
comment on column private.changes.change is 'The random id of the transaction.';
comment on column private.changes.after is 'The change of the position before.';
comment on column private.changes.permission is
  'The right that a member of the organization needs to see the rows, if it is not list.';
comment on column private.changes.ids is 'The changed rows, as in api.activity; null above a hundred.';
comment on column private.changes.change_id is
  'The change_id of the request in api.activity; null if no request caused the change.';
grant select on private.changes to auth_service;
grant select on private.tenants to auth_service;
