-- Nobody takes the data surface from the others. What one person's requests may hold of PostgREST's connections is a
-- share: a request takes one of its person's places until its transaction ends, and waits for one when all are taken.
-- All anonymous requests together are one person. docs/decisions/data/share-the-connections-by-user.md tells how the numbers relate to db-pool.
--
-- A place is an advisory lock, because a read runs in a transaction that may write nothing, and because a lock ends with
-- its transaction, however that ends. The locks of a person are numbered: 1 and on are the places; a number of seconds
-- since 1970 is a mark, which a connection keeps when it has refused one of the person's requests in that second.

create or replace function private.take_place(p_person integer, p_places integer) returns boolean
  language plpgsql volatile set search_path = ''
as $$
declare
  second constant integer := extract(epoch from clock_timestamp());
begin
  for place in 1..(p_places + 1) / 2 loop
    if pg_try_advisory_xact_lock(p_person, place) then
      return true;
    end if;
  end loop;
  -- A person whose requests are quick may have half as many places again; one who was refused in this second or the one
  -- before may not. The connection that refused holds that second's lock as a mark, so this one cannot take it.
  if (case when pg_try_advisory_lock(p_person, second) then pg_advisory_unlock(p_person, second) end)
    and (case when pg_try_advisory_lock(p_person, second - 1) then pg_advisory_unlock(p_person, second - 1) end)
  then
    for place in (p_places + 1) / 2 + 1..p_places * 3 / 2 loop
      if pg_try_advisory_xact_lock(p_person, place) then
        return true;
      end if;
    end loop;
  end if;
  return false;
end
$$;
comment on function private.take_place(integer, integer) is 'Takes one of a person''s places. False if none is free.';

create or replace function private.wait_for_place(p_person integer, p_places integer) returns void
  -- the lock timeout ends with the function
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
      perform pg_advisory_xact_lock(p_person, 1 + floor(random() * ((p_places + 1) / 2))::integer);
      return;
    exception
      when lock_not_available then null;
    end;
    if private.take_place(p_person, p_places) then
      return;
    end if;
    second := extract(epoch from clock_timestamp());
    are_slow := not coalesce(case when pg_try_advisory_lock(p_person, second) then pg_advisory_unlock(p_person, second) end, false);
    if not are_slow then
      -- A request is slow when its query has run for 50 ms; the time for which it waited here is not its own. One that waits for PostgREST is not active and is not
      -- counted, because all of them wait when PostgREST is held up.
      perform pg_stat_clear_snapshot();
      are_slow := p_places <= 2 * (
        select count(*)
        from pg_locks l join pg_stat_activity a using (pid)
        where l.locktype = 'advisory' and l.objsubid = 2 and l.classid = (p_person::bigint & 4294967295)::oid and l.granted
          and l.objid between 1 and p_places
          and a.datname = current_database() and a.state = 'active' and a.query_start < clock_timestamp() - interval '50 milliseconds'
      );
      -- a second look spares a person who was held up only because everybody was
      if are_slow and not were_slow then
        were_slow := true;
        continue;
      end if;
    end if;
    -- Who waits holds a connection too. Half as many as have a place may wait for slow requests, and nobody for long.
    if are_slow and not may_wait then
      for place in p_places * 3 / 2 + 1..p_places * 2 loop
        may_wait := pg_try_advisory_xact_lock(p_person, place);
        exit when may_wait;
      end loop;
      if not may_wait then
        perform pg_advisory_unlock_all();
        perform pg_try_advisory_lock_shared(p_person, second);
        exit;
      end if;
      perform set_config('lock_timeout', '50ms', true);
    end if;
    -- an anonymous statement is ended after two seconds, which would be a 500
    exit when clock_timestamp() - began > interval '1.5 seconds';
  end loop;
  perform private.refuse('53400', 'too many slow requests at once', 'Wait for the answers to earlier requests, then try again.', 429, '{"Retry-After": "1"}');
end
$$;
comment on function private.wait_for_place(integer, integer) is 'Waits until one of a person''s places is free, or refuses with 429.';
