-- What becomes of an organization whose owner's account is deleted: the longest-standing member of the highest
-- remaining role owns it from then on. Refusing the deletion instead would let an organization hold a person's account.
-- With nobody left the organization stays, without members, for an operator to decide about: money data is not
-- deleted as a side effect.

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
