-- Triggers of webhooks and calendars. Both end like API keys: with the membership, and a team's webhook also with the role.

-- Each check locks the account and the membership until its transaction ends. So a new row and a concurrent change of the role cannot
-- miss each other.
create or replace function auth.check_webhook() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  webhook_limit constant integer := 10;
begin
  perform from auth.users where id = new.user_id for no key update;
  if (select count(*) from auth.webhooks where user_id = new.user_id) >= webhook_limit then
    raise exception using errcode = 'P0001', message = 'WEBHOOK_LIMIT_REACHED';
  end if;
  if new.organization_id is not null then
    perform from auth.members m
      where m.organization_id = new.organization_id and m.user_id = new.user_id and auth.role_rank(m.role) >= auth.role_rank('admin')
      for share;
    if not found then
      raise exception using errcode = 'P0001', message = 'FORBIDDEN';
    end if;
  end if;
  return new;
end
$$;
comment on function auth.check_webhook() is 'Refuses an eleventh webhook of a user, and a webhook of an organization whose user is neither owner nor admin.';
revoke execute on function auth.check_webhook() from public;

create or replace function auth.delete_webhooks_below_admin() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  delete from auth.webhooks w where w.organization_id = new.organization_id and w.user_id = new.user_id;
  return null;
end
$$;
comment on function auth.delete_webhooks_below_admin() is
  'Deletes the webhooks of a member who is no longer owner or admin, so that they do not work again if the member regains the role.';
revoke execute on function auth.delete_webhooks_below_admin() from public;

create or replace function auth.check_calendar() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  calendar_limit constant integer := 10;
begin
  perform from auth.users where id = new.user_id for no key update;
  if (select count(*) from auth.calendars where user_id = new.user_id) >= calendar_limit then
    raise exception using errcode = 'P0001', message = 'CALENDAR_LIMIT_REACHED';
  end if;
  return new;
end
$$;
comment on function auth.check_calendar() is 'Refuses an eleventh calendar of a user.';
revoke execute on function auth.check_calendar() from public;
