-- after: core
-- A transaction that stays open keeps `vacuum` from removing old rows of the whole server, and the notifications that
-- its session has not read. Streams and webhooks read past it slowly. Forgotten sessions of psql, clients that do not
-- read, and prepared transactions do this.

create or replace function private.oldest_transaction_seconds() returns double precision
  language sql stable security definer set search_path = ''
begin atomic
  select case when pg_has_role(current_user, 'pg_read_all_stats', 'usage') then
    coalesce(extract(epoch from clock_timestamp() - least(
      (
        select min(xact_start)
        from pg_catalog.pg_stat_activity
        where backend_type <> 'autovacuum worker' and pid <> pg_backend_pid()
      ),
      (select min(prepared) from pg_catalog.pg_prepared_xacts)
    )), 0) end;
end;
comment on function private.oldest_transaction_seconds() is
  'The age of the oldest open or prepared transaction of the server, in seconds; 0 without one. Null if the owner '
  'of the database may not see those of others.';
grant execute on function private.oldest_transaction_seconds() to auth_service;
