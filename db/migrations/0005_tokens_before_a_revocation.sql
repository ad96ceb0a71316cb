-- When a key was last revoked, in seconds since 1970. A PostgREST that keeps what it has checked (its JWT cache) does not know
-- that a key is gone, so private.pre_request() refuses what was issued until then.
alter table private.settings add column tokens_issued_after bigint not null default 0;
