-- after: core
-- Triggers of the deletion of a user or an organization.

create or replace function private.owned_tables() returns regclass[]
  language sql stable
begin atomic
  select array_agg(c.oid::regclass
    -- activity last: a running request may still record a change of one of these rows
    order by c.oid <> 'api.transactions'::regclass, c.relname = 'activity', c.relname)
  from pg_catalog.pg_class c
  where c.relnamespace = 'api'::regnamespace and c.relkind = 'r'
    and 2 = (
      select count(*) from pg_catalog.pg_attribute a
      where a.attrelid = c.oid and not a.attisdropped and a.attname in ('user_id', 'organization_id')
    );
end;
comment on function private.owned_tables() is
  'The tables of api that have the owner pair, transactions first. So a new table is not forgotten.';

-- The deletion of a user changes the user's rows in organizations, by foreign keys. A request of the user may hold the
-- organization's lock while it waits for the user's row. So the auth service calls this before it deletes the user.
create or replace function private.lock_organizations_of_user(p_user_id text) returns void
  language plpgsql volatile security definer set search_path = ''
as $$
declare
  owned regclass;
  more text[];
  organizations text[] := '{}'::text[];
begin
  foreach owned in array private.owned_tables() loop
    execute format(
      'select array_agg(distinct ''o:'' || organization_id) from %s
        where user_id = $1 and organization_id is not null',
      owned) into more using p_user_id;
    organizations := organizations || more;
  end loop;
  perform from private.tenants where tenant = any (organizations) order by tenant desc for no key update;
end
$$;
comment on function private.lock_organizations_of_user(text) is 'Locks the organizations in which a user has rows.';
grant execute on function private.lock_organizations_of_user(text) to auth_service;

-- The rows of a user or an organization are deleted before the foreign keys would do it: transactions first. Otherwise
-- each deleted account, category, import and subscription would first change all of its transactions, which takes ten
-- times as long.
create or replace function private.delete_rows_of_tenant() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  is_user constant boolean := tg_table_name = 'users';
  tenant_of_old constant text := case when is_user then 'u:' else 'o:' end || old.id;
  owned regclass;
begin
  if is_user then
    perform private.lock_organizations_of_user(old.id);
  else
    -- the access of all members ends
    perform from private.tenants
      where tenant in (select 'a:' || user_id from auth.members where organization_id = old.id)
      order by tenant desc for no key update;
  end if;
  -- A request of the tenant may wait for the row of its user or organization, so the deletion does not wait for the
  -- tenant's lock. It notes no changes, and forget_tenants() deletes the tenant later.
  perform set_config('private.deleted_tenant', tenant_of_old, true);
  perform private.forget_deleted_imports(array_agg(a.row_id), array_agg(a.tenant)) from api.activity a
    where a.tenant = tenant_of_old and a.action = 'delete' and a.table_name in ('transactions', 'imports');
  foreach owned in array private.owned_tables() loop
    execute format('delete from %s where %s', owned,
      case when is_user then 'user_id = $1 and organization_id is null' else 'organization_id = $1' end) using old.id;
  end loop;
  delete from private.changes where tenant = tenant_of_old;
  return old;
end
$$;
comment on function private.delete_rows_of_tenant() is
  'Deletes the rows of a user or an organization that is being deleted. Rows of a user in organizations stay.';

create or replace function private.forget_tenants() returns bigint
  language plpgsql volatile security definer set search_path = ''
as $$
declare
  forgotten bigint;
begin
  with deleted as (
    delete from private.tenants where tenant in (
      select tenant from private.tenants where tenant <> 'a:' and cell is null
      except
      select kind || id from auth.users, unnest(array['u:', 'a:']) as kind
      except
      select 'o:' || id from auth.organizations)
    returning tenant
  ), unread as (
    -- the ends of access of deleted users
    delete from private.changes c using deleted d where c.tenant = d.tenant
  )
  select count(*) into forgotten from deleted;
  return forgotten;
end
$$;
comment on function private.forget_tenants() is
  'Deletes the tenants of deleted users and organizations, except those of another database. Returns their number.';
grant execute on function private.forget_tenants() to auth_service;

-- A successor becomes the owner of each organization of the user. If the deletion were refused instead, an organization
-- could block the deletion of a user's account. Without a successor the organization stays, without members, and an
-- operator decides about it: money data is never deleted as a side effect.
create or replace function private.succeed_owner() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  owned text;
  successor text;
begin
  for owned in select organization_id
    from auth.members
    where user_id = old.id and role = 'owner'
    order by organization_id loop
    -- no member leaves, no other user joins, and none becomes the owner of another organization before the transaction
    -- ends
    perform from auth.organizations where id = owned for no key update;
    perform from auth.members m join auth.users u on u.id = m.user_id where m.organization_id = owned
      order by u.id for update of m for no key update of u;
    delete from auth.members where organization_id = owned and user_id = old.id and role = 'owner';
    -- the ownership may have been transferred meanwhile
    continue when not found;
    successor := auth.successor_of(owned);
    if successor is null then
      delete from auth.members where organization_id = owned;
      update auth.invitations set status = 'canceled' where organization_id = owned and status = 'pending';
    else
      update auth.members set role = 'owner' where organization_id = owned and user_id = successor;
    end if;
  end loop;
  return old;
end
$$;
comment on function private.succeed_owner() is
  'Transfers the organizations of a user who is being deleted to their successors. An organization without a '
  'successor stays without members.';

create or replace function private.forget_account() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  delete from auth.events where user_id = old.id and organization_id is null;
  -- the value of a mailed link is the user's id, or JSON with it
  delete from auth.verifications where value = old.id or strpos(value, '"userId":' || to_json(old.id)) > 0;
  return old;
end
$$;
comment on function private.forget_account() is
  'Deletes the events and the pending links of an account that is being deleted. Events of organizations stay, '
  'without the user.';
