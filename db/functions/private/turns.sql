-- Members of one tenant write one after another. Two statements that change the same rows in opposite orders would otherwise
-- wait for each other until PostgreSQL ends one of them with 40P01, which PostgREST answers with 500: one member's bulk
-- update against another's upsert, or a category's deletion against a row that is being filed under it.
--
-- A request may write to the caller's personal rows and to the active organization's, so it takes the turn of both, the
-- person's first. No request holds an organization's turn while it waits for a person's, so none can wait in a circle.

create or replace function private.take_turns(p_table text) returns void
  language plpgsql set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('turn of user ' || public.uid(), 0));
  -- a role that may write nothing of the organization's must not keep those waiting who may
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
comment on function private.take_turns(text) is 'Waits until no other request of the caller''s tenant writes; 409 when that takes longer than lock_timeout.';
grant execute on function private.take_turns(text) to authenticated;

create or replace function private.take_turn() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  -- the owner of the database, and the foreign keys' own actions, take no turn
  if current_user = 'authenticated' then
    perform private.take_turns(tg_table_name);
  end if;
  return null;
end
$$;
comment on function private.take_turn() is 'Takes the turns of a request that writes to a table.';
