-- A full organization invites nobody. An invitation that ran out still says pending until somebody looks; a new one for the
-- same address replaces it.

create or replace function private.check_invitation() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if private.is_full(new.organization_id) then
    raise exception using errcode = 'P0001', message = 'MEMBERSHIP_LIMIT_REACHED';
  end if;
  update auth.invitations set status = 'canceled'
    where organization_id = new.organization_id and email = new.email and status = 'pending' and expires_at <= now();
  return new;
end
$$;
comment on function private.check_invitation() is 'Refuses an invitation into a full organization; makes room for a new one where the pending one has expired.';

-- The engine looks an invitation up, and answers it in a second statement. Somebody else may have answered in between, so
-- this trigger refuses an answer to an invitation that is no longer pending. An invitation may become pending again, because
-- the engine takes back an acceptance that failed.
create or replace function private.answer_pending_invitation() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if old.status <> 'pending' and new.status not in (old.status, 'pending') then
    raise exception using errcode = 'P0001', message = 'NOT_FOUND';
  end if;
  return new;
end
$$;
comment on function private.answer_pending_invitation() is 'Refuses an answer to an invitation that was already answered.';
