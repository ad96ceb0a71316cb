-- Every change of a money table is recorded in api.activity, by statement: once a statement has changed its rows, one insert
-- writes down all of them. What foreign keys and triggers change in its wake is recorded in the same way.
--
-- Requests of the data surface are recorded. The owner of the database and the auth service have no claims, and are not: a
-- user who is deleted leaves no rows behind.

create or replace function private.start_of_change(p_moment timestamptz, p_random uuid) returns text
  language sql immutable set search_path = ''
begin atomic
  select lpad(to_hex((extract(epoch from p_moment) * 1000)::bigint), 12, '0') || '7'
    -- the digits around the variant's, which a random id has in the same place
    || substr(digits, 14, 3) || substr(digits, 17, 8)
  from (select replace(p_random::text, '-', '') as digits) d;
end;
comment on function private.start_of_change(timestamptz, uuid) is
  'What the ids of a request''s activity begin with, in 24 hexadecimal digits: the time and a random part. The other 8 count.';

create or replace function private.nth_of_change(p_start text, p_number bigint) returns uuid
  language sql immutable
  return (p_start || lpad(to_hex(p_number), 8, '0'))::uuid;
comment on function private.nth_of_change(text, bigint) is 'The id of a request''s n-th row of activity; 0 is the id of the request.';

create or replace function private.count_of(p_so_far text) returns bigint
  language sql immutable
  return ('x' || right(p_so_far, 8))::bit(32)::bigint;
comment on function private.count_of(text) is 'How many rows of activity a request has so far, from the last of their ids.';

-- The id has the time of the first change and not of the request's begin. A request that waited comes after those that it waited for.
create or replace function private.recorded_so_far() returns text
  language sql volatile
  return coalesce(nullif(current_setting('activity.of_request', true), ''), private.start_of_change(clock_timestamp(), gen_random_uuid()) || '00000000');
comment on function private.recorded_so_far() is 'The last id of the request''s activity, in hexadecimal digits; of one that has none, the id of the request.';

-- What is done can be undone within the time and the memory of one request, so a request changes no more rows than that. All tables
-- count, and what foreign keys and triggers change. The rows are counted before they are written, because a request that writes
-- far too many would end at its time limit, which says nothing of what to do. An upsert meets the triggers of both kinds for
-- one row, so each kind has its own count there; what was recorded of both is counted in keep_count().
create or replace function private.most_rows_of_change() returns integer
  -- 50,000 and a hundred, so that an account goes along with its 50,000 transactions
  language sql immutable parallel safe
  return 50100;
comment on function private.most_rows_of_change() is 'How many rows one request may create, change and delete.';

create or replace function private.one_more(p_kind text) returns integer
  language sql volatile
  -- ends with the request
  return set_config('activity.' || p_kind, (coalesce(nullif(current_setting('activity.' || p_kind, true), ''), '0')::integer + 1)::text, true)::integer;
comment on function private.one_more(text) is 'Counts one more row that a request is about to write, and answers how many of this kind they are.';

create or replace function private.is_one_too_many(p_operation text) returns boolean
  language sql volatile
  -- the owner of the database and the auth service have no claims: the deletion of an account deletes all its rows
  return current_setting('request.jwt.claims', true) <> ''
    and private.one_more(case p_operation when 'INSERT' then 'created' else 'changed' end) > private.most_rows_of_change();
comment on function private.is_one_too_many(text) is 'Counts a row that a request is about to write, and answers whether it is one too many. The operation is a trigger''s.';

create or replace function private.refuse_many_rows() returns void
  language plpgsql set search_path = ''
as $$
begin
  raise sqlstate 'PT413' using
    message = format('this request would change more than %s rows', private.most_rows_of_change()),
    detail = 'Rows that are changed or deleted along with others count too.',
    hint = 'Nothing was stored. Send it in parts, such as one for each year of transaction_date. Before an account, a category, a tag or an import is deleted, move or delete its transactions in parts.';
end
$$;
comment on function private.refuse_many_rows() is 'Refuses a request that changes too many rows: 413.';
grant execute on function private.most_rows_of_change(), private.one_more(text), private.is_one_too_many(text), private.refuse_many_rows() to authenticated;

create or replace function private.keep_count(p_so_far text, p_recorded bigint) returns void
  language plpgsql volatile set search_path = ''
as $$
declare
  recorded constant bigint := private.count_of(p_so_far) + p_recorded;
begin
  if recorded > private.most_rows_of_change() then
    perform private.refuse_many_rows();
  end if;
  -- ends with the request
  perform set_config('activity.of_request', left(p_so_far, 24) || lpad(to_hex(recorded), 8, '0'), true);
end
$$;
comment on function private.keep_count(text, bigint) is 'Keeps how many rows of activity a request has, of which the last are recorded; 413 when they are too many.';

-- The functions of the triggers have the definer's rights, because callers may not write activity. They run in UTC, because JSON
-- has times as the request's time zone has them, and an undo compares them. They do little, because every single insert pays it: one
-- expression before, one statement, one expression after. Where there is no caller, nothing is recorded.
create or replace function private.record_creation() returns trigger
  language plpgsql security definer set search_path = '' set timezone = 'UTC'
as $$
declare
  so_far constant text := private.recorded_so_far();
  recorded bigint;
begin
  insert into api.activity
    select private.nth_of_change(s.start, s.number + row_number() over ()), now(), s.change, s.actor,
      case when n.organization_id is null then n.user_id end, n.organization_id, 'create', tg_table_name, n.id, null,
      -- To write down all rows of a bulk creation would cost a quarter of the creation. They are in their table, or before their next change.
      case when row_number() over () <= 100 then to_jsonb(n) end
    from new_rows n cross join (select left(so_far, 24) as start, private.count_of(so_far) as number, private.nth_of_change(left(so_far, 24), 0) as change, public.uid() as actor offset 0) s
    where s.actor is not null;
  get diagnostics recorded = row_count;
  perform private.keep_count(so_far, recorded);
  return null;
end
$$;
comment on function private.record_creation() is 'Records what a statement of a request has created.';

create or replace function private.record_association() returns trigger
  language plpgsql security definer set search_path = '' set timezone = 'UTC'
as $$
declare
  so_far constant text := private.recorded_so_far();
  recorded bigint;
begin
  insert into api.activity
    select private.nth_of_change(s.start, s.number + row_number() over ()), now(), s.change, s.actor,
      n.user_id, n.organization_id, 'create', tg_table_name, n.transaction_id, null, to_jsonb(n)
    from new_rows n cross join (select left(so_far, 24) as start, private.count_of(so_far) as number, private.nth_of_change(left(so_far, 24), 0) as change, public.uid() as actor offset 0) s
    where s.actor is not null;
  get diagnostics recorded = row_count;
  perform private.keep_count(so_far, recorded);
  return null;
end
$$;
comment on function private.record_association() is 'Records which tags a statement of a request has set. An association has no id of its own.';

-- A row that an update leaves as it was, but for updated_at, has not changed.
create or replace function private.record_change() returns trigger
  language plpgsql security definer set search_path = '' set timezone = 'UTC'
as $$
declare
  so_far constant text := private.recorded_so_far();
  recorded bigint;
begin
  insert into api.activity
    select private.nth_of_change(s.start, s.number + row_number() over ()), now(), s.change, s.actor,
      case when r.organization_id is null then r.user_id end, r.organization_id, 'update', tg_table_name, r.id, r.before, r.after
    from (
      -- a full join, because the plan is kept from when there was one row, and would compare each row with every other
      select n.id, n.user_id, n.organization_id, to_jsonb(o) as before, to_jsonb(n) as after
      from old_rows o full join new_rows n on n.id = o.id
      -- so that each row becomes JSON once
      offset 0
    ) r
    cross join (select left(so_far, 24) as start, private.count_of(so_far) as number, private.nth_of_change(left(so_far, 24), 0) as change, public.uid() as actor offset 0) s
    where s.actor is not null and r.before - 'updated_at' <> r.after - 'updated_at';
  get diagnostics recorded = row_count;
  perform private.keep_count(so_far, recorded);
  return null;
end
$$;
comment on function private.record_change() is 'Records what a statement of a request has changed.';

-- An update that gives a tag association another tag ends one association and begins another.
create or replace function private.record_changed_association() returns trigger
  language plpgsql security definer set search_path = '' set timezone = 'UTC'
as $$
declare
  so_far constant text := private.recorded_so_far();
  recorded bigint;
begin
  insert into api.activity
    select private.nth_of_change(s.start, s.number + row_number() over ()), now(), s.change, s.actor,
      coalesce(n.user_id, o.user_id), coalesce(n.organization_id, o.organization_id),
      case when o.tag_id is null then 'create' when n.tag_id is null then 'delete' else 'update' end, tg_table_name,
      coalesce(n.transaction_id, o.transaction_id), to_jsonb(o), to_jsonb(n)
    from old_rows o full join new_rows n using (transaction_id, tag_id)
    cross join (select left(so_far, 24) as start, private.count_of(so_far) as number, private.nth_of_change(left(so_far, 24), 0) as change, public.uid() as actor offset 0) s
    where s.actor is not null and o is distinct from n;
  get diagnostics recorded = row_count;
  perform private.keep_count(so_far, recorded);
  return null;
end
$$;
comment on function private.record_changed_association() is 'Records which tags a statement of a request has changed.';

create or replace function private.record_deletion() returns trigger
  language plpgsql security definer set search_path = '' set timezone = 'UTC'
as $$
declare
  so_far constant text := private.recorded_so_far();
  recorded bigint;
begin
  insert into api.activity
    select private.nth_of_change(s.start, s.number + row_number() over ()), now(), s.change, s.actor,
      case when r.before ->> 'organization_id' is null then r.before ->> 'user_id' end, r.before ->> 'organization_id', 'delete', tg_table_name,
      coalesce(r.before ->> 'id', r.before ->> 'transaction_id')::uuid, r.before, null
    from (select to_jsonb(o) as before from old_rows o offset 0) r
    cross join (select left(so_far, 24) as start, private.count_of(so_far) as number, private.nth_of_change(left(so_far, 24), 0) as change, public.uid() as actor offset 0) s
    where s.actor is not null;
  get diagnostics recorded = row_count;
  perform private.keep_count(so_far, recorded);
  return null;
end
$$;
comment on function private.record_deletion() is 'Records what a statement of a request has deleted.';

create or replace function private.forget_activity(p_days integer, p_most integer) returns bigint
  language plpgsql volatile security definer set search_path = ''
as $$
declare
  -- no id is of before 1970, and a negative number has other digits
  until constant uuid := private.nth_of_change(
    private.start_of_change(greatest(now() - make_interval(days => p_days), to_timestamp(0)), '00000000-0000-4000-8000-000000000000'), 0);
  enough uuid;
  forgotten bigint;
begin
  select private.nth_of_change(left(replace(id::text, '-', ''), 24), x'ffffffff'::bigint) into enough
    from api.activity where id < until order by id offset p_most - 1 limit 1;
  delete from api.activity where id < until and (enough is null or id <= enough);
  get diagnostics forgotten = row_count;
  return forgotten;
end
$$;
comment on function private.forget_activity(integer, integer) is
  'Deletes the oldest activity of before so many days: so many rows, and what else their last request has changed, so that none is forgotten by half. Answers how many.';
grant execute on function private.forget_activity(integer, integer) to auth_service;

create or replace function private.forget_activity_of_organization() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  delete from api.activity where organization_id = old.id;
  return null;
end
$$;
comment on function private.forget_activity_of_organization() is 'Deletes the activity of an organization that is being deleted.';
