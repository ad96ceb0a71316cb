-- What happened in accounts and organizations is written down by triggers, in the transaction that does it: whichever way leads
-- there, the engine's, ours, the operator's or a succession, no event is forgotten, and none is told of what did not happen.
--
-- Who asks and from where only the auth service knows. It says so before each statement that writes (auth/database.ts);
-- where it does not, as when an operator works in SQL, nobody is named.

create or replace function private.asking() returns jsonb
  language sql stable
  return coalesce(nullif(current_setting('events.asking', true), '')::jsonb, '{}');
comment on function private.asking() is 'Who asks for what is being written, where the auth service says so: `user_id`, `session_id`, `ip_address` and `user_agent`.';

create or replace function private.device_of(p_address text, p_agent text) returns text
  language sql immutable
  return md5(coalesce(substring(p_address from '^[0-9]+\.[0-9]+\.|^[0-9a-f]*:[0-9a-f]*:'), '') || ' ' || regexp_replace(coalesce(p_agent, ''), '[0-9._]+', '', 'g'));
comment on function private.device_of(text, text) is
  'What two sign-ins of one device have in common: the program without its version, and the wider network, /16 of IPv4 and /32 of IPv6.';

create or replace function private.notice_to(p_kind text, p_user text, p_address text) returns text
  language sql stable
begin atomic
  select p_address where 5 > (
    select count(*) from auth.events e
    where e.user_id = p_user and e.kind = p_kind and e.happened_at > now() - interval '1 day' and e.detail ->> 'new_device' is distinct from 'false');
end;
comment on function private.notice_to(text, text, text) is
  'The address that a mail about an event goes to; null after five of the kind in a day, so that a program that signs in by the hour floods nobody.';

create or replace function private.verified_address(p_user text) returns text
  language sql stable
begin atomic
  select email from auth.users where id = p_user and email_verified;
end;
comment on function private.verified_address(text) is 'A person''s address; null where it was never verified, because it may be anybody''s.';

create or replace function private.record_account_event(p_kind text, p_user text, p_mail_to text, p_detail jsonb default '{}') returns void
  language plpgsql volatile security definer set search_path = ''
as $$
declare
  asking constant jsonb := private.asking();
begin
  -- somebody who is being deleted is not there any more
  insert into auth.events (kind, user_id, ip_address, user_agent, detail, mail_to)
    select p_kind, id, left(asking ->> 'ip_address', 64), left(asking ->> 'user_agent', 512), p_detail, private.notice_to(p_kind, id, p_mail_to)
    from auth.users where id = p_user;
end
$$;
comment on function private.record_account_event(text, text, text, jsonb) is 'Writes down what happened in an account, and whom a mail tells.';

create or replace function private.record_event() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  changed constant jsonb := case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
  person constant text := changed ->> coalesce(tg_argv[1], 'user_id');
begin
  perform private.record_account_event(tg_argv[0], person, private.verified_address(person),
    case when tg_table_name = 'users' or changed ->> 'name' is null then '{}' else jsonb_build_object('name', left(changed ->> 'name', 200)) end);
  return null;
end
$$;
comment on function private.record_event() is
  'Writes down an event of the kind that the trigger names, of the account that the row''s user_id names, or the column of the second argument.';

create or replace function private.record_sign_in() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  this_device constant text := private.device_of(new.ip_address, new.user_agent);
  is_new boolean;
begin
  -- who is signed in gets another session in place of theirs, as after a new password
  if private.asking() ->> 'user_id' = new.user_id then
    return null;
  end if;
  -- The first sign-in of an account is of no new device: it is the one that the account was made with. One whose
  -- sign-ins are all forgotten is no new account.
  select not exists (select from auth.events e where e.user_id = u.id and e.device = this_device)
      and (u.created_at < now() - interval '1 day' or exists (select from auth.events e where e.user_id = u.id and e.device is not null))
    into is_new from auth.users u where u.id = new.user_id;
  insert into auth.events (kind, user_id, ip_address, user_agent, device, detail, mail_to)
    values ('signed_in', new.user_id, left(nullif(new.ip_address, ''), 64), left(nullif(new.user_agent, ''), 512), this_device,
      jsonb_build_object('new_device', is_new),
      case when is_new then private.notice_to('signed_in', new.user_id, private.verified_address(new.user_id)) end);
  return null;
end
$$;
comment on function private.record_sign_in() is 'Writes down that a session began, and whether on a new device.';

create or replace function private.record_revoked_sessions() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  asking constant jsonb := private.asking();
begin
  -- A reset of the password and a stopped change of the address have no caller and are events themselves. A sign-out ends
  -- only the caller's own session, and a new password replaces it.
  if (asking ? 'ip_address' and not asking ? 'user_id') or exists (select from revoked where id = asking ->> 'session_id') then
    return null;
  end if;
  perform private.record_account_event('sessions_revoked', user_id, private.verified_address(user_id))
    from (select distinct user_id from revoked where expires_at > now()) as ended;
  return null;
end
$$;
comment on function private.record_revoked_sessions() is
  'Writes down that sessions of a person were ended from another session or by the operator, before they expired.';

create or replace function private.record_credential() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  case
    -- a change of the address that is stopped has no caller, and mails a link to choose another password
    when tg_op = 'UPDATE' and new.password is null then
      perform private.record_account_event('password_removed', new.user_id, case when private.asking() ? 'user_id' then private.verified_address(new.user_id) end);
    when tg_op = 'UPDATE' then perform private.record_account_event('password_changed', new.user_id, private.verified_address(new.user_id));
    when tg_op = 'DELETE' then
      perform private.record_account_event('account_unlinked', old.user_id, private.verified_address(old.user_id), jsonb_build_object('name', left(old.provider_id, 200)));
    -- the first one is what the account was made with
    when not exists (select from auth.accounts where user_id = new.user_id and id <> new.id) then null;
    when new.provider_id = 'credential' then perform private.record_account_event('password_changed', new.user_id, private.verified_address(new.user_id));
    else perform private.record_account_event('account_linked', new.user_id, private.verified_address(new.user_id), jsonb_build_object('name', left(new.provider_id, 200)));
  end case;
  return null;
end
$$;
comment on function private.record_credential() is 'Writes down that a password changed or was taken away, and what was linked to an account after it was made.';

create or replace function private.record_new_address() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  -- who reads the new one knows
  perform private.record_account_event('email_changed', new.id, case when old.email_verified then old.email end,
    jsonb_build_object('email', new.email, 'previous_email', old.email));
  return null;
end
$$;
comment on function private.record_new_address() is 'Writes down that a person''s address changed; the old one is told.';

create or replace function private.record_membership() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  organization constant text := case tg_op when 'DELETE' then old.organization_id else new.organization_id end;
  person constant text := case tg_op when 'DELETE' then old.user_id else new.user_id end;
  actor constant text := private.asking() ->> 'user_id';
begin
  -- an organization or a person that is being deleted is not there any more
  insert into auth.events (kind, user_id, organization_id, actor_id, detail)
    select case
        when tg_op = 'INSERT' then 'member_joined'
        when tg_op = 'DELETE' then case when u.id is null or u.id = actor then 'member_left' else 'member_removed' end
        when new.role = 'owner' then 'ownership_transferred'
        else 'role_changed'
      end,
      u.id, o.id, a.id,
      jsonb_strip_nulls(jsonb_build_object(
        'role', case when tg_op <> 'DELETE' then new.role end,
        'previous_role', case when tg_op <> 'INSERT' then old.role end))
    from auth.organizations o left join auth.users u on u.id = person left join auth.users a on a.id = actor
    where o.id = organization;
  return null;
end
$$;
comment on function private.record_membership() is 'Writes down who joined, left or was removed, and whose role changed.';

create or replace function private.delete_events() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  delete from auth.events where user_id = old.id and organization_id is null;
  return old;
end
$$;
comment on function private.delete_events() is 'Deletes the events of an account that is being deleted. Those of organizations stay, without a name.';
