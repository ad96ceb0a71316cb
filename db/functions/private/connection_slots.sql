-- Fair share: limits the connections of PostgREST that one user's requests can hold. Each request holds one slot of its user until the
-- transaction ends. If all slots are in use, the request waits. All anonymous requests together count as one user.
-- docs/decisions/data/share-the-connections-by-user.md explains how the numbers relate to db-pool.
--
-- A slot is an advisory lock, because a read runs in a read-only transaction, and because a lock always ends with its transaction. Each
-- lock of a user has a number. Numbers from 1 on are the slots. A number of seconds since 1970 is a mark: the connection that refused a
-- request of the user in that second keeps it.

create or replace function private.acquire_slot(p_user integer, p_slots integer) returns boolean
  language plpgsql volatile set search_path = ''
as $$
declare
  second constant integer := extract(epoch from clock_timestamp());
begin
  for slot in 1..(p_slots + 1) / 2 loop
    if pg_try_advisory_xact_lock(p_user, slot) then
      return true;
    end if;
  end loop;
  -- A user with fast requests may use half as many slots again, except in a second with a refused request and the second after it. The
  -- refusing connection holds the lock of that second as a mark, so the attempts below fail.
  if (case when pg_try_advisory_lock(p_user, second) then pg_advisory_unlock(p_user, second) end)
    and (case when pg_try_advisory_lock(p_user, second - 1) then pg_advisory_unlock(p_user, second - 1) end)
  then
    for slot in (p_slots + 1) / 2 + 1..p_slots * 3 / 2 loop
      if pg_try_advisory_xact_lock(p_user, slot) then
        return true;
      end if;
    end loop;
  end if;
  return false;
end
$$;
comment on function private.acquire_slot(integer, integer) is 'Acquires one of a user''s slots. Returns false if none is free.';

create or replace function private.wait_for_slot(p_user integer, p_slots integer) returns void
  -- the setting of lock_timeout ends with the function
  language plpgsql volatile security definer set search_path = '' set lock_timeout = '10ms'
as $$
declare
  began constant timestamptz := clock_timestamp();
  second integer;
  are_slow boolean;
  were_slow boolean := false;
  may_wait boolean := false;
begin
  loop
    begin
      perform pg_advisory_xact_lock(p_user, 1 + floor(random() * ((p_slots + 1) / 2))::integer);
      return;
    exception
      when lock_not_available then null;
    end;
    if private.acquire_slot(p_user, p_slots) then
      return;
    end if;
    second := extract(epoch from clock_timestamp());
    are_slow := not coalesce(case when pg_try_advisory_lock(p_user, second) then pg_advisory_unlock(p_user, second) end, false);
    if not are_slow then
      -- A request is slow if its query has run for 50 ms. Its wait in this function does not count. A request that waits for PostgREST
      -- is idle and does not count: when PostgREST is blocked, all requests wait.
      perform pg_stat_clear_snapshot();
      are_slow := p_slots <= 2 * (
        select count(*)
        from pg_locks l join pg_stat_activity a using (pid)
        where l.locktype = 'advisory' and l.objsubid = 2 and l.classid = (p_user::bigint & 4294967295)::oid and l.granted
          and l.objid between 1 and p_slots
          and a.datname = current_database() and a.state = 'active' and a.query_start < clock_timestamp() - interval '50 milliseconds'
      );
      -- a second measurement avoids refusing a user who was only delayed together with all others
      if are_slow and not were_slow then
        were_slow := true;
        continue;
      end if;
    end if;
    -- A waiting request holds a connection too. Half as many requests as there are slots may wait for slow ones, for a limited time.
    if are_slow and not may_wait then
      for slot in p_slots * 3 / 2 + 1..p_slots * 2 loop
        may_wait := pg_try_advisory_xact_lock(p_user, slot);
        exit when may_wait;
      end loop;
      if not may_wait then
        perform pg_advisory_unlock_all();
        perform pg_try_advisory_lock_shared(p_user, second);
        exit;
      end if;
      perform set_config('lock_timeout', '50ms', true);
    end if;
    -- PostgreSQL cancels an anonymous statement after two seconds, which would be a 500
    exit when clock_timestamp() - began > interval '1.5 seconds';
  end loop;
  perform private.refuse('53400', 'too many slow requests at once', 'Wait for the answers to earlier requests, then try again.', 429, '{"Retry-After": "1"}');
end
$$;
comment on function private.wait_for_slot(integer, integer) is 'Waits until one of a user''s slots is free, or refuses the request with 429.';
