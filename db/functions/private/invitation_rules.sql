-- The rules of invitations. A full organization cannot invite. An expired invitation keeps the status pending until a new one for the same
-- address replaces it.

create or replace function private.check_invitation() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if private.is_organization_full(new.organization_id) then
    raise exception using errcode = 'P0001', message = 'MEMBERSHIP_LIMIT_REACHED';
  end if;
  update auth.invitations set status = 'canceled'
    where organization_id = new.organization_id and email = new.email and status = 'pending' and expires_at <= now();
  return new;
end
$$;
comment on function private.check_invitation() is 'Refuses an invitation into a full organization, and cancels an expired one to the same address.';

-- The engine reads an invitation and stores the answer in a second statement. This trigger refuses the answer if another request has
-- answered in between. An invitation may become pending again: the engine does this when an acceptance fails.
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
comment on function private.answer_pending_invitation() is 'Refuses an answer to an invitation that is already answered.';
