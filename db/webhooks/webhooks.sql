-- after: identity, webhooks/lost_webhooks, webhooks/queue_webhooks, webhooks/tables
-- Comments, rights and triggers of the tables of webhooks.

comment on table auth.webhooks is
  'Addresses of users that receive a signed message when rows of a context change. At most 10 per user.';
comment on column auth.webhooks.organization_id is
  'The team whose changes it receives; null for the user''s personal rows.';
comment on column auth.webhooks.tables is 'The tables whose changes it receives; null for all.';
comment on column auth.webhooks.secret is 'The key of the signatures, encrypted with BETTER_AUTH_SECRET.';
comment on column auth.webhooks.former_secret is
  'The key before the last rotation. Messages have a signature of it too, until former_secret_until.';
comment on column auth.webhooks.seen_position is 'The position of its tenant up to which changes are queued.';
comment on column auth.webhooks.seen_change is 'The change at this position: private.tenants.change.';
comment on column auth.webhooks.seen_timeline is
  'The timeline of the server, which another one replaces after a failover or a restore.';
comment on column auth.webhooks.failing_since is
  'Time of the first failed attempt since the last success; null if the last attempt succeeded.';
comment on column auth.webhooks.last_failure is
  'The kind of the last failure since the last success: failures of realtime/webhooks/sender.ts.';
comment on column auth.webhooks.disabled_at is
  'Time at which it was turned off: after a day of failures, or by 410 Gone.';
grant select, insert, update, delete on auth.webhooks to auth_service;
create trigger webhooks_begin
  before insert or update of disabled_at on auth.webhooks
  for each row when (new.disabled_at is null) execute function private.begin_webhook();
create trigger webhooks_limit
  before insert on auth.webhooks
  for each row execute function auth.check_limit('10', 'WEBHOOK_LIMIT_REACHED');
create trigger webhooks_role
  before insert on auth.webhooks
  for each row when (new.organization_id is not null) execute function auth.check_role('admin');
create trigger members_end_webhooks
  after update of role on auth.members
  for each row
  when (new.role not in ('owner', 'admin'))
  execute function auth.delete_webhooks_below_admin();
create trigger webhooks_record_created
  after insert on auth.webhooks
  for each row execute function private.record_event('webhook_created');
create trigger webhooks_record_rotated
  after update of former_secret on auth.webhooks
  for each row when (old.secret <> new.secret) execute function private.record_event('webhook_secret_rotated');
create trigger webhooks_record_disabled
  after update of disabled_at on auth.webhooks
  for each row
  when (old.disabled_at is null and new.disabled_at is not null)
  execute function private.record_event('webhook_disabled');
create trigger webhooks_record_deleted
  after delete on auth.webhooks
  for each row execute function private.record_event('webhook_deleted');
create trigger webhooks_messages_deleted
  after delete on auth.webhooks
  for each row execute function private.delete_messages_of_webhook();
