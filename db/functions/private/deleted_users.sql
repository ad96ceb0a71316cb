-- Two triggers of a user's deletion.

-- The personal rows are deleted, and the team's stay. The catalogue names the tables, so that a new one cannot be forgotten: they are all
-- tables of api with the owner pair.
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
    -- activity last: a request that is under way may still record what it does to another of these rows
    order by c.relname = 'activity', c.relname
  loop
    execute format('delete from api.%I where user_id = $1 and organization_id is null', owned) using old.id;
  end loop;
  return old;
end
$$;
comment on function private.delete_personal_rows() is 'Deletes the personal rows of a user who is being deleted.';

-- The longest-standing member of the highest remaining role becomes the owner of the user's organization. To refuse the deletion instead
-- would let an organization hold a person's account. Without another member the organization stays, for an operator to decide about:
-- money data is not deleted as a side effect.
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
comment on function private.succeed_owner() is 'Passes the organizations of a user who is being deleted to a successor.';
