-- after: core
-- Every change of a money table is recorded in api.activity, by statement: after a statement has changed rows, one
-- insert records all of them. Changes by foreign keys and triggers are recorded in the same way.
--
-- Only requests of the data surface are recorded. The owner of the database and the auth service have no claims. So
-- the deletion of a user leaves no activity. Live streams learn of every change: each function also notes the changed
-- contexts (changes.sql).

create or replace function private.activity_id_prefix(p_moment timestamptz, p_random uuid) returns text
  language sql immutable set search_path = ''
begin atomic
  select lpad(to_hex((extract(epoch from p_moment) * 1000)::bigint), 12, '0') || '7'
    -- skips the digit of the UUID variant, which is the same in each random id
    || substr(digits, 14, 3) || substr(digits, 17, 8)
  from (select replace(p_random::text, '-', '') as digits) d;
end;
comment on function private.activity_id_prefix(timestamptz, uuid) is
  'The prefix of the ids of a request''s activity, in 24 hexadecimal digits: the time and a random part. The other '
  '8 digits count the rows.';

create or replace function private.activity_id(p_start text, p_number bigint) returns uuid
  language sql immutable
  return (left(p_start, 24) || lpad(to_hex(p_number), 8, '0'))::uuid;
comment on function private.activity_id(text, bigint) is
  'The id of the n-th activity row of a request; 0 is the id of the request itself. p_start is any id of the request '
  'without hyphens, or their common prefix.';

create or replace function private.max_activity_id(p_change uuid) returns uuid
  language sql immutable
  return private.activity_id(replace(p_change::text, '-', ''), x'ffffffff'::bigint);
comment on function private.max_activity_id(uuid) is 'The largest possible id of a request''s activity.';

create or replace function private.activity_count(p_so_far text) returns bigint
  language sql immutable
  return ('x' || right(p_so_far, 8))::bit(32)::bigint;
comment on function private.activity_count(text) is
  'The number of a request''s activity rows, read from the last of their ids.';

-- pre_request() calls this when a request has its tenants' locks, and not the first change: PostgREST reads the header
-- before the triggers after a statement run. So a request that waited for others comes after them.
create or replace function private.start_activity() returns text
  language plpgsql volatile set search_path = ''
as $$
declare
  so_far text := nullif(current_setting('activity.of_request', true), '');
begin
  if so_far is null then
    so_far := private.activity_id_prefix(clock_timestamp(), gen_random_uuid()) || '00000000';
    perform set_config('activity.of_request', so_far, true);
    perform set_config('response.headers', (
      coalesce(nullif(current_setting('response.headers', true), '')::jsonb, '[]')
        || jsonb_build_array(jsonb_build_object('X-Change-Id', private.activity_id(so_far, 0))))::text, true);
  end if;
  return so_far;
end
$$;
comment on function private.start_activity() is
  'Returns the last id of the request''s activity. The first call gives the request a change_id, and tells the client '
  'in the header X-Change-Id.';

-- The limit of rows that one request may write. It lets an undo finish within the time and memory of one request.
-- Rows of all tables count, including those that foreign keys and triggers change. The rows are counted before they
-- are written: otherwise a request that is far too large would end with a timeout, which does not explain the limit.
-- An upsert fires the triggers of insert and update for one row, so each kind has a separate count here.
-- store_activity_count() counts the recorded rows of both.
create or replace function private.max_rows_per_request() returns integer
  -- 50,000 and a hundred, so that an account can be deleted together with its 50,000 transactions
  language sql immutable parallel safe
  return 50100;
comment on function private.max_rows_per_request() is
  'The maximum number of rows that one request may create, update and delete.';

create or replace function private.count_written_row(p_kind text) returns integer
  language sql volatile
  -- the setting ends with the request
  return set_config(
    'activity.' || p_kind,
    (coalesce(nullif(current_setting('activity.' || p_kind, true), ''), '0')::integer + 1)::text,
    true)::integer;
comment on function private.count_written_row(text) is
  'Counts a row that a request is about to write, and returns the count of this kind.';

create or replace function private.count_exceeds_limit(p_operation text) returns boolean
  language sql volatile
  -- the owner of the database and the auth service have no claims: the deletion of an account deletes all its rows
  return current_setting('request.jwt.claims', true) <> ''
    and private.count_written_row(case p_operation when 'INSERT' then 'created' else 'changed' end)
      > private.max_rows_per_request();
comment on function private.count_exceeds_limit(text) is
  'Counts a row that a request is about to write. Returns true if the count exceeds the limit. p_operation is tg_op '
  'of the trigger.';

create or replace function private.reject_many_rows() returns void
  language plpgsql set search_path = ''
as $$
begin
  raise sqlstate 'PT413' using
    message = format('this request would change more than %s rows', private.max_rows_per_request()),
    detail = 'This includes rows that are changed or deleted along with others.',
    hint = 'Nothing was saved. Split the request, for example by year of transaction_date. Before you delete an '
      'account, category, tag or import, move or delete its transactions in several requests.';
end
$$;
comment on function private.reject_many_rows() is 'Refuses a request that changes too many rows: 413.';
grant execute on function private.max_rows_per_request(), private.count_written_row(text),
  private.count_exceeds_limit(text), private.reject_many_rows() to authenticated;

create or replace function private.store_activity_count(p_so_far text, p_recorded bigint) returns void
  language plpgsql volatile set search_path = ''
as $$
declare
  recorded constant bigint := private.activity_count(p_so_far) + p_recorded;
begin
  if recorded > private.max_rows_per_request() then
    perform private.reject_many_rows();
  end if;
  -- the setting ends with the request
  perform set_config('activity.of_request', left(p_so_far, 24) || lpad(to_hex(recorded), 8, '0'), true);
end
$$;
comment on function private.store_activity_count(text, bigint) is
  'Stores the number of a request''s activity rows after p_recorded further ones. Raises 413 if there are too many.';

-- The trigger functions have the definer's rights, because callers may not write activity. They run in UTC, because
-- JSON contains times in the request's time zone, and an undo compares them. Without a caller they record nothing.
create or replace function private.record_creation() returns trigger
  language plpgsql security definer set search_path = '' set timezone = 'UTC'
as $$
declare
  actor constant text := public.uid();
  so_far text;
  request uuid;
  earlier bigint;
  recorded bigint;
begin
  if actor is not null then
    so_far := private.start_activity();
    request := private.activity_id(so_far, 0);
    earlier := private.activity_count(so_far);
    insert into api.activity (id, happened_at, change_id, actor_id, user_id, organization_id, tenant, action,
        table_name, row_id, after)
      select private.activity_id(so_far, earlier + row_number() over ()), now(), request, actor,
        case when n.organization_id is null then n.user_id end, n.organization_id, n.tenant,
        'create', tg_table_name, n.id,
        -- Recording all rows of a bulk creation would take a quarter of its time. An undo finds them in their table, or
        -- before their next change.
        case when row_number() over () <= 100 then to_jsonb(n) end
      from new_rows n;
    get diagnostics recorded = row_count;
    perform private.store_activity_count(so_far, recorded);
  end if;
  perform private.note_change(tg_table_name, c.tenant, null, 'create', c.ids)
    from (select tenant, array_agg(id) as ids from new_rows group by tenant order by tenant desc) c;
  return null;
end
$$;
comment on function private.record_creation() is 'Records the rows that a statement of a request has created.';

-- An update that only changes updated_at is not recorded. A connection keeps the plan of its first run, perhaps for
-- one row. A nested loop would compare each old row with every new row.
create or replace function private.record_change() returns trigger
  language plpgsql security definer set search_path = '' set timezone = 'UTC' set enable_nestloop = off
as $$
declare
  actor constant text := public.uid();
  so_far text;
  request uuid;
  earlier bigint;
  recorded bigint;
begin
  if actor is not null then
    so_far := private.start_activity();
    request := private.activity_id(so_far, 0);
    earlier := private.activity_count(so_far);
    with changed as materialized (
      select n.id, n.tenant, n.organization_id, n.user_id, to_jsonb(o) as before, to_jsonb(n) as after
      from old_rows o join new_rows n on n.id = o.id
    )
    insert into api.activity (id, happened_at, change_id, actor_id, user_id, organization_id, tenant, action,
        table_name, row_id, before, after)
      select private.activity_id(so_far, earlier + row_number() over ()), now(), request, actor,
        case when c.organization_id is null then c.user_id end, c.organization_id, c.tenant,
        'update', tg_table_name, c.id, c.before, c.after
      from changed c
      where c.before - 'updated_at' <> c.after - 'updated_at';
    get diagnostics recorded = row_count;
    if recorded = 0 then
      return null;
    end if;
    perform private.store_activity_count(so_far, recorded);
  end if;
  perform private.note_change(tg_table_name, c.tenant, null, 'update', c.ids)
    from (select tenant, array_agg(id) as ids from new_rows group by tenant order by tenant desc) c;
  return null;
end
$$;
comment on function private.record_change() is 'Records the rows that a statement of a request has updated.';

create or replace function private.record_deletion() returns trigger
  language plpgsql security definer set search_path = '' set timezone = 'UTC'
as $$
declare
  actor constant text := public.uid();
  so_far text;
  request uuid;
  earlier bigint;
  recorded bigint;
begin
  if actor is not null then
    so_far := private.start_activity();
    request := private.activity_id(so_far, 0);
    earlier := private.activity_count(so_far);
    insert into api.activity (id, happened_at, change_id, actor_id, user_id, organization_id, tenant, action,
        table_name, row_id, before)
      select private.activity_id(so_far, earlier + row_number() over ()), now(), request, actor,
        case when o.organization_id is null then o.user_id end, o.organization_id, o.tenant,
        'delete', tg_table_name, o.id, to_jsonb(o)
      from old_rows o;
    get diagnostics recorded = row_count;
    perform private.store_activity_count(so_far, recorded);
  end if;
  perform private.note_change(tg_table_name, c.tenant, null, 'delete', c.ids)
    from (select tenant, array_agg(id) as ids from old_rows group by tenant order by tenant desc) c;
  return null;
end
$$;
comment on function private.record_deletion() is 'Records the rows that a statement of a request has deleted.';

create or replace function private.record_association() returns trigger
  language plpgsql security definer set search_path = '' set timezone = 'UTC'
as $$
declare
  actor constant text := public.uid();
  gone jsonb[] := array[]::jsonb[];
  came jsonb[] := array[]::jsonb[];
  so_far text;
  request uuid;
  earlier bigint;
  recorded bigint;
begin
  if tg_op <> 'INSERT' then
    gone := array(select to_jsonb(o) from old_rows o);
  end if;
  if tg_op <> 'DELETE' then
    came := array(select to_jsonb(n) from new_rows n);
  end if;
  if actor is not null then
    so_far := private.start_activity();
    request := private.activity_id(so_far, 0);
    earlier := private.activity_count(so_far);
    insert into api.activity (id, happened_at, change_id, actor_id, user_id, organization_id, tenant, action,
        table_name, row_id, before, after)
      select private.activity_id(so_far, earlier + row_number() over ()), now(), request, actor,
        c.one ->> 'user_id', c.one ->> 'organization_id', c.one ->> 'tenant',
        c.action, tg_table_name, (c.one ->> 'transaction_id')::uuid,
        case c.action when 'delete' then c.one end, case c.action when 'create' then c.one end
      from (
        (select 'delete' as action, unnest(gone) as one except select 'delete', unnest(came))
        union all
        (select 'create', unnest(came) except select 'create', unnest(gone))
      ) c;
    get diagnostics recorded = row_count;
    if recorded = 0 then
      return null;
    end if;
    perform private.store_activity_count(so_far, recorded);
  end if;
  perform private.note_change(tg_table_name, c.tenant, null, private.action_of(tg_op), c.ids)
    from (
      select one ->> 'tenant' as tenant, array_agg(distinct (one ->> 'transaction_id')::uuid) as ids
      from unnest(gone || came) as one group by 1 order by 1 desc
    ) c;
  return null;
end
$$;
comment on function private.record_association() is
  'Records the tag associations that a statement of a request has created or deleted. An association has no id of its '
  'own. A changed one is another one.';

create or replace function private.forget_activity(p_days integer, p_most integer) returns bigint
  language plpgsql volatile security definer set search_path = ''
as $$
declare
  -- no id is older than 1970, and a negative number would have other digits
  until constant uuid := private.activity_id(
    private.activity_id_prefix(
      greatest(now() - make_interval(days => p_days), to_timestamp(0)), '00000000-0000-4000-8000-000000000000'),
    0);
  enough uuid;
  forgotten bigint;
  deleted_ids uuid[];
  deleted_tenants text[];
begin
  select private.max_activity_id(id) into enough
    from api.activity where id < until order by id offset p_most - 1 limit 1;
  with gone as (
    delete from api.activity where id < until and (enough is null or id <= enough)
      returning action, table_name, row_id, tenant
  )
  select count(*), array_agg(row_id) filter (where is_import), array_agg(tenant) filter (where is_import)
    into forgotten, deleted_ids, deleted_tenants
    from (select *, action = 'delete' and table_name in ('transactions', 'imports') as is_import from gone) g;
  perform private.forget_deleted_imports(deleted_ids, deleted_tenants);
  return forgotten;
end
$$;
comment on function private.forget_activity(integer, integer) is
  'Deletes up to p_most of the oldest activity rows that are older than p_days, and the rest of the last request '
  'among them. So no request is deleted in part. Returns the number of deleted rows.';
grant execute on function private.forget_activity(integer, integer) to auth_service;
