-- The tags that rules have added at an import. The deletion of the import takes them back.
alter table private.import_updates add column tag_ids uuid[];
