-- after: activity/activity_rows, activity/tables
-- Undo. A request is reverted as a whole: deleted rows return, changed rows get their former values, and created rows
-- are deleted. If a row is no longer as the request left it, nothing is stored.
--
-- The effect of a request on a row is its state before the first change and after the last one. The activity names
-- the states before and after each change. A state in between is the one after a change and the one before the next
-- change, so these two cancel out. The first and the last state remain.

-- updated_at is set at each change. user_id is cleared when a member's account is deleted, and no request can change
-- it.
create or replace function private.unstable_columns() returns text[]
  language sql immutable parallel safe
  return array['updated_at', 'user_id'];
comment on function private.unstable_columns() is 'The columns that are ignored when rows are compared.';

-- An effect contains the ids of the activity rows that have the states, and not the states: those of 50,000 rows
-- would be a hundred megabytes. A row with one activity has its two states there. For a row with several, the hashes
-- of the states are compared.
create or replace function private.effects_of(p_change uuid) returns setof private.effect
  language sql stable set search_path = ''
begin atomic
  with recorded as (
    select r.*, count(*) over (partition by r.table_name, r.row_id, r.tag_id) > 1 as is_repeated
    from (
      select a.id, a.happened_at, a.table_name, a.row_id, a.organization_id, a.action,
        case a.table_name when 'transaction_tags' then (coalesce(a.after, a.before) ->> 'tag_id')::uuid end as tag_id,
        a.action = 'create' and a.after is null as is_bulk
      from api.activity a
      where a.id > p_change and a.id <= private.max_activity_id(p_change)
        and (a.tenant = (select private.personal_tenant()) or a.tenant = (select 'o:' || public.org_id()))
    ) r
  ), first_changes as (
    -- The state after a bulk creation is the one before the row's next change. Without a next change, the row is as
    -- it was created. The request of that change may have begun before the creation and then waited: the index finds
    -- its rows by the start of the request.
    select distinct on (a.table_name, a.row_id) a.table_name, a.row_id, a.id
    from api.activity a
    where a.id > p_change and a.before is not null
      and (a.table_name, a.row_id) in (select r.table_name, r.row_id from recorded r where r.is_bulk)
      and (
        a.tenant = (select private.personal_tenant())
          and a.happened_at >= (select min(r.happened_at) - interval '1 minute' from recorded r where r.is_bulk)
        or a.tenant = (select 'o:' || public.org_id())
          and a.happened_at >= (select min(r.happened_at) - interval '1 minute' from recorded r where r.is_bulk)
      )
    order by a.table_name, a.row_id, a.id
  ), sides as (
    select r.*, s.side, s.source, s.is_before
    from recorded r
    left join first_changes f on r.is_bulk and f.table_name = r.table_name and f.row_id = r.row_id
    cross join lateral (
      values (1, r.id, true), (-1, coalesce(f.id, r.id), f.id is not null)
    ) s (side, source, is_before)
    where r.is_repeated
  ), ends as (
    select s.table_name, s.row_id, s.tag_id, min(s.organization_id) as organization_id, sum(s.side) as side,
      bool_or(h.state is null) as is_absent,
      (array_agg(s.source))[1] as source, (array_agg(s.is_before))[1] as is_before
    from sides s
    left join lateral (
      select pg_catalog.jsonb_hash_extended(
        case when s.is_before then a.before else a.after end - private.unstable_columns(), 0) as state
      from api.activity a
      where a.id = s.source) h on true
    group by s.table_name, s.row_id, s.tag_id, h.state
    having sum(s.side) <> 0
  )
  select r.table_name, r.row_id, r.tag_id, r.organization_id, r.action, r.id, coalesce(f.id, r.id), f.id is not null
  from recorded r
  left join first_changes f on r.is_bulk and f.table_name = r.table_name and f.row_id = r.row_id
  where not r.is_repeated
  union all
  select e.table_name, e.row_id, e.tag_id, min(e.organization_id),
    case
      when bool_or(e.side > 0 and e.is_absent) then 'create'
      when bool_or(e.side < 0 and e.is_absent) then 'delete'
      else 'update'
    end,
    (array_agg(e.source) filter (where e.side > 0))[1],
    (array_agg(e.source) filter (where e.side < 0))[1], (array_agg(e.is_before) filter (where e.side < 0))[1]
  from ends e
  group by e.table_name, e.row_id, e.tag_id;
end;
comment on function private.effects_of(uuid) is
  'The effect of a request on each row, of the caller''s personal rows and the active organization''s: the action, '
  'and the activity rows with the states before and after it.';

create or replace function private.matches_state(p_row jsonb, p_state jsonb) returns boolean
  -- plpgsql, because an SQL body would compute p_row twice
  language plpgsql immutable set search_path = ''
as $$
begin
  return p_state is null or p_row || p_state - private.unstable_columns() = p_row;
end
$$;
comment on function private.matches_state(jsonb, jsonb) is
  'Whether a row is in this state; null stands for the state after its creation, without any change.';

create or replace function private.sort_by_references(p_tables text[]) returns text[]
  language sql stable set search_path = ''
begin atomic
  with recursive referring (name, level) as (
    select unnest(p_tables::name[]), 0
    union
    select c.relname, r.level + 1
    from referring r
    join pg_catalog.pg_constraint k on k.contype = 'f'
      and k.confrelid = pg_catalog.format('api.%I', r.name)::regclass and k.conrelid <> k.confrelid
    join pg_catalog.pg_class c on c.oid = k.conrelid
    where c.relname = any (p_tables)
  ) cycle name set is_circle using path
  select array_agg(name::text order by level)
  from (select name, max(level) as level from referring group by name) l;
end;
comment on function private.sort_by_references(text[]) is
  'Sorts tables of api: referenced tables come before those that refer to them.';

create or replace function private.reject_undo(p_reason text) returns void
  language plpgsql set search_path = ''
as $$
begin
  raise sqlstate 'PT409' using
    message = 'the data has changed since this request, or the request was already undone', detail = p_reason,
    hint = 'Nothing was saved. To see what happened since, read the activity of the same row_id.';
end
$$;
comment on function private.reject_undo(text) is 'Refuses an undo: 409.';

-- The loop searches for a row that differs in a further column until none is left. To compare the columns of every row
-- would take longer.
create or replace function private.different_columns(p_effects private.effect[], p_table text) returns text[]
  language plpgsql stable set search_path = ''
as $$
declare
  ignored constant text[] := private.unstable_columns();
  different text[] := ignored;
  more text[];
begin
  loop
    select array_agg(v.key) into more
      from (
        select b.before - different as before, s.after
        from unnest(p_effects) e
        join api.activity b on b.id = e.before_of
        join api.activity a on a.id = e.after_of
        cross join lateral (
          select case when e.after_is_before then a.before else a.after end - different as after
        ) s
        where e.table_name = p_table and e.action = 'update' and b.before - different <> s.after
        limit 1
      ) e cross join lateral jsonb_each(e.before) v
      where v.value is distinct from e.after -> v.key;
    exit when more is null;
    different := different || more;
  end loop;
  return array(select name from unnest(different) as name where name <> all (ignored));
end
$$;
comment on function private.different_columns(private.effect[], text) is
  'The columns of a table in which a row differs between before and after a request, and which an undo sets.';

-- One statement reverts one action on one table. It counts the rows that it finds: a missing row has changed again.
create or replace function private.undo_effects(p_effects private.effect[], p_table text, p_action text) returns bigint
  language plpgsql volatile set search_path = ''
as $$
declare
  target constant text := 'api.' || quote_ident(p_table);
  relation constant regclass := target::regclass;
  is_meant constant text :=
    'e.table_name = ' || quote_literal(p_table) || ' and e.action = ' || quote_literal(p_action);
  has_key constant text := (
    select string_agg(
      't.' || quote_ident(k.attname) || case k.attname when 'tag_id' then ' = e.tag_id' else ' = e.row_id' end, ' and ')
    from pg_catalog.pg_index i join pg_catalog.pg_attribute k on k.attrelid = i.indrelid and k.attnum = any (i.indkey)
    where i.indrelid = relation and i.indisprimary and k.attname <> 'tenant');
  -- finds the row by the id and tenant in the activity, in the state that the request left
  is_left constant text := has_key || '
    and private.matches_state(to_jsonb(t), case when e.after_is_before then a.before else a.after end)
    and t.tenant = private.tenant_of(private.personal_id(), e.organization_id)';
  -- a user who was deleted since is no longer named
  former_row constant text := $sql$b.before || jsonb_build_object(
    'user_id', (select u.id from auth.users u where u.id = b.before ->> 'user_id'))$sql$;
  defaults text;
  different text[];
  assignments text;
  types text;
  reached bigint;
begin
  case p_action
    when 'delete' then
      -- a column that was added since the deletion gets its default
      select string_agg(coalesce(pg_catalog.pg_get_expr(d.adbin, d.adrelid), 'null'), ', ' order by c.attnum)
        into defaults
        from pg_catalog.pg_attribute c
        left join pg_catalog.pg_attrdef d on d.adrelid = c.attrelid and d.adnum = c.attnum
        where c.attrelid = relation and c.attnum > 0 and not c.attisdropped;
      execute 'insert into ' || target || '
        select r.*
        from unnest($1) e
        join api.activity b on b.id = e.before_of
        cross join lateral jsonb_populate_record(row(' || defaults || ')::' || target || ', ' || former_row || ') r
        where ' || is_meant using p_effects;
    when 'update' then
      -- only columns that differ, because a trigger may depend on the columns of the update
      different := private.different_columns(p_effects, p_table);
      select string_agg(c.name || ' = r.' || c.name, ', '), string_agg(c.name || ' ' || c.type, ', ')
        into assignments, types
        from (
          select quote_ident(attname) as name, format_type(atttypid, atttypmod) as type
          from pg_catalog.pg_attribute
          -- a column may have been dropped since
          where attrelid = relation and not attisdropped and attname = any (different)
        ) c;
      execute 'update ' || target || ' t set ' || assignments || '
        from unnest($1) e
        join api.activity b on b.id = e.before_of
        join api.activity a on a.id = e.after_of
        cross join lateral jsonb_to_record(b.before) r (' || types || ')
        where ' || is_meant || ' and ' || is_left using p_effects;
    when 'create' then
      execute 'delete from ' || target || ' t
        using unnest($1) e join api.activity a on a.id = e.after_of
        where ' || is_meant || ' and ' || is_left using p_effects;
  end case;
  get diagnostics reached = row_count;
  return reached;
end
$$;
comment on function private.undo_effects(private.effect[], text, text) is
  'Reverts one action of a request on one table, for the rows that are as the request left them. Returns their number.';

create or replace function private.require_opposite_rights(p_effects private.effect[]) returns void
  language plpgsql set search_path = ''
as $$
declare
  denied text;
begin
  select e.table_name into denied
    from (select distinct table_name, action from unnest(p_effects) where organization_id is not null) e
    where not private.can(
      e.table_name, case e.action when 'create' then 'delete' when 'delete' then 'create' else 'update' end)
    limit 1;
  if denied is not null then
    perform private.deny(denied);
  end if;
end
$$;
comment on function private.require_opposite_rights(private.effect[]) is
  'Refuses an undo in an organization where the caller has no right to the opposite action.';

-- The triggers of transfers apply to callers, and an undo runs as the owner.
create or replace function private.reject_broken_transfers(p_effects private.effect[]) returns void
  language plpgsql set search_path = ''
as $$
declare
  broken text;
begin
  select case
      when count(*) > 1 then 'a transfer would have more than two sides'
      else 'both sides of a transfer would be in the same account'
    end
    into broken
    from unnest(p_effects) e
    join api.transactions t on t.id = e.row_id
    join api.transactions other on other.transfer_id = t.transfer_id and other.id <> t.id
      and other.tenant = t.tenant
    where e.table_name = 'transactions'
    group by t.id
    having count(*) > 1 or bool_or(other.account_id = t.account_id)
    limit 1;
  if found then
    perform private.reject_undo(broken);
  end if;
end
$$;
comment on function private.reject_broken_transfers(private.effect[]) is
  'Refuses an undo after which a transfer has more than two halves, or both in one account.';

-- Runs with the definer's rights, so that rows return with their ids, times and users. So this function checks the
-- rights itself. The effects are limited to the caller's personal rows and the active organization's. For the latter
-- the caller needs the right to the opposite action.
create or replace function private.revert_request(p_change uuid) returns jsonb
  language plpgsql volatile security definer set search_path = '' set timezone = 'UTC'
as $$
declare
  effects constant private.effect[] := array(select e from private.effects_of(p_change) e);
  one record;
  reached bigint;
  done jsonb := '{"create": 0, "update": 0, "delete": 0}'::jsonb;
  own uuid;
begin
  perform private.require_opposite_rights(effects);
  begin
    for one in
      with counted as (
        select e.table_name, e.action, count(*) as rows from unnest(effects) e group by e.table_name, e.action
      ), ranks as (
        select p.name, p.rank
        from unnest(private.sort_by_references(array(select distinct table_name from counted)))
          with ordinality as p (name, rank)
      )
      select c.*, case c.action when 'delete' then 'create' when 'create' then 'delete' else 'update' end as opposite
      from counted c join ranks p on p.name = c.table_name
      -- referenced tables come first when rows return, and last when rows are deleted
      order by case c.action when 'delete' then 1 when 'update' then 2 else 3 end,
        case c.action when 'create' then - p.rank else p.rank end
    loop
      reached := private.undo_effects(effects, one.table_name, one.action);
      if reached <> one.rows then
        perform private.reject_undo(format('%s of %s rows in %s have changed since the request',
          one.rows - reached, one.rows, one.table_name));
      end if;
      done := jsonb_set(done, array[one.opposite], to_jsonb((done ->> one.opposite)::bigint + reached));
      -- Parts come after their transactions. A plan from the time of few rows would read a whole index for each part.
      if one.action = 'delete' and reached > 1000 then
        execute format('analyze api.%I', one.table_name);
      end if;
    end loop;
    -- checks the deferred constraints now, so that a violation gets the message of an undo
    set constraints all immediate;
    perform private.reject_broken_transfers(effects);
  exception
    when integrity_constraint_violation or invalid_parameter_value then
      perform private.reject_undo(sqlerrm);
  end;
  own := private.activity_id(private.start_activity(), 0);
  if private.activity_count(private.start_activity()) = 0 then
    perform private.reject_undo('nothing is left to undo');
  end if;
  -- A row that was stored since and refers to a row deleted here would be deleted or lose its reference. EXCEPT,
  -- because the planner estimates few rows for an array and would scan it once for each row.
  select e.table_name into one from (
    select a.table_name, a.row_id from api.activity a where a.id > own and a.id <= private.max_activity_id(own)
    except select f.table_name, f.row_id from unnest(effects) f) e
    limit 1;
  if found then
    perform private.reject_undo(format('rows in %s refer to rows that the request created', one.table_name));
  end if;
  return jsonb_build_object('change_id', own) || done;
end
$$;
comment on function private.revert_request(uuid) is
  'Reverts the effects of a request on the caller''s personal rows and the active organization''s. Returns the id '
  'of this request, and the number of rows that it created, updated and deleted.';
grant execute on function private.revert_request(uuid) to authenticated;

-- PostgREST sets the timeout of the function for its request. An undo takes up to twice the time of the change,
-- because it compares each row. So a request that ended within the usual 8 seconds can also be undone, on a busy
-- server too.
create or replace function api.undo(p_activity_id uuid) returns jsonb
  language plpgsql volatile set search_path = '' set statement_timeout = '30s'
as $$
declare
  -- row security applies here: activity that the caller does not see is not found
  change constant uuid := (select a.change_id from api.activity a where a.id = p_activity_id);
begin
  if change is null then
    raise sqlstate 'PT404' using
      message = 'activity not found',
      hint = 'p_activity_id must be the ID of an activity row you can access.';
  end if;
  return private.revert_request(change);
end
$$;
comment on function api.undo(uuid) is
$$Reverts a request

Reverts all that the request of this row of activity did to your personal rows and, while an organization is active,
to the organization's. Deleted rows return with their ids, times and users, changed rows get their former values, and
created rows are deleted. Either all of it happens or nothing. The undo is a request like any other: it is recorded in
activity, and can be undone.

Returns {`change_id`, `create`, `update`, `delete`}: the `change_id` of its own activity, and how many rows it
created, updated and deleted. 404 if you do not see the row of activity. 403 if your role may not do the opposite
action. 409 if a row is no longer as the request left it, or if another row now refers to a row that it created. 413
`QUOTA_EXCEEDED` if restored files would exceed a limit. So a second undo is 409 too.$$;
grant execute on function api.undo(uuid) to authenticated;
