-- Members of one tenant write one after another. Without the locks, two statements that change the same rows in opposite orders could
-- deadlock. PostgreSQL would cancel one of them with 40P01, which PostgREST returns as 500. Examples are a bulk update against an upsert,
-- and the deletion of a category against a row that gets the category.
--
-- A request may write to the caller's personal rows and to the active organization's, so it locks both, the user first. A request never
-- waits for a user's lock while it holds an organization's lock, so the locks cannot deadlock.

create or replace function private.lock_tenants(p_table text) returns void
  language plpgsql set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('turn of user ' || public.uid(), 0));
  -- a role without the right to write must not delay the members who write
  if private.can(p_table, 'create') or private.can(p_table, 'update') or private.can(p_table, 'delete') then
    perform pg_advisory_xact_lock(hashtextextended('turn of organization ' || public.org_id(), 0));
  end if;
exception
  when lock_not_available then
    raise sqlstate 'PT409' using
      message = 'another change of the same data is still under way',
      hint = 'Nothing was stored. Send the request again.';
end
$$;
comment on function private.lock_tenants(text) is 'Waits until no other request writes to the caller''s tenants. Raises 409 if that takes longer than lock_timeout.';
grant execute on function private.lock_tenants(text) to authenticated;

create or replace function private.lock_tenants_of_statement() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  -- the owner of the database and the actions of foreign keys take no lock
  if current_user = 'authenticated' then
    perform private.lock_tenants(tg_table_name);
    perform private.start_activity();
  end if;
  return null;
end
$$;
comment on function private.lock_tenants_of_statement() is 'Locks the tenants of a request that writes to a table, and gives the request its change_id.';
