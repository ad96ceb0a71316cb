-- after: calendars/tables, jobs/tables, webhooks/tables
-- A backup also holds the access of its time: members who were removed since, revoked keys, former passwords. The
-- restore command calls access_now() in the database before the restore, and end_restored_access() in the restored
-- one. Both belong to the owner only.

create or replace function private.access_now() returns jsonb
  language sql stable
begin atomic
  select jsonb_build_object(
    'users',
    (
      select coalesce(
        jsonb_object_agg(id,
          jsonb_build_object('email', email, 'email_verified', email_verified, 'passkey_required', passkey_required)),
        '{}')
      from auth.users
    ),
    'organizations', (select coalesce(jsonb_object_agg(id, true), '{}') from auth.organizations),
    'members', (select coalesce(jsonb_object_agg(organization_id || ' ' || user_id, role), '{}') from auth.members),
    'invitations', (select coalesce(jsonb_object_agg(id, true), '{}') from auth.invitations where status = 'pending'),
    -- a password may be null
    'accounts',
    (select coalesce(jsonb_object_agg(id, jsonb_build_object('password', password)), '{}') from auth.accounts),
    'two_factors', (select coalesce(jsonb_object_agg(user_id, to_jsonb(f)), '{}') from auth.two_factors f),
    'passkeys', (select coalesce(jsonb_object_agg(id, true), '{}') from auth.passkeys),
    'api_keys', (select coalesce(jsonb_object_agg(id, true), '{}') from auth.api_keys),
    'calendars', (select coalesce(jsonb_object_agg(id, true), '{}') from auth.calendars),
    'webhooks',
    (
      select coalesce(
        jsonb_object_agg(id, jsonb_build_object('url', url, 'secret', secret, 'disabled_at', disabled_at)), '{}')
      from auth.webhooks
    ),
    'keys', (select coalesce(jsonb_object_agg(id, true), '{}') from auth.jwks)
  );
end;
comment on function private.access_now() is
  'Who has access now, and by which credentials, for end_restored_access(). It contains hashes of passwords and '
  'encrypted secrets.';

-- Over 80 lines, because each kind of access ends by a statement of its own, in this order.
create or replace function private.end_restored_access(p_now jsonb) returns table (what text, ended bigint)
  language plpgsql volatile set search_path = ''
as $$
declare
  counted bigint;
begin
  delete from auth.sessions;
  get diagnostics counted = row_count;
  return query select 'sessions', counted;
  delete from auth.verifications;
  get diagnostics counted = row_count;
  return query select 'pending links and sign-ins', counted;
  delete from auth.two_factor_tokens;
  get diagnostics counted = row_count;
  return query select 'trusted browsers', counted;

  -- Nothing is compared with a new and empty database, as on a new machine. A user or an organization that is only in
  -- the backup was deleted since. It comes back whole, because a restore may be for that.
  if exists (select from auth.users where p_now -> 'users' ? id) then
    delete from auth.jwks where not p_now -> 'keys' ? id;
    get diagnostics counted = row_count;
    return query select 'signing keys', counted;

    -- before the members, whose triggers cancel invitations too
    update auth.invitations set status = 'canceled'
      where status = 'pending' and p_now -> 'organizations' ? organization_id and not p_now -> 'invitations' ? id;
    get diagnostics counted = row_count;
    return query select 'invitations', counted;

    delete from auth.members m
      where p_now -> 'users' ? m.user_id and p_now -> 'organizations' ? m.organization_id
        and not p_now -> 'members' ? (m.organization_id || ' ' || m.user_id)
        -- an owner stays until the present one is in the backup too
        and (m.role <> 'owner' or exists (
          select from auth.members o
          where o.organization_id = m.organization_id
            and p_now -> 'members' ->> (o.organization_id || ' ' || o.user_id) = 'owner'));
    get diagnostics counted = row_count;
    return query select 'members', counted;
    -- a second owner is refused at once, so demote before promoting
    update auth.members m set role = p_now -> 'members' ->> (m.organization_id || ' ' || m.user_id)
      where p_now -> 'members' ->> (m.organization_id || ' ' || m.user_id) not in (m.role, 'owner')
        and (m.role <> 'owner' or exists (
          select from auth.members o
          where o.organization_id = m.organization_id
            and p_now -> 'members' ->> (o.organization_id || ' ' || o.user_id) = 'owner'));
    get diagnostics counted = row_count;
    -- With the organizations that come back, an owner may have more than five. Otherwise a former owner would own one
    -- of them again.
    perform set_config('private.restoring', 'on', true);
    update auth.members m set role = 'owner'
      where p_now -> 'members' ->> (m.organization_id || ' ' || m.user_id) = 'owner' and m.role <> 'owner';
    perform set_config('private.restoring', '', true);
    return query select 'former roles of members', counted;

    delete from auth.accounts a where p_now -> 'users' ? a.user_id and not p_now -> 'accounts' ? a.id;
    get diagnostics counted = row_count;
    return query select 'linked identities', counted;
    update auth.accounts a set password = p_now -> 'accounts' -> a.id ->> 'password'
      where p_now -> 'accounts' ? a.id and a.password is distinct from (p_now -> 'accounts' -> a.id ->> 'password');
    get diagnostics counted = row_count;
    return query select 'former passwords', counted;
    update auth.users u set email = p_now -> 'users' -> u.id ->> 'email',
      email_verified = (p_now -> 'users' -> u.id ->> 'email_verified')::boolean
      where p_now -> 'users' ? u.id and u.email <> p_now -> 'users' -> u.id ->> 'email'
        -- the address belongs to an account that was deleted since
        and not exists (select from auth.users o where o.email = p_now -> 'users' -> u.id ->> 'email');
    get diagnostics counted = row_count;
    return query select 'former email addresses', counted;

    delete from auth.two_factors f
    where p_now -> 'users' ? f.user_id and f.secret is distinct from p_now -> 'two_factors' -> f.user_id ->> 'secret';
    get diagnostics counted = row_count;
    return query select 'second factors', counted;
    insert into auth.two_factors
    select f.*
    from jsonb_each(p_now -> 'two_factors') n, jsonb_populate_record(null::auth.two_factors, n.value) f
      where exists (select from auth.users u where u.id = f.user_id)
      on conflict (user_id) do update set backup_codes = excluded.backup_codes, last_step = excluded.last_step,
        enabled_at = excluded.enabled_at,
        backup_codes_made_at = excluded.backup_codes_made_at;

    delete from auth.passkeys p where p_now -> 'users' ? p.user_id and not p_now -> 'passkeys' ? p.id;
    get diagnostics counted = row_count;
    return query select 'passkeys', counted;
    update auth.users u set passkey_required = true
      where (p_now -> 'users' -> u.id ->> 'passkey_required')::boolean and not u.passkey_required
        and exists (select from auth.passkeys p where p.user_id = u.id);
    delete from auth.api_keys k where p_now -> 'users' ? k.user_id and not p_now -> 'api_keys' ? k.id
      and (k.organization_id is null or p_now -> 'organizations' ? k.organization_id);
    get diagnostics counted = row_count;
    return query select 'API keys', counted;
    delete from auth.calendars c where p_now -> 'users' ? c.user_id and not p_now -> 'calendars' ? c.id
      and (c.organization_id is null or p_now -> 'organizations' ? c.organization_id);
    get diagnostics counted = row_count;
    return query select 'calendars', counted;
    delete from auth.webhooks w where p_now -> 'users' ? w.user_id and not p_now -> 'webhooks' ? w.id
      and (w.organization_id is null or p_now -> 'organizations' ? w.organization_id);
    get diagnostics counted = row_count;
    return query select 'webhooks', counted;
    update auth.webhooks w set url = n.value ->> 'url', secret = n.value ->> 'secret', former_secret = null,
      former_secret_until = null,
        disabled_at = (n.value ->> 'disabled_at')::timestamptz
      from jsonb_each(p_now -> 'webhooks') n
      where n.key = w.id
        and (w.url, w.secret, w.disabled_at) is distinct from (n.value ->> 'url', n.value ->> 'secret',
          (n.value ->> 'disabled_at')::timestamptz);
    get diagnostics counted = row_count;
    return query select 'former addresses of webhooks', counted;
  end if;

  -- the receivers have seen changes that are not in the backup
  insert into private.jobs (task, key, share, payload)
    select 'send_webhook', w.id, w.user_id, '{"type": "rows.reset", "changes": []}'
    from auth.webhooks w
    where w.disabled_at is null
    on conflict (task, key) where started_at is null do update set payload = excluded.payload;

  -- the users received the mails about these changes when they happened
  update auth.events set mail_to = null where happened_at >= now() and mail_to is not null;
end
$$;
comment on function private.end_restored_access(jsonb) is
  'Ends the sessions and pending tokens of a restored database. With access_now() of the database before the '
  'restore it also ends what was revoked, removed or changed since the backup. Returns the number of each.';
