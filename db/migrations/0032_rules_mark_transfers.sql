-- A rule may mark transactions as transfers.

-- A context has few rules, so the constraints may read the table.
-- squawk-ignore-file constraint-missing-not-valid, adding-field-with-default

alter table api.rules
  add column mark_as_transfer boolean not null default false,
  drop constraint rules_have_an_action,
  add constraint rules_have_an_action check (not is_active or set_category_id is not null or set_name is not null or add_tags <> '{}' or mark_as_transfer),
  add constraint rules_of_transfers_set_no_category check (not mark_as_transfer or set_category_id is null);

-- The transaction becomes a transfer whose other half is in no account of the context.
alter type private.rule_change add attribute is_transfer boolean;

-- It has another column from now on.
drop function if exists private.file_import_rows(jsonb, uuid);
