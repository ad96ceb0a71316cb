-- A request is taken back as a whole: what it deleted returns, what it changed is as it was, what it created is deleted. All of
-- it or nothing: where a row is no longer as the request left it, nothing is stored.
--
-- What the request did to a row is seen from its ends. Of all states that its activity names before and after a change,
-- those in between stand once on either side; what is left over is where the row began and where it ended.

-- updated_at is set at each change. user_id is cleared when a member's account is deleted, and no request can change it.
create or replace function private.unstable_columns() returns text[]
  language sql immutable parallel safe
  return array['updated_at', 'user_id'];
comment on function private.unstable_columns() is 'The columns that may differ in a row that nobody has changed.';

create or replace function private.last_of_change(p_change uuid) returns uuid
  language sql immutable
  return private.nth_of_change(left(replace(p_change::text, '-', ''), 24), x'ffffffff'::bigint);
comment on function private.last_of_change(uuid) is 'The end of the range of ids that a request''s activity has.';

create or replace function private.effects_of(p_change uuid) returns setof api.activity
  language sql stable set search_path = ''
begin atomic
  with recorded as (
    select a.*, coalesce(a.after, a.before) ->> 'tag_id' as tag_id, a.action = 'create' and a.after is null as is_bulk
    from api.activity a
    where a.id > p_change and a.id <= private.last_of_change(p_change)
      and (a.organization_id is null and a.user_id = (select private.personal_id()) or a.organization_id = (select public.org_id()))
  ), first_changes as (
    -- what became of a bulk creation stands before its first change; without one, the row is as it was created
    select distinct on (a.table_name, a.row_id) a.table_name, a.row_id, a.before
    from api.activity a
    where a.id > p_change and a.before is not null and (a.table_name, a.row_id) in (select r.table_name, r.row_id from recorded r where r.is_bulk)
      and (
        a.organization_id is null and a.user_id = (select private.personal_id())
          and a.happened_at >= (select min(r.happened_at) from recorded r where r.is_bulk)
        or a.organization_id = (select public.org_id())
          and a.happened_at >= (select min(r.happened_at) from recorded r where r.is_bulk)
      )
    order by a.table_name, a.row_id, a.id
  ), ends as (
    select r.table_name, r.row_id, r.tag_id, (array_agg(s.state))[1] as state, sum(s.side) as side, min(r.organization_id) as organization_id
    from recorded r
    left join first_changes f on r.is_bulk and f.table_name = r.table_name and f.row_id = r.row_id
    cross join lateral (values (r.before, 1), (case when r.is_bulk then coalesce(f.before, jsonb_build_object('id', r.row_id)) else r.after end, -1)) s (state, side)
    group by r.table_name, r.row_id, r.tag_id, s.state - private.unstable_columns()
    having sum(s.side) <> 0
  )
  select null::uuid, null::timestamptz, p_change, null::text, null::text, min(e.organization_id),
    case
      when bool_or(e.side > 0 and e.state is null) then 'create'
      when bool_or(e.side < 0 and e.state is null) then 'delete'
      else 'update'
    end,
    e.table_name, e.row_id,
    (array_agg(e.state) filter (where e.side > 0))[1], (array_agg(e.state) filter (where e.side < 0))[1]
  from ends e
  group by e.table_name, e.row_id, e.tag_id;
end;
comment on function private.effects_of(uuid) is
  'What a request did to each row, of the caller''s personal ones and of the active organization''s: its action, and the row before and after it.';

create or replace function private.in_order_of_references(p_tables text[]) returns text[]
  language sql stable set search_path = ''
begin atomic
  with recursive referring (name, level) as (
    select unnest(p_tables::name[]), 0
    union
    select c.relname, r.level + 1
    from referring r
    join pg_catalog.pg_constraint k on k.contype = 'f' and k.confrelid = pg_catalog.format('api.%I', r.name)::regclass and k.conrelid <> k.confrelid
    join pg_catalog.pg_class c on c.oid = k.conrelid
    where c.relname = any (p_tables)
  ) cycle name set is_circle using path
  select array_agg(name::text order by level)
  from (select name, max(level) as level from referring group by name) l;
end;
comment on function private.in_order_of_references(text[]) is 'Tables of api, those first that others refer to.';

create or replace function private.refuse_undo(p_reason text) returns void
  language plpgsql set search_path = ''
as $$
begin
  raise sqlstate 'PT409' using
    message = 'what this request changed has changed again since, or has been taken back', detail = p_reason,
    hint = 'Nothing was stored. Activity of the same row_id says what happened since.';
end
$$;
comment on function private.refuse_undo(text) is 'Refuses to take a request back: 409.';

-- One kind of effect on one table is one statement. Each counts the rows that it reached: one that is missing has changed again.
create or replace function private.undo_effects(p_effects api.activity[], p_table text, p_action text) returns bigint
  language plpgsql volatile set search_path = ''
as $$
declare
  columns text[];
  key text;
  -- the id that activity names may be another tenant's row by now
  within constant text := '(t.organization_id = (select public.org_id()) or t.organization_id is null and t.user_id = (select private.personal_id()))';
  reached bigint;
begin
  select string_agg(format('t.%1$I = (coalesce(e.after, e.before) ->> %1$L)::uuid', a.attname), ' and ') into key
    from pg_catalog.pg_index i join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
    where i.indrelid = format('api.%I', p_table)::regclass and i.indisprimary;
  case p_action
    when 'delete' then
      -- a column that is newer than the deletion has its default; a user who is gone since is named no more
      select array_agg(coalesce(pg_catalog.pg_get_expr(d.adbin, d.adrelid), 'null') order by a.attnum) into columns
        from pg_catalog.pg_attribute a left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where a.attrelid = format('api.%I', p_table)::regclass and a.attnum > 0 and not a.attisdropped;
      execute format(
        $sql$
          insert into api.%1$I
            select r.*
            from unnest($1) e
            cross join lateral jsonb_populate_record(row(%2$s)::api.%1$I,
              e.before || jsonb_build_object('user_id', (select u.id from auth.users u where u.id = e.before ->> 'user_id'))) r
            where e.table_name = %1$L and e.action = 'delete'
        $sql$, p_table, array_to_string(columns, ', ')) using p_effects;
    when 'update' then
      -- only what is different, because a trigger may wait for a column to be named
      select array_agg(distinct b.key) into columns
        from unnest(p_effects) e cross join lateral jsonb_each(e.before) b
        where e.table_name = p_table and e.action = 'update' and b.value is distinct from e.after -> b.key
          and b.key <> all (private.unstable_columns())
          -- a column may be gone since
          and exists (select from pg_catalog.pg_attribute a where a.attrelid = format('api.%I', p_table)::regclass and a.attname = b.key and not a.attisdropped);
      execute format(
        $sql$
          update api.%1$I as changed set %2$s
          from unnest($1) e
          join api.%1$I t on %3$s
          cross join lateral (select to_jsonb(t) - private.unstable_columns() as now, e.after - private.unstable_columns() as then) s
          cross join lateral jsonb_populate_record(t, e.before) r
          where e.table_name = %1$L and e.action = 'update' and changed.id = t.id and s.now || s.then = s.now
            and %4$s
        $sql$, p_table, (select string_agg(format('%1$I = r.%1$I', name), ', ') from unnest(columns) as name), key, within) using p_effects;
    when 'create' then
      execute format(
        $sql$
          delete from api.%1$I t
          using unnest($1) e cross join lateral (select e.after - private.unstable_columns() as then) s
          where e.table_name = %1$L and e.action = 'create' and %2$s and %3$s
            and to_jsonb(t) - private.unstable_columns() || s.then = to_jsonb(t) - private.unstable_columns()
        $sql$, p_table, key, within) using p_effects;
  end case;
  get diagnostics reached = row_count;
  return reached;
end
$$;
comment on function private.undo_effects(api.activity[], text, text) is
  'Takes one action of a request on one table back, as far as the rows are as the request left them. Answers how many were.';

-- The definer's rights, so that rows return with their ids, times and users. So it asks for itself what row rules would ask: the
-- effects are those on the caller's own personal rows and on the active organization's, and of these only with the right to do
-- the opposite.
create or replace function private.take_back(p_change uuid) returns jsonb
  language plpgsql volatile security definer set search_path = '' set timezone = 'UTC'
as $$
declare
  effects api.activity[];
  denied text;
  one record;
  reached bigint;
  done jsonb := '{"create": 0, "update": 0, "delete": 0}';
  own uuid;
begin
  perform private.take_turns(t.table_name) from (
    select distinct a.table_name from api.activity a where a.id > p_change and a.id <= private.last_of_change(p_change)) t;
  effects := array(select e from private.effects_of(p_change) e);
  select e.table_name into denied from unnest(effects) e
    where e.organization_id is not null
      and not private.can(e.table_name, case e.action when 'create' then 'delete' when 'delete' then 'create' else 'update' end)
    limit 1;
  if denied is not null then
    perform private.deny(denied);
  end if;
  begin
    for one in
      with counted as (
        select e.table_name, e.action, count(*) as rows from unnest(effects) e group by e.table_name, e.action
      ), places as (
        select name, place from unnest(private.in_order_of_references(array(select distinct table_name from counted))) with ordinality as p (name, place)
      )
      select c.*, case c.action when 'delete' then 'create' when 'create' then 'delete' else 'update' end as opposite
      from counted c join places p on p.name = c.table_name
      -- what others refer to returns before them and goes after them
      order by case c.action when 'delete' then 1 when 'update' then 2 else 3 end, case c.action when 'create' then -p.place else p.place end
    loop
      reached := private.undo_effects(effects, one.table_name, one.action);
      if reached <> one.rows then
        perform private.refuse_undo(format('%s of %s rows of %s are not as the request left them', one.rows - reached, one.rows, one.table_name));
      end if;
      done := jsonb_set(done, array[one.opposite], to_jsonb((done ->> one.opposite)::bigint + reached));
    end loop;
    -- what is asked at the end of a request is asked here, where a refusal has its own words
    set constraints all immediate;
    -- the triggers that keep a transfer bind callers, and this is the owner
    if exists (
      select
      from unnest(effects) e
      join api.transactions t on t.id = e.row_id
      join api.transactions other on other.transfer_id = t.transfer_id and other.id <> t.id
      where e.table_name = 'transactions' and other.account_id = t.account_id
    ) then
      perform private.refuse_undo('both halves of a transfer would be in one account');
    end if;
  exception
    when integrity_constraint_violation or invalid_parameter_value then
      perform private.refuse_undo(sqlerrm);
  end;
  own := private.nth_of_change(nullif(left(current_setting('activity.of_request', true), 24), ''), 0);
  if own is null then
    perform private.refuse_undo('nothing of it is left');
  end if;
  -- A row that refers to one that was deleted here, and has come since, would go or lose its reference. EXCEPT, because the
  -- planner takes an array for a few rows and would look through it once for each.
  select e.table_name into one from (
    select a.table_name, a.row_id from api.activity a where a.id > own and a.id <= private.last_of_change(own)
    except select f.table_name, f.row_id from unnest(effects) f) e
    limit 1;
  if found then
    perform private.refuse_undo(format('rows of %s refer to what the request created', one.table_name));
  end if;
  return jsonb_build_object('change_id', own) || done;
end
$$;
comment on function private.take_back(uuid) is
  'Takes back what a request did to the caller''s personal rows and to the active organization''s. Answers what that did: the id of this request, and how many rows it created, updated and deleted.';
grant execute on function private.take_back(uuid) to authenticated;
