-- Schema auth: the engine's tables, reached by the auth service's login and by nobody else.

comment on table auth.users is 'One row a person. Deleting one removes the personal rows and keeps the team rows.';
grant select, insert, update, delete on auth.users to auth_service;
create trigger users_succession
  before delete on auth.users
  for each row execute function private.succeed_owner();
-- Foreign keys do the rest when a user goes: team rows stay, with user_id null.
create trigger users_delete_personal_rows
  before delete on auth.users
  for each row execute function private.delete_personal_rows();

comment on table auth.accounts is 'Credentials. The password is a salted scrypt hash; a plain one cannot be stored.';
grant select, insert, update, delete on auth.accounts to auth_service;

comment on table auth.organizations is 'A team. Deleting one deletes all of its data.';
comment on column auth.organizations.metadata is 'A JSON object as text, because the engine writes it so.';
grant select, insert, update, delete on auth.organizations to auth_service;
create trigger organizations_updated_at
  before update on auth.organizations
  for each row execute function private.set_timestamps('updated_at');
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

comment on table auth.sessions is 'Sessions by cookie. Deleting one ends it and every token issued from it.';
grant select, insert, update, delete on auth.sessions to auth_service;

comment on table auth.api_keys is 'Keys with which a person''s programs get tokens. Deleting one ends it and every token issued from it.';
comment on column auth.api_keys.organization_id is 'The team whose rows it reaches; null for its person''s own.';
comment on column auth.api_keys.key_hash is 'SHA-256 of the key, which is 256 random bits, shown once and stored nowhere.';
comment on column auth.api_keys.hint is 'How the key begins, by which its person knows it again.';
comment on column auth.api_keys.last_used_at is 'When it last got a token, to the minute.';
grant select, insert, update, delete on auth.api_keys to auth_service;
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
