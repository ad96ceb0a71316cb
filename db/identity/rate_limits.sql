-- after: identity/tables
-- Rate limits in fixed windows. Counting and checking are one atomic statement.

create or replace function auth.consume_rate_limit(p_key text, p_window_seconds integer, p_max integer)
  returns table (allowed boolean, retry_after_seconds integer)
  language sql volatile
begin atomic
  -- statement_timestamp() rather than now(): the window is of real time, however old the transaction is
  with counted as (
    insert into auth.rate_limits as r (key, window_started_at, window_seconds, count)
      values (p_key, statement_timestamp(), p_window_seconds, 1)
      on conflict (key) do update set
        count = case when r.window_started_at + make_interval(secs => r.window_seconds) <= statement_timestamp()
          then 1 else least(r.count, 1000000) + 1 end,
        window_started_at = case
          when r.window_started_at + make_interval(secs => r.window_seconds) <= statement_timestamp()
          then statement_timestamp() else r.window_started_at end,
        window_seconds = p_window_seconds
      returning r.count, r.window_started_at
  )
  select counted.count <= p_max,
    greatest(1,
      ceil(
        extract(epoch from counted.window_started_at + make_interval(secs => p_window_seconds) - statement_timestamp()))
    )::integer
  from counted;
end;
comment on function auth.consume_rate_limit(text, integer, integer) is
  'Counts one request in the key''s fixed window. Returns whether the request is within the maximum, and the '
  'seconds until the window ends.';
revoke execute on function auth.consume_rate_limit(text, integer, integer) from public;
grant execute on function auth.consume_rate_limit(text, integer, integer) to auth_service;
