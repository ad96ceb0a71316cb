-- Two triggers of a user's deletion.

-- The personal rows are deleted, and the team's rows stay. The catalogue lists the tables, so that a new table is not forgotten: all
-- tables of api that have the owner pair.
create or replace function private.delete_personal_rows() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  owned text;
begin
  for owned in
    select c.relname
    from pg_catalog.pg_class c
    where c.relnamespace = 'api'::regnamespace and c.relkind = 'r'
      and 2 = (
        select count(*) from pg_catalog.pg_attribute a
        where a.attrelid = c.oid and not a.attisdropped and a.attname in ('user_id', 'organization_id')
      )
    -- activity last: a running request may still record a change of one of these rows
    order by c.relname = 'activity', c.relname
  loop
    execute format('delete from api.%I where user_id = $1 and organization_id is null', owned) using old.id;
  end loop;
  return old;
end
$$;
comment on function private.delete_personal_rows() is 'Deletes the personal rows of a user who is being deleted.';

-- The longest-standing member of the highest remaining role becomes the owner of the user's organization. If the deletion were refused
-- instead, an organization could block the deletion of a user's account. Without another member the organization stays, and an operator
-- decides about it: money data is never deleted as a side effect.
create or replace function private.succeed_owner() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  owned text;
begin
  for owned in select organization_id from auth.members where user_id = old.id and role = 'owner' loop
    delete from auth.members where organization_id = owned and user_id = old.id;
    update auth.members set role = 'owner' where organization_id = owned and user_id = auth.successor_of(owned);
  end loop;
  return old;
end
$$;
comment on function private.succeed_owner() is 'Transfers the organizations of a user who is being deleted to a successor.';
