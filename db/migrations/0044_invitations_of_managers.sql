-- An invitation is canceled when its inviter is no longer owner or admin. This cancels those of the past.
update auth.invitations i set status = 'canceled'
  where i.status = 'pending' and not exists (
    select from auth.members m where m.organization_id = i.organization_id and m.user_id = i.inviter_id and m.role in ('owner', 'admin'));
