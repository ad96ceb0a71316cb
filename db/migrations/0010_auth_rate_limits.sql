-- Fixed-window counters: one row a key, shared by every process. Unlogged: a counter is worth no disk flush a request,
-- and survives every restart but a crash of the database itself, which empties it.

create unlogged table auth.rate_limits (
  key text primary key,
  window_started_at timestamptz not null,
  window_seconds bigint not null,
  count bigint not null
) with (fillfactor = 50);
create index rate_limits_window_started_at on auth.rate_limits (window_started_at);
comment on table auth.rate_limits is 'Requests counted in the current window, by what is limited and for whom. Keys of accounts are hashed.';

-- requires functions/rate_limits.sql
grant select, insert, update, delete on auth.rate_limits to auth_service;
