-- An invitation that ran out still says pending until somebody looks. A new one for the same address replaces it.

create or replace function private.cancel_expired_invitation() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  update auth.invitations set status = 'canceled'
    where organization_id = new.organization_id and email = new.email and status = 'pending' and expires_at <= now();
  return new;
end
$$;
comment on function private.cancel_expired_invitation() is 'Makes room for a new invitation where the pending one has expired.';
