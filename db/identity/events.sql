-- after: identity/tables, jobs/tables
-- Triggers record the events of accounts and organizations, in the transaction that causes them. So every way to the
-- change is recorded: the engine, our own code, an operator, a succession. A transaction that fails leaves no event.
--
-- Only the auth service knows the caller and the client's address. It sets them before each statement that writes
-- (http/database.ts). For other clients, such as an operator's SQL, the event has no actor.

create or replace function private.audit_context() returns jsonb
  language sql stable
  return coalesce(nullif(current_setting('events.asking', true), '')::jsonb, '{}');
comment on function private.audit_context() is
  'The caller of the current statement, as set by the auth service: `user_id`, `session_id`, `ip_address` and '
  '`user_agent`.';

create or replace function private.device_of(p_address text, p_agent text) returns text
  language sql immutable
  return md5(
    coalesce(substring(p_address from '^[0-9]+\.[0-9]+\.|^[0-9a-f]*:[0-9a-f]*:'), '')
      || ' '
      || regexp_replace(coalesce(p_agent, ''), '[0-9._]+', '', 'g'));
comment on function private.device_of(text, text) is
  'A fingerprint that the sign-ins of one device share: the user agent without version numbers, and the wider '
  'network, /16 of IPv4 or /32 of IPv6.';

create or replace function private.mail_recipient(p_kind text, p_user text, p_address text) returns text
  language sql stable
begin atomic
  select p_address where 5 > (
    select count(*) from auth.events e
    where e.user_id = p_user and e.kind = p_kind and e.happened_at > now() - interval '1 day'
      and e.detail ->> 'new_device' is distinct from 'false');
end;
comment on function private.mail_recipient(text, text, text) is
  'The recipient of the email about an event. Null after five events of the kind in a day, so that a program that '
  'signs in every hour causes few mails.';

create or replace function private.verified_address(p_user text) returns text
  language sql stable
begin atomic
  select email from auth.users where id = p_user and email_verified;
end;
comment on function private.verified_address(text) is
  'The user''s address. Null if it was never verified, because it may belong to another person.';

create or replace function private.record_account_event(
  p_kind text, p_user text, p_mail_to text, p_detail jsonb default '{}'
) returns void
  language plpgsql volatile security definer set search_path = ''
as $$
declare
  context constant jsonb := private.audit_context();
  -- an owner who removes a member also ends the member's keys, and the member must not learn the owner's address
  is_of_user constant boolean := coalesce(context ->> 'user_id', p_user) = p_user;
begin
  -- a user who is being deleted is no longer in the table
  insert into auth.events (kind, user_id, ip_address, user_agent, detail, mail_to)
    select p_kind, id, case when is_of_user then left(context ->> 'ip_address', 64) end,
      case when is_of_user then left(context ->> 'user_agent', 512) end,
      p_detail, private.mail_recipient(p_kind, id, p_mail_to)
    from auth.users where id = p_user;
end
$$;
comment on function private.record_account_event(text, text, text, jsonb) is
  'Records an event of an account, and the recipient of its email.';

create or replace function private.record_event() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  changed constant jsonb := case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
  person constant text := changed ->> coalesce(tg_argv[1], 'user_id');
begin
  perform private.record_account_event(tg_argv[0], person, private.verified_address(person),
    case when tg_table_name = 'users' or changed ->> 'name' is null then '{}'
      else jsonb_build_object('name', left(changed ->> 'name', 200)) end);
  return null;
end
$$;
comment on function private.record_event() is
  'Records an event of the kind in the trigger''s first argument. The account is the row''s user_id, or the column '
  'in the second argument.';

create or replace function private.record_older_counter() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  -- no mail: each change between two devices with the same passkey would cause one
  perform private.record_account_event('passkey_counter_older', new.user_id, null,
    jsonb_build_object('name', left(new.name, 200)));
  return null;
end
$$;
comment on function private.record_older_counter() is
  'Records that a backed-up passkey has signed in with a counter that did not increase.';

create or replace function private.record_sign_in() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  this_device constant text := private.device_of(new.ip_address, new.user_agent);
  is_new boolean;
begin
  -- not a sign-in: a signed-in user gets a new session in place of the old one, for example after a new password
  if private.audit_context() ->> 'user_id' = new.user_id then
    return null;
  end if;
  -- The first sign-in of a new account is never from a new device: the user created the account on it. If all recorded
  -- sign-ins of an older account have been deleted, it still does not count as new.
  select not exists (select from auth.events e where e.user_id = u.id and e.device = this_device)
      and (
        u.created_at < now() - interval '1 day'
        or exists (select from auth.events e where e.user_id = u.id and e.device is not null))
    into is_new from auth.users u where u.id = new.user_id;
  insert into auth.events (kind, user_id, ip_address, user_agent, device, detail, mail_to)
    values ('signed_in', new.user_id, left(nullif(new.ip_address, ''), 64), left(nullif(new.user_agent, ''), 512),
      this_device,
      jsonb_build_object('new_device', is_new),
      case
        when is_new then private.mail_recipient('signed_in', new.user_id, private.verified_address(new.user_id))
      end);
  return null;
end
$$;
comment on function private.record_sign_in() is 'Records a new session, and whether it is on a new device.';

create or replace function private.record_revoked_sessions() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  context constant jsonb := private.audit_context();
begin
  -- A password reset and a stopped change of the address have no caller, and have events of their own. A sign-out
  -- ends only the caller's own session, and a new password replaces it.
  if (context ? 'ip_address' and not context ? 'user_id')
    or exists (select from revoked where id = context ->> 'session_id') then
    return null;
  end if;
  perform private.record_account_event('sessions_revoked', user_id, private.verified_address(user_id))
    from (select distinct user_id from revoked where expires_at > now()) as ended;
  return null;
end
$$;
comment on function private.record_revoked_sessions() is
  'Records that another session or the operator has ended unexpired sessions of a user.';

create or replace function private.record_credential() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  case
    -- stopping a change of the address has no caller, and sends a link to set another password
    when tg_op = 'UPDATE' and new.password is null then
      perform private.record_account_event('password_removed', new.user_id,
        case when private.audit_context() ? 'user_id' then private.verified_address(new.user_id) end);
    when tg_op = 'UPDATE'
      then perform private.record_account_event('password_changed', new.user_id, private.verified_address(new.user_id));
    when tg_op = 'DELETE' then
      perform private.record_account_event('account_unlinked', old.user_id, private.verified_address(old.user_id),
        jsonb_build_object('name', left(old.provider_id, 200)));
    -- the first credential belongs to the creation of the account
    when not exists (select from auth.accounts where user_id = new.user_id and id <> new.id) then null;
    when new.provider_id = 'credential'
      then perform private.record_account_event('password_changed', new.user_id, private.verified_address(new.user_id));
    else perform private.record_account_event('account_linked', new.user_id, private.verified_address(new.user_id),
      jsonb_build_object('name', left(new.provider_id, 200)));
  end case;
  return null;
end
$$;
comment on function private.record_credential() is
  'Records that a password was changed or removed, and that an identity provider was linked or unlinked after the '
  'account was created.';

create or replace function private.record_new_address() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  -- the mail goes to the previous address: the owner of the new one already knows
  perform private.record_account_event('email_changed', new.id, case when old.email_verified then old.email end,
    jsonb_build_object('email', new.email, 'previous_email', old.email));
  return null;
end
$$;
comment on function private.record_new_address() is
  'Records that a user''s address changed, and sends an email to the previous address.';

create or replace function private.record_membership() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  organization constant text := case tg_op when 'DELETE' then old.organization_id else new.organization_id end;
  person constant text := case tg_op when 'DELETE' then old.user_id else new.user_id end;
  actor constant text := private.audit_context() ->> 'user_id';
begin
  -- an organization or a user that is being deleted is no longer in the table
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
comment on function private.record_membership() is
  'Records that a member joined, left, was removed or changed the role.';

create or replace function private.queue_notice() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.jobs (task, payload) values ('queue_notice', jsonb_build_object('event_id', new.id));
  return null;
end
$$;
comment on function private.queue_notice() is 'Stores the job that sends an event by email.';
