-- after: changes/changes, identity/credentials, identity/deleted_users, identity/events, identity/invitation_rules
-- after: identity/membership_rules, identity/new_rows
-- The engine's tables: comments, rights and triggers. Only the login of the auth service has access.

comment on table auth.users is
  'One row per user. The deletion of a user deletes the personal rows and keeps the team rows.';
comment on column auth.users.passkey_required is
  'Whether sign-in needs a passkey and the password alone is refused. Only a user with a passkey can require it.';
grant select, insert, update, delete on auth.users to auth_service;
create trigger users_add_tenants
  after insert on auth.users
  for each row execute function private.add_tenants();
create trigger users_succession
  before delete on auth.users
  for each row execute function private.succeed_owner();
-- Foreign keys do the rest of a user's deletion: team rows stay, with user_id null.
create trigger users_delete_rows
  before delete on auth.users
  for each row execute function private.delete_rows_of_tenant();
create trigger users_forget_account
  before delete on auth.users
  for each row execute function private.forget_account();
create trigger users_record_new_address
  after update of email on auth.users
  for each row when (old.email is distinct from new.email) execute function private.record_new_address();
create trigger users_record_passkey_required
  after update of passkey_required on auth.users
  for each row
  when (new.passkey_required and not old.passkey_required)
  execute function private.record_event('passkey_required', 'id');
create trigger users_record_passkey_not_required
  after update of passkey_required on auth.users
  for each row
  when (old.passkey_required and not new.passkey_required)
  execute function private.record_event('passkey_not_required', 'id');

comment on table auth.accounts is
  'A user''s ways to sign in. With provider_id credential: a password, stored as a salted scrypt hash; a plain one '
  'is refused. With single sign-on: provider_id is the issuer, and account_id the user''s id there. Tokens of '
  'providers are not stored.';
grant select, insert, update, delete on auth.accounts to auth_service;
create trigger accounts_record_credential
  after insert or delete on auth.accounts
  for each row execute function private.record_credential();
create trigger accounts_record_password
  after update of password on auth.accounts
  for each row when (old.password is distinct from new.password) execute function private.record_credential();
create trigger accounts_end_two_factor_tokens
  after update of password on auth.accounts
  for each row
  when (old.password is distinct from new.password)
  execute function auth.end_two_factor_tokens();

comment on table auth.passkeys is
  'Passkeys (WebAuthn credentials), at most 20 per user. A leaked copy is useless: the private key never leaves its '
  'device.';
comment on column auth.passkeys.credential_id is 'The credential id that the device assigned, in base64url.';
comment on column auth.passkeys.public_key is 'A COSE key (RFC 9052), in base64url.';
comment on column auth.passkeys.counter is
  'The last signature counter of the device, if it has one. Devices that share a backed-up passkey count apart. '
  'Otherwise a counter that does not increase indicates a copied key.';
comment on column auth.passkeys.backed_up is
  'Whether the passkey is synchronized between devices, and so survives the loss of one.';
grant select, insert, update, delete on auth.passkeys to auth_service;
create trigger passkeys_end_requirement
  after delete on auth.passkeys
  for each row execute function auth.end_passkey_requirement();
create trigger passkeys_record_added
  after insert on auth.passkeys
  for each row execute function private.record_event('passkey_added');
create trigger passkeys_record_deleted
  after delete on auth.passkeys
  for each row execute function private.record_event('passkey_deleted');
create trigger passkeys_record_counter
  after update of counter on auth.passkeys
  for each row when (new.counter <= old.counter and old.counter > 0) execute function private.record_older_counter();

comment on table auth.organizations is 'A team. The deletion of an organization deletes all of its data.';
comment on column auth.organizations.metadata is 'A JSON object as text, because the engine writes it so.';
grant select, insert, update, delete on auth.organizations to auth_service;
create trigger organizations_updated_at
  before update on auth.organizations
  for each row execute function private.set_updated_at();
create trigger organizations_add_tenant
  after insert on auth.organizations
  for each row execute function private.add_tenants();
create trigger organizations_delete_rows
  before delete on auth.organizations
  for each row execute function private.delete_rows_of_tenant();

comment on table auth.members is
  'Membership. An organization that has members has exactly one owner, at most 50 members, and a user owns at most '
  '5.';
grant select, insert, update, delete on auth.members to auth_service;
-- The unique index refuses a second owner at once. The trigger can check for a missing owner only when a transaction
-- ends, because a transfer demotes before it promotes.
create trigger members_limits
  before insert or update of role, user_id, organization_id on auth.members
  for each row execute function private.check_membership_limits();
create constraint trigger members_have_an_owner
  after insert or update or delete on auth.members
  deferrable initially deferred
  for each row execute function private.check_organization_has_owner();
create trigger members_record
  after insert or delete on auth.members
  for each row execute function private.record_membership();
create trigger members_cancel_invitations
  after delete or update of role on auth.members
  for each row execute function private.cancel_invitations_of_member();
create trigger members_note_lost_access
  after delete or update of role on auth.members
  for each row execute function private.note_lost_access();
create trigger members_record_role
  after update of role on auth.members
  for each row when (old.role is distinct from new.role) execute function private.record_membership();

comment on table auth.sessions is 'Sessions by cookie. The deletion of a session revokes every token issued from it.';
grant select, insert, update, delete on auth.sessions to auth_service;
create trigger sessions_record_sign_in
  after insert on auth.sessions
  for each row execute function private.record_sign_in();
create trigger sessions_record_revoked
  after delete on auth.sessions
  referencing old table as revoked
  for each statement execute function private.record_revoked_sessions();
create trigger sessions_note_lost_access
  after delete or update of active_organization_id on auth.sessions
  -- a stream knows when its session expires
  for each row when (old.expires_at > now()) execute function private.note_lost_access();

comment on table auth.api_keys is
  'API keys, with which a user''s programs get tokens. The deletion of a key revokes every token issued from it.';
comment on column auth.api_keys.organization_id is
  'The team whose rows the key may access; null for the user''s personal rows.';
comment on column auth.api_keys.key_hash is
  'SHA-256 of the key. The key is 256 random bits, shown once and not stored.';
comment on column auth.api_keys.hint is 'The beginning of the key, for its recognition in a list.';
comment on column auth.api_keys.last_used_at is 'Time of the last token, to the minute.';
grant select, insert, update, delete on auth.api_keys to auth_service;
create trigger api_keys_record_created
  after insert on auth.api_keys
  for each row execute function private.record_event('api_key_created');
create trigger api_keys_record_revoked
  after delete on auth.api_keys
  for each row when (old.expires_at > now()) execute function private.record_event('api_key_revoked');
create trigger api_keys_note_lost_access
  after delete on auth.api_keys
  for each row when (old.expires_at > now()) execute function private.note_lost_access();
create trigger api_keys_limit
  before insert on auth.api_keys
  for each row execute function auth.check_limit('20', 'API_KEY_LIMIT_REACHED', 'expires_at > now()');
create trigger api_keys_role
  before insert on auth.api_keys
  for each row when (new.organization_id is not null) execute function auth.check_role();
create trigger members_end_api_keys
  after update of role on auth.members
  for each row
  when (old.role <> new.role)
  execute function auth.delete_api_keys_above_role();

comment on table auth.verifications is
  'Pending actions, each with a token that works once: password resets, changes of the address, deletions, passkey '
  'challenges, single sign-on. A leaked copy is useless: the tokens are not stored.';
grant select, insert, update, delete on auth.verifications to auth_service;

comment on table auth.invitations is
  'Invitations. At most one is pending per address and organization. An invitation cannot grant ownership.';
grant select, insert, update, delete on auth.invitations to auth_service;
create trigger invitations_checked
  before insert on auth.invitations
  for each row execute function private.check_invitation();
create trigger invitations_answered_once
  before update of status on auth.invitations
  for each row execute function private.answer_pending_invitation();

comment on table auth.jwks is 'The key set. PostgREST reads the public halves through private.pre_config().';
comment on column auth.jwks.signs_from is 'Time from which the key signs; null while it is only published.';
comment on column auth.jwks.expires_at is
  'Time until which tokens of the key are accepted; null while it is the signing key.';
grant select, insert, update, delete on auth.jwks to auth_service;
create trigger jwks_notify
  after insert or update or delete or truncate on auth.jwks
  for each statement execute function private.notify_postgrest();
-- an expired key has no valid tokens left
create trigger jwks_revoked
  after delete on auth.jwks
  for each row
  when (old.signs_from is not null and (old.expires_at is null or old.expires_at > now()))
  execute function private.revoke_issued_tokens();
create trigger jwks_all_revoked
  after truncate on auth.jwks
  for each statement execute function private.revoke_issued_tokens();

comment on table auth.rate_limits is
  'Number of requests in the current window, by limit and client. Keys of accounts are hashed.';
grant select, insert, update, delete on auth.rate_limits to auth_service;

comment on table auth.events is
  'Events of accounts and organizations. Triggers insert them. The service reads them, deletes old ones, and notes '
  'the mails that it has sent.';
comment on column auth.events.user_id is 'The account of the event, or the member; null after its deletion.';
comment on column auth.events.organization_id is 'The organization of the event; null for an event of an account.';
comment on column auth.events.actor_id is
  'The user who caused the event of an organization; null if unknown, and after the user''s deletion.';
comment on column auth.events.device is 'Fingerprint of the device of a sign-in: private.device_of().';
comment on column auth.events.detail is
  'Details of the kind: new_device, role, previous_role, name, email, previous_email.';
comment on column auth.events.mail_to is
  'Recipient of a mail that is not yet sent; null for events without a mail, and once the mail is in the queue.';
grant select, delete, update (mail_to) on auth.events to auth_service;
create trigger events_mailed
  after insert on auth.events
  for each row when (new.mail_to is not null) execute function private.queue_notice();

comment on table auth.two_factors is
  'Users who sign in with an authenticator app in addition to the password. The deletion of a row turns it off, and '
  'deletes its tokens.';
comment on column auth.two_factors.secret is 'The secret of the authenticator app, encrypted with BETTER_AUTH_SECRET.';
comment on column auth.two_factors.backup_codes is 'The unused backup codes, hashed.';
comment on column auth.two_factors.backup_codes_made_at is
  'Creation time of the backup codes; null after they were voided.';
comment on column auth.two_factors.last_step is
  'Time step of the last used code. This code and earlier ones are not accepted again.';
comment on column auth.two_factors.enabled_at is
  'Time from which sign-in needs a code; null until a first code has proved that the app knows the secret.';
grant select, insert, update, delete on auth.two_factors to auth_service;
create trigger two_factors_record_enabled
  after update of enabled_at on auth.two_factors
  for each row
  when (old.enabled_at is null and new.enabled_at is not null)
  execute function private.record_event('two_factor_enabled');
create trigger two_factors_record_disabled
  after delete on auth.two_factors
  for each row when (old.enabled_at is not null) execute function private.record_event('two_factor_disabled');
create trigger two_factors_record_new_codes
  after update of backup_codes_made_at on auth.two_factors
  for each row
  when (old.enabled_at is not null and new.backup_codes_made_at is not null
    and old.backup_codes_made_at is distinct from new.backup_codes_made_at)
  execute function private.record_event('backup_codes_created');
create trigger two_factors_record_void_codes
  after update of backup_codes_made_at on auth.two_factors
  for each row
  when (old.backup_codes_made_at is not null and new.backup_codes_made_at is null)
  execute function private.record_event('backup_codes_voided');

comment on table auth.two_factor_tokens is
  'Browsers that have sent the password and still need a code (sign-in), or that a user trusts (device). The tokens '
  'themselves are not stored.';
grant select, insert, update, delete on auth.two_factor_tokens to auth_service;
create trigger two_factor_tokens_record_device
  after insert on auth.two_factor_tokens
  for each row when (new.purpose = 'device') execute function private.record_event('device_trusted');
