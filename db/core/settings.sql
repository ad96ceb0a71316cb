-- after: core/tables
-- Comments and rights of internal tables.

comment on table private.settings is 'The settings of the deployment, in one row.';
comment on column private.settings.public_url is
  'base_url of the service: the only audience that a token may have. Written by db/migrate.ts on every run.';
comment on column private.settings.key_rotation_requested_at is
  'Time of an operator''s last request for a new signing key.';
comment on column private.settings.tokens_issued_after is
  '33 seconds after the last revocation of a key, in seconds since 1970. Tokens with an earlier date are refused, '
  'including those that a thief of the key dated ahead.';
grant select on private.settings to auth_service;
grant select on private.migrations to auth_service;
comment on table private.role_permissions is
  'The rights of each role on an organization''s rows. A right without a row here is not granted.';
comment on domain private."application/vnd.rest.object+json" is 'The only row of a response, as an object.';
comment on type private.one_row is 'The state of the aggregate api.one_object: the number of rows, and the first row.';
grant select on private.role_permissions to auth_service;
