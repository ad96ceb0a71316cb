-- Schema auth: the engine's tables, reached by the auth service's login and by nobody else.

comment on table auth.users is 'One row a person. Deleting one removes the personal rows and keeps the team rows.';
comment on column auth.users.passkey_required is 'Whether the password alone no longer signs in. Only somebody with a passkey asks for that.';
grant select, insert, update, delete on auth.users to auth_service;
create trigger users_succession
  before delete on auth.users
  for each row execute function private.succeed_owner();
-- Foreign keys do the rest when a user goes: team rows stay, with user_id null.
create trigger users_delete_personal_rows
  before delete on auth.users
  for each row execute function private.delete_personal_rows();
create trigger users_forget_events
  before delete on auth.users
  for each row execute function private.delete_events();
create trigger users_record_new_address
  after update of email on auth.users
  for each row when (old.email is distinct from new.email) execute function private.record_new_address();
create trigger users_record_passkey_required
  after update of passkey_required on auth.users
  for each row when (new.passkey_required and not old.passkey_required) execute function private.record_event('passkey_required', 'id');
create trigger users_record_passkey_not_required
  after update of passkey_required on auth.users
  for each row when (old.passkey_required and not new.passkey_required) execute function private.record_event('passkey_not_required', 'id');

comment on table auth.accounts is 'How somebody signs in: by a password (provider_id credential), a salted scrypt hash, as a plain one cannot be stored; or by single sign-on, where provider_id is the issuer and account_id who they are there. No token of a provider is kept.';
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

comment on table auth.passkeys is 'Passkeys (WebAuthn credentials), at most 20 a person. A leaked copy opens nothing: the private key never leaves its device.';
comment on column auth.passkeys.credential_id is 'As its device names it, in base64url.';
comment on column auth.passkeys.public_key is 'A COSE key (RFC 9052), in base64url.';
comment on column auth.passkeys.counter is 'How often its device has signed, where it counts; one that does not go up is a copy.';
comment on column auth.passkeys.backed_up is 'Whether it is synchronized between devices, and so survives the loss of one.';
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

comment on table auth.organizations is 'A team. Deleting one deletes all of its data.';
comment on column auth.organizations.metadata is 'A JSON object as text, because the engine writes it so.';
grant select, insert, update, delete on auth.organizations to auth_service;
create trigger organizations_updated_at
  before update on auth.organizations
  for each row execute function private.set_updated_at();
create trigger organizations_forget_activity
  after delete on auth.organizations
  for each row execute function private.forget_activity_of_organization();

comment on table auth.members is 'Membership. An organization that has members has exactly one owner, at most 50 members, and a user owns at most 5.';
grant select, insert, update, delete on auth.members to auth_service;
-- The unique index refuses a second owner at once. That there is one at all can only be asked when a transaction ends,
-- because a transfer demotes before it promotes.
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
create trigger members_record_role
  after update of role on auth.members
  for each row when (old.role is distinct from new.role) execute function private.record_membership();

comment on table auth.sessions is 'Sessions by cookie. Deleting one ends it and every token issued from it.';
grant select, insert, update, delete on auth.sessions to auth_service;
create trigger sessions_record_sign_in
  after insert on auth.sessions
  for each row execute function private.record_sign_in();
create trigger sessions_record_revoked
  after delete on auth.sessions
  referencing old table as revoked
  for each statement execute function private.record_revoked_sessions();

comment on table auth.api_keys is 'Keys with which a person''s programs get tokens. Deleting one ends it and every token issued from it.';
comment on column auth.api_keys.organization_id is 'The team whose rows it reaches; null for its person''s own.';
comment on column auth.api_keys.key_hash is 'SHA-256 of the key, which is 256 random bits, shown once and stored nowhere.';
comment on column auth.api_keys.hint is 'How the key begins, by which its person knows it again.';
comment on column auth.api_keys.last_used_at is 'When it last got a token, to the minute.';
grant select, insert, update, delete on auth.api_keys to auth_service;
create trigger api_keys_record_created
  after insert on auth.api_keys
  for each row execute function private.record_event('api_key_created');
create trigger api_keys_record_revoked
  after delete on auth.api_keys
  for each row when (old.expires_at > now()) execute function private.record_event('api_key_revoked');
create trigger api_keys_checked
  before insert on auth.api_keys
  for each row execute function private.check_api_key();
create trigger members_end_api_keys
  after update of role on auth.members
  for each row
  when (old.role <> new.role)
  execute function private.end_api_keys_of_role();

comment on table auth.verifications is 'What mailed tokens stand for: password resets, changes of the address, deletions. A leaked copy opens nothing: the token itself is not in it.';
grant select, insert, update, delete on auth.verifications to auth_service;

comment on table auth.invitations is 'Invitations. One pending a person and organization; ownership cannot be given by invitation.';
grant select, insert, update, delete on auth.invitations to auth_service;
create trigger invitations_checked
  before insert on auth.invitations
  for each row execute function private.check_invitation();
create trigger invitations_answered_once
  before update of status on auth.invitations
  for each row execute function private.answer_pending_invitation();

comment on table auth.jwks is 'The key set. PostgREST reads the public halves through private.pre_config().';
comment on column auth.jwks.signs_from is 'Since when it signs; null while it is only published.';
comment on column auth.jwks.expires_at is 'Until when what it has signed is accepted; null before another key signs.';
grant select, insert, update, delete on auth.jwks to auth_service;
create trigger jwks_notify
  after insert or update or delete or truncate on auth.jwks
  for each statement execute function private.notify_postgrest();
-- a key that has come to its end by itself has no token left
create trigger jwks_revoked
  after delete on auth.jwks
  for each row
  when (old.signs_from is not null and (old.expires_at is null or old.expires_at > now()))
  execute function private.end_tokens_of_key();
create trigger jwks_all_revoked
  after truncate on auth.jwks
  for each statement execute function private.end_tokens_of_key();

comment on table auth.rate_limits is 'Requests counted in the current window, by what is limited and for whom. Keys of accounts are hashed.';
grant select, insert, update, delete on auth.rate_limits to auth_service;

comment on table auth.events is 'What happened in accounts and organizations. Triggers write it; the service reads it, forgets what is old, and notes which mails it has sent.';
comment on column auth.events.user_id is 'Whose account it is about; null once that is deleted.';
comment on column auth.events.organization_id is 'Whose membership it is about; null where it is of an account.';
comment on column auth.events.actor_id is 'Who did it to an organization; null where nobody is known, and once that account is deleted.';
comment on column auth.events.device is 'Of a sign-in, what those of one device have in common: private.device_of().';
comment on column auth.events.detail is 'What the kind alone does not say: new_device, role, previous_role, name, email, previous_email.';
comment on column auth.events.mail_to is 'The address that is yet to be told; null where nobody is, and once the mail is in the queue.';
grant select, delete, update (mail_to) on auth.events to auth_service;

comment on table auth.two_factors is 'Who signs in with an authenticator app beside the password. Deleting a row turns it off, and ends its tokens.';
comment on column auth.two_factors.secret is 'What the authenticator app knows, encrypted under BETTER_AUTH_SECRET.';
comment on column auth.two_factors.backup_codes is 'Those that are left, hashed.';
comment on column auth.two_factors.backup_codes_made_at is 'Creation time of the backup codes; null after they were voided.';
comment on column auth.two_factors.last_step is 'The time step of the last code that was used: that code and those before it open nothing again.';
comment on column auth.two_factors.enabled_at is 'Since when a code is asked; null until the first code has shown that the app knows the secret.';
grant select, insert, update, delete on auth.two_factors to auth_service;
create trigger two_factors_record_enabled
  after update of enabled_at on auth.two_factors
  for each row when (old.enabled_at is null and new.enabled_at is not null) execute function private.record_event('two_factor_enabled');
create trigger two_factors_record_disabled
  after delete on auth.two_factors
  for each row when (old.enabled_at is not null) execute function private.record_event('two_factor_disabled');
create trigger two_factors_record_new_codes
  after update of backup_codes_made_at on auth.two_factors
  for each row
  when (old.enabled_at is not null and new.backup_codes_made_at is not null and old.backup_codes_made_at is distinct from new.backup_codes_made_at)
  execute function private.record_event('backup_codes_created');
create trigger two_factors_record_void_codes
  after update of backup_codes_made_at on auth.two_factors
  for each row
  when (old.backup_codes_made_at is not null and new.backup_codes_made_at is null)
  execute function private.record_event('backup_codes_voided');

comment on table auth.two_factor_tokens is
  'Browsers that have shown the password and still owe a code (sign-in), or that a person has had remembered (device). The tokens themselves are not in it.';
grant select, insert, update, delete on auth.two_factor_tokens to auth_service;
create trigger two_factor_tokens_record_device
  after insert on auth.two_factor_tokens
  for each row when (new.purpose = 'device') execute function private.record_event('device_trusted');
