-- after: core
-- A webhook of a team ends with its user's role.

create or replace function auth.delete_webhooks_below_admin() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  delete from auth.webhooks w where w.organization_id = new.organization_id and w.user_id = new.user_id;
  return null;
end
$$;
comment on function auth.delete_webhooks_below_admin() is
  'Deletes the webhooks of a member who is no longer owner or admin, so that they do not work again if the member '
  'regains the role.';
revoke execute on function auth.delete_webhooks_below_admin() from public;
