-- Schema private: machinery. The auth service reads three of its tables; the data surface's roles read none.

comment on table private.settings is 'One row.';
comment on column private.settings.public_url is 'base_url of the service: the only audience a token may name. Written by db/migrate.ts on every run.';
comment on column private.settings.key_rotation_requested_at is 'When an operator last asked for a new signing key.';
comment on column private.settings.tokens_issued_after is '33 seconds after a key was last revoked, in seconds since 1970; tokens dated until then are refused, also those that a thief of the key dated ahead.';
grant select on private.settings, private.migrations to auth_service;
comment on table private.role_permissions is 'The rights of each role on an organization''s rows. What is not a row here is not allowed.';
comment on domain private."application/vnd.rest.object+json" is 'The one row of an answer, as an object.';
comment on type private.one_row is 'What the aggregate api.one_object keeps: how many rows, and the first of them.';

comment on table private.products is 'The application''s own plans.';
comment on column private.products.rank is 'Higher includes lower.';
grant select on private.products to auth_service;

-- Imports keep their memory here: db/functions/private/transaction_imports.sql.
comment on table private.bank_values is 'The bank''s own values of imported transactions that a person has edited; null where they are not known.';
comment on table private.import_updates is 'The transactions that an import has changed, with the bank''s values before and after.';
