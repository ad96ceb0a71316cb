-- Schema private: internal tables and functions. The auth service reads some tables; the roles of the data surface read none.

comment on table private.settings is 'The settings of the deployment, in one row.';
comment on column private.settings.public_url is 'base_url of the service: the only audience that a token may have. Written by db/migrate.ts on every run.';
comment on column private.settings.key_rotation_requested_at is 'Time of an operator''s last request for a new signing key.';
comment on column private.settings.tokens_issued_after is
  '33 seconds after the last revocation of a key, in seconds since 1970. Tokens with an earlier date are refused, including those that a thief of the key dated ahead.';
grant select on private.settings, private.migrations to auth_service;
comment on table private.role_permissions is 'The rights of each role on an organization''s rows. A right without a row here is not granted.';
comment on domain private."application/vnd.rest.object+json" is 'The only row of a response, as an object.';
comment on type private.one_row is 'The state of the aggregate api.one_object: the number of rows, and the first row.';

comment on table private.products is 'The application''s own plans.';
comment on column private.products.rank is 'The order of the products. A higher product includes the lower ones.';
grant select on private.products to auth_service;

comment on table private.instance_rates is 'The exchange rates of the instance: on a day, one euro was worth `rate` of the currency. Written by private.store_instance_rates().';
comment on table private.rate_downloads is 'The state of the daily download of exchange rates, in one row: the URL, the time of the next attempt, the failures since the last success, and the time of that.';

-- The state of imports, for db/functions/private/{import_balances,import_history,import_matches,transaction_imports}.sql.
comment on table private.bank_values is 'The bank''s own values of imported transactions that a user has edited; null if they are unknown.';
comment on table private.import_updates is 'The transactions that an import has changed, with the bank''s values before and after.';
comment on column private.import_updates.said is 'The bank''s values, if the transaction keeps values of a user.';
comment on table private.deleted_bank_rows is 'The keys of transactions that an import has stored and a user has deleted. A key counts while its import exists.';
comment on table private.import_balances is 'The balance of an account that an import has stored, and the balance and source that it replaced.';

comment on table private.changes is 'The tables and contexts that transactions of about the last hour have changed, for live streams: private.note_change(). The context is a user or an organization. The table name auth stands for lost access of the user, or of all users.';
comment on column private.changes.permission is 'The right that a member of the organization needs to see the rows, if it is not list.';
comment on column private.changes.ids is 'The changed rows, as in api.activity; null above a hundred.';
comment on column private.changes.change_id is 'The change_id of the request in api.activity; null if no request caused the change.';
comment on table private.changes_kept is 'The first transaction from which private.changes is complete, in one row.';
comment on column private.webhook_cursor.database is 'private.database_identity() of the snapshot; null before the first round after an upgrade.';
comment on table private.webhook_cursor is 'The snapshot up to which changes are queued for webhooks, in one row: private.queue_webhooks().';
grant select on private.changes, private.changes_kept, private.role_permissions to auth_service;
