-- after: core
-- The rules of invitations. A full organization cannot invite. An expired invitation keeps the status pending until a
-- new one for the same address replaces it. A pending one ends with the inviter's right to invite: otherwise an admin
-- could invite a second address of their own, and return by it after a removal.

create or replace function private.check_invitation() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if private.is_organization_full(new.organization_id) then
    raise exception using errcode = 'P0001', message = 'MEMBERSHIP_LIMIT_REACHED';
  end if;
  -- the lock makes a concurrent removal of the inviter wait, so that it cancels this invitation too
  perform from auth.members m
    where m.organization_id = new.organization_id and m.user_id = new.inviter_id and m.role in ('owner', 'admin')
    for share;
  if not found then
    raise exception using errcode = 'P0001', message = 'FORBIDDEN';
  end if;
  -- concurrent invitations of one organization wait, so that together they cannot exceed the limit
  perform from auth.organizations where id = new.organization_id for no key update;
  if (
    select count(*) from auth.invitations
    where organization_id = new.organization_id and status = 'pending' and expires_at > now()
  ) >= 100 then
    raise exception using errcode = 'P0001', message = 'INVITATION_LIMIT_REACHED';
  end if;
  update auth.invitations set status = 'canceled'
    where organization_id = new.organization_id and email = new.email and status = 'pending' and expires_at <= now();
  return new;
end
$$;
comment on function private.check_invitation() is
  'Refuses an invitation into a full organization, by a user who is neither owner nor admin, or beyond 100 pending '
  'ones, and cancels an expired one to the same address.';

create or replace function private.cancel_invitations_of_member() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'DELETE' or new.role not in ('owner', 'admin') then
    update auth.invitations set status = 'canceled'
      where organization_id = old.organization_id and inviter_id = old.user_id and status = 'pending';
  end if;
  return null;
end
$$;
comment on function private.cancel_invitations_of_member() is
  'Cancels the pending invitations of a user who is no longer owner or admin of the organization.';

-- The engine reads an invitation and stores the answer in a second statement. This trigger refuses the answer if
-- another request has answered in between. An invitation may become pending again: the engine does this when an
-- acceptance fails.
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
comment on function private.answer_pending_invitation() is
  'Refuses an answer to an invitation that is already answered.';
