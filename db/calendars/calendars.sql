-- after: calendars/tables, identity
-- Comments, rights and triggers of the tables of calendars.

comment on table auth.calendars is
  'Addresses at which a calendar program reads the due days of a context. At most 10 per user.';
comment on column auth.calendars.organization_id is
  'The team whose due days it shows; null for the user''s personal ones.';
comment on column auth.calendars.secret_hash is
  'SHA-256 of the secret in the address. The secret is shown once and not stored.';
comment on column auth.calendars.last_read_at is 'Time of the last request, to the minute.';
grant select, insert, delete on auth.calendars to auth_service;
create trigger calendars_limit
  before insert on auth.calendars
  for each row execute function auth.check_limit('10', 'CALENDAR_LIMIT_REACHED');
create trigger calendars_record_created
  after insert on auth.calendars
  for each row execute function private.record_event('calendar_created');
create trigger calendars_record_revoked
  after delete on auth.calendars
  for each row execute function private.record_event('calendar_revoked');
