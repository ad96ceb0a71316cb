-- A bank may use an id again. An imported row is compared with all versions of a transaction that had its id, also of a deleted one.

alter table private.deleted_bank_rows add column versions jsonb[];

-- They have other columns from now on.
drop function if exists private.judge_import(jsonb, text, uuid, text, boolean, boolean, boolean),
  private.match_candidates(jsonb, text, uuid, uuid[]), private.bank_history(uuid[]);
