-- It has other columns from now on.
drop function if exists private.transfer_candidates(jsonb, uuid, uuid[]);
