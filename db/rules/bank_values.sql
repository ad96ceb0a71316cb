-- What imports remember (db/functions/private/transaction_imports.sql).

comment on table private.bank_values is 'The bank''s own values of imported transactions that a person has edited; null where they are not known.';
comment on table private.import_updates is 'The transactions that an import has changed, with the bank''s values before and after.';
