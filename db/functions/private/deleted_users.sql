-- Triggers of the deletion of a user or an organization.

-- The rows of a user or an organization are deleted before the foreign keys would do it: transactions first. Otherwise each deleted
-- account, category, import and subscription would first change all of its transactions, which takes ten times as long.
-- The catalogue lists the tables, so that a new table is not forgotten: all tables of api that have the owner pair.
create or replace function private.delete_rows_of_tenant() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  condition constant text := case tg_table_name when 'users' then 'user_id = $1 and organization_id is null' else 'organization_id = $1' end;
  owned regclass;
begin
  for owned in
    select c.oid
    from pg_catalog.pg_class c
    where (c.relnamespace = 'api'::regnamespace or c.oid = 'private.changes'::regclass) and c.relkind = 'r'
      and 2 = (
        select count(*) from pg_catalog.pg_attribute a
        where a.attrelid = c.oid and not a.attisdropped and a.attname in ('user_id', 'organization_id')
      )
    -- activity and changes last: a running request may still record a change of one of these rows
    order by c.oid <> 'api.transactions'::regclass, c.relname = 'activity', c.oid = 'private.changes'::regclass, c.relname
  loop
    execute format('delete from %s where %s', owned, condition) using old.id;
  end loop;
  return old;
end
$$;
comment on function private.delete_rows_of_tenant() is 'Deletes the rows of a user or an organization that is being deleted. Rows of a user in organizations stay.';

-- A successor becomes the owner of each organization of the user. If the deletion were refused instead, an organization could block the
-- deletion of a user's account. Without a successor the organization stays, without members, and an operator decides about it: money data
-- is never deleted as a side effect.
create or replace function private.succeed_owner() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  owned text;
  successor text;
begin
  for owned in select organization_id from auth.members where user_id = old.id and role = 'owner' order by organization_id loop
    -- no member leaves, no other user joins, and none becomes the owner of another organization before the transaction ends
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
  'Transfers the organizations of a user who is being deleted to their successors. An organization without a successor stays without members.';

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
  'Deletes the events and the pending links of an account that is being deleted. Events of organizations stay, without the user.';
