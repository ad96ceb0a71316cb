-- Nobody takes the data surface from the others. What one person's requests may hold of PostgREST's connections is a
-- share: a request takes one of its person's places until its transaction ends, and waits for one when all are taken.
-- All anonymous requests together are one person. docs/decisions/data.md tells how the numbers relate to db-pool.
--
-- A place is an advisory lock, because a read runs in a transaction that may write nothing, and because a lock ends with
-- its transaction, however that ends.

create or replace function private.wait_for_place(p_person integer, p_places integer) returns void
  -- the lock timeout ends with the function
  language plpgsql volatile security definer set search_path = '' set lock_timeout = '10ms'
as $$
declare
  began constant timestamptz := clock_timestamp();
  held integer;
  slow integer;
begin
  loop
    -- what a request has cost so far is the time for which it has held a connection
    perform pg_catalog.pg_stat_clear_snapshot();
    select count(*), count(*) filter (where a.xact_start < clock_timestamp() - interval '100 milliseconds')
      into held, slow
      from pg_catalog.pg_locks l join pg_catalog.pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and l.objsubid = 2 and l.classid = (p_person::bigint & 4294967295)::oid
        and a.datname = current_database();
    -- quick requests may have twice the places
    if slow = 0 then
      for place in p_places + 1..p_places * 2 loop
        if pg_catalog.pg_try_advisory_xact_lock(p_person, place) then
          return;
        end if;
      end loop;
    end if;
    -- Who waits holds a connection too. Half as many as have a place may wait for slow requests, and nobody for long; the
    -- second look spares those who were only held up together with everybody else.
    exit when clock_timestamp() - began > interval '10 milliseconds' and slow * 2 >= p_places and held * 2 >= p_places * 3
      or clock_timestamp() - began > interval '2 seconds';
    begin
      perform pg_catalog.pg_advisory_xact_lock(p_person, 1 + floor(random() * p_places)::integer);
      return;
    exception
      when lock_not_available then perform set_config('lock_timeout', '50ms', true);
    end;
  end loop;
  perform private.refuse('53400', 'too many slow requests at once', 'Wait for the answers to earlier requests, then try again.', 429, '{"Retry-After": "1"}');
end
$$;
comment on function private.wait_for_place(integer, integer) is 'Waits until one of a person''s places is free, or refuses with 429.';
