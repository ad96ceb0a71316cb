-- after: reports/report_rows, rules/tables
-- The rules of a context. They become one SQL expression, a CASE with a branch for each rule. One statement evaluates
-- it for all rows, so each transaction is classified once, by its values before any rule. A rule that changes what it
-- matches cannot loop.
--
-- The branches are the conditions of private.conditions_to_sql(). So a rule matches a row of an import by the same
-- SQL as a stored row.

create or replace function private.is_id(p_text text) returns boolean
  language sql immutable parallel safe
  return p_text ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
comment on function private.is_id(text) is 'Whether a text has the form of an id.';

create or replace function private.check_conditions(p_conditions jsonb) returns void
  language plpgsql stable set search_path = ''
as $$
declare
  impossible text;
begin
  if jsonb_typeof(p_conditions) <> 'array' or jsonb_array_length(p_conditions) not between 1 and 50 then
    perform private.invalid('conditions must be an array of 1 to 50 filters',
      'Each must have field, operation and value, such as '
      '{"field": "name", "operation": "ilike", "value": "*coffee*"}.');
  end if;
  with given as (
    select c.*
    from jsonb_array_elements(p_conditions) as filter
    cross join lateral private.filter_conditions(filter) c
    -- the days of a preset change
    where not (
      c.kind = 'date' and jsonb_typeof(filter -> 'value') = 'string' and filter ->> 'value' = any (private.presets()))
      and c.kind not in ('tag', 'search')
  ), fields as (
    select g.field, bool_and(g.takes_null) as takes_null, range_intersect_agg(g.numbers) as numbers,
      range_intersect_agg(g.moments) as moments,
      range_intersect_agg(g.days) as days
    from given g group by g.field
  )
  select f.field into impossible
  from fields f
  where not f.takes_null and coalesce(isempty(f.numbers), isempty(f.moments) and isempty(f.days), (
    -- of the equal values one must be accepted by each comparison
    exists (select from given g where g.field = f.field and g.likeness = '=' and not g.is_negated)
    and not exists (
      select from given first cross join unnest(first.texts) as value
      where first.field = f.field and first.likeness = '=' and not first.is_negated
        and not exists (
          select from given g where g.field = f.field and g.likeness = '=' and (value = any (g.texts)) = g.is_negated
        ))))
  order by f.field limit 1;
  if impossible is not null then
    perform private.invalid(format('the conditions contradict each other: no %s can meet all of them', impossible),
      'A rule applies only if all its conditions are met. For alternatives, add a second rule.');
  end if;
end
$$;
comment on function private.check_conditions(jsonb) is
  'Checks the conditions of a rule as filters. Raises 400 also for conditions that no value of a field can meet.';

create or replace function private.rules_in_order(
  p_organization_id text, p_rule_id uuid default null
) returns api.rules[]
  language sql stable set search_path = ''
  return array(
    select r from api.rules r
    where r.is_active and r.id = coalesce(p_rule_id, r.id)
      and r.tenant = private.tenant_of(public.uid(), p_organization_id)
    order by r.priority, r.created_at, r.id);
comment on function private.rules_in_order(text, uuid) is
  'The active rules of a context of the caller, the first match first. p_organization_id is null for the personal '
  'ones.';

create or replace function private.rule_expression(p_rules api.rules[]) returns text
  language sql stable set search_path = ''
  return (
    select coalesce(
      'case ' || string_agg(format('when %s then %L::uuid', c.condition, r.id), ' ' order by r.place) || ' end',
      'null::uuid')
    from unnest(p_rules) with ordinality
      as r (id, name, priority, conditions, set_category_id, set_name, add_tags, is_active, user_id, organization_id,
        tenant, created_at, updated_at, mark_as_transfer, place)
    cross join lateral (
      select string_agg('(' || f.condition || ')', ' and ') as condition from private.conditions_to_sql(r.conditions) f
    ) c);
comment on function private.rule_expression(api.rules[]) is
  'The id of the first rule that matches a row, as SQL text. The row has the columns of api.transactions.';

create or replace function private.find_tag(p_tag text, p_organization_id text) returns uuid
  language sql stable set search_path = ''
  return (
    select g.id from api.tags g
    where g.tenant = private.tenant_of(public.uid(), p_organization_id)
      and (g.id::text = lower(p_tag) or normalize(g.name, nfc) = normalize(p_tag, nfc))
    order by g.id::text = lower(p_tag) desc, g.created_at, g.id limit 1);
comment on function private.find_tag(text, text) is
  'The tag of a context of the caller with this id or, if there is none, the oldest with this name.';

-- Over 80 lines, because it is one statement: its parts share common table expressions.
create or replace function private.rule_changes(
  p_organization_id text, p_rule_id uuid, p_filters jsonb
) returns setof private.rule_change
  -- The planner expects one row for each tenant. In a nested loop it would compare each row with each other one.
  language plpgsql stable set search_path = '' set enable_nestloop = off set jit = off
as $$
declare
  rules constant api.rules[] := private.rules_in_order(p_organization_id, p_rule_id);
  context constant text := private.context_condition(public.uid(), p_organization_id);
  closed_days jsonb;
begin
  if private.has_closed_days() then
    execute private.fill(
      $query$
        select jsonb_object_agg(coalesce(a.id::text, ''), private.closed_until(a.id, public.uid(), $1))
        from (select id from api.accounts where {context} union all select null::uuid as id) a
      $query$, 'context', context)
      into closed_days using p_organization_id;
  end if;
  return query execute private.fill(
    $query$
      with matched as materialized (
        select * from (
          select id, category_id, name, transaction_date, {rule} as rule_id from api.transactions
          where {context} and transfer_id is null and {filters}
            and (
              $3 is null
              or (
                private.closing_day(booked_on, transaction_date) <= ($3 ->> coalesce(account_id::text, ''))::date
              ) is not true)
          -- otherwise PostgreSQL would evaluate the expression in the condition and again in the result
          offset 0
        ) as classified
        where rule_id is not null
      ), rules as materialized (
        select r.id, r.set_category_id, r.set_name, r.add_tags, r.mark_as_transfer from unnest($1) as r
      ), rule_tags as materialized (
        select r.id as rule_id, wanted.tag, g.id as tag_id, coalesce(g.name, wanted.tag) as name
        from rules r
        cross join unnest(r.add_tags) as wanted (tag)
        left join api.tags g on g.id = private.find_tag(wanted.tag, $2)
        -- the tag of an id may be deleted by now
        where g.id is not null or not private.is_id(wanted.tag)
      ), present as (
        select a.transaction_id, array_agg(g.name) as names
        from api.transaction_tags a join api.tags g on g.id = a.tag_id
        where a.transaction_id in (select m.id from matched m join rule_tags w on w.rule_id = m.rule_id)
        group by a.transaction_id
      ), tagged as (
        select m.id, array_agg(w.tag order by w.tag) as tags, array_agg(w.name) as names,
          coalesce(p.names, '{}') as present
        from matched m
        join rule_tags w on w.rule_id = m.rule_id
        left join present p on p.transaction_id = m.id
        where (w.name = any (p.names)) is not true
        group by m.id, p.names
      ), itemized as (
        -- a half of a transfer has no line items with a category
        select distinct l.transaction_id
        from api.line_items l
        where l.category_id is not null
          and l.transaction_id in (select m.id from matched m join rules r on r.id = m.rule_id where r.mark_as_transfer)
      ), changed as (
        select m.id, m.rule_id, m.transaction_date, m.category_id as old_category, m.name as old_name,
          nullif(r.set_category_id, m.category_id) as category_id, nullif(r.set_name, m.name) as name, t.tags, t.names,
          t.present,
          r.mark_as_transfer and i.transaction_id is null as is_transfer
        from matched m
        join rules r on r.id = m.rule_id
        left join tagged t on t.id = m.id
        left join itemized i on i.transaction_id = m.id
      )
      select c.id, c.rule_id, c.category_id, c.name, c.tags,
        case when c.category_id is null then '{}' else jsonb_build_object('category_id', c.old_category) end
          || case when c.name is null then '{}' else jsonb_build_object('name', c.old_name) end
          || case when c.tags is null then '{}'
            else jsonb_build_object('tags', array(select distinct unnest(c.present) order by 1)) end
          || case when c.is_transfer then '{"transfer": false}'::jsonb else '{}' end,
        case when c.category_id is null then '{}' else jsonb_build_object('category_id', c.category_id) end
          || case when c.name is null then '{}' else jsonb_build_object('name', c.name) end
          || case when c.tags is null then '{}'
            else jsonb_build_object('tags', array(select distinct unnest(c.present || c.names) order by 1)) end
          || case when c.is_transfer then '{"transfer": true}'::jsonb else '{}' end,
        c.is_transfer
      from changed c
      where num_nonnulls(c.category_id, c.name, c.tags) > 0 or c.is_transfer
      order by c.transaction_date desc, c.id
    $query$,
    'rule', private.rule_expression(rules),
    'context', context,
    'filters', coalesce(
      (select string_agg('(' || f.condition || ')', ' and ') from private.conditions_to_sql(p_filters) f), 'true'))
    using rules, p_organization_id, closed_days;
end
$$;
comment on function private.rule_changes(text, uuid, jsonb) is
  'The changes that the rules of a context of the caller, or one of them, make to its transactions that pass the '
  'filters, newest first.';

-- The planner expects one row for each tenant. In a nested loop it would compare each row of the tenant with each
-- change.
create or replace function private.store_rule_changes(
  p_changes private.rule_change[], p_organization_id text
) returns void
  language sql volatile set search_path = '' set enable_nestloop = off
begin atomic
  update api.transactions t
    set category_id = coalesce(c.category_id, t.category_id), name = coalesce(c.name, t.name),
      transfer_id = case when c.is_transfer then t.id else t.transfer_id end
    from unnest(p_changes) as c
    where t.id = c.transaction_id and (num_nonnulls(c.category_id, c.name) > 0 or c.is_transfer);
  insert into api.tags (name, organization_id)
    select distinct wanted.tag, p_organization_id
    from unnest(p_changes) as c cross join unnest(c.tags) as wanted (tag)
    where private.find_tag(wanted.tag, p_organization_id) is null;
  insert into api.transaction_tags (transaction_id, tag_id)
    select c.transaction_id, known.id
    from unnest(p_changes) as c
    cross join unnest(c.tags) as wanted (tag)
    join (
      select distinct w.tag, private.find_tag(w.tag, p_organization_id) as id
      from unnest(p_changes) as d
      cross join unnest(d.tags) as w (tag)
    ) as known on known.tag = wanted.tag
    -- two elements may be one tag: its name and its id
    on conflict do nothing;
end;
comment on function private.store_rule_changes(private.rule_change[], text) is
  'Stores the changes of rules, with the caller''s rights. Creates missing tags.';

grant execute on function private.is_id(text), private.are_tag_names(text[]), private.check_conditions(jsonb),
  private.rules_in_order(text, uuid), private.rule_expression(api.rules[]), private.find_tag(text, text),
  private.rule_changes(text, uuid, jsonb), private.store_rule_changes(private.rule_change[], text) to authenticated;
