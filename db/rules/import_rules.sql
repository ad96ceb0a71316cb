-- after: imports/import_history, rules/tables
-- Rules and suggestions for the rows that an import stores. A dry run and the import call the same function, so the
-- import stores what the dry run has shown.

-- Each row of p_rows is a row of classify_import() with the verdict new or transfer. The latter is half of a transfer,
-- so it gets no category.
create or replace function private.file_import_rows(p_rows json, p_account_id uuid)
  returns table (
    row_number integer, rule_id uuid, category_id uuid, name text, tags text[], is_transfer boolean,
    suggested_category_id uuid, because text)
  -- the planner does not know the number of rows, and would compare each with each
  language plpgsql stable set search_path = '' set enable_nestloop = off set jit = off
as $$
declare
  rules constant api.rules[] := private.rules_in_order(public.org_id());
begin
  return query execute private.fill(
    $query$
      with sent as materialized (
        select (s.line ->> 'row_number')::integer as row_number, s.line ->> 'verdict' = 'transfer' as is_half, t.name,
          t.amount, t.category_id, t.rule_id
        from json_array_elements($1) as s (line)
        cross join lateral (
          select r.name, r.amount, r.category_id, {rule} as rule_id
          from jsonb_populate_record(null::api.transactions, s.line::jsonb || jsonb_build_object(
            'id', s.line ->> 'new_id', 'account_id', $3, 'import_id', null, 'user_id', public.uid(), 'organization_id',
            public.org_id(),
            'created_at', now(), 'updated_at', now())) as r
          offset 0
        ) as t
      ), actions as materialized (
        select r.id, r.name as rule_name, r.set_category_id, r.set_name, r.mark_as_transfer, array(
            -- the tag of an id may be deleted by now
            select tag
            from unnest(r.add_tags) as tag
            where not private.is_id(tag) or private.find_tag(tag, public.org_id()) is not null
          ) as tags
        from unnest($2) as r
      ), filed as materialized (
        select s.row_number, s.amount, a.id as rule_id, a.rule_name, a.tags, nullif(a.set_name, s.name) as new_name,
          coalesce(a.set_name, s.name) as name,
          -- the request's own category wins
          case when s.category_id is null and not s.is_half then a.set_category_id end as category_id,
          coalesce(s.category_id is null and not s.is_half and a.mark_as_transfer, false) as is_transfer,
          coalesce(s.category_id, a.set_category_id) is null and not s.is_half
          and a.mark_as_transfer is not true as is_open
        from sent s left join actions a on a.id = s.rule_id
      ), open as materialized (
        select array_agg(f.row_number order by f.row_number) as numbers,
          array_agg(f.name order by f.row_number) as names,
          array_agg(f.amount order by f.row_number) as amounts, array_agg(public.org_id() is null) as are_personal
        from filed f where f.is_open
      ), suggested as materialized (
        select o.numbers[g.place] as row_number, g.category_id, g.because
        from open o cross join lateral private.category_suggestions(o.names, o.amounts, null, null, o.are_personal) g
        where g.category_id is not null
      )
      select f.row_number, case when c.is_changed then f.rule_id end, f.category_id, f.new_name, nullif(f.tags, '{}'),
        f.is_transfer, g.category_id,
        nullif(
          concat_ws('; ',
            case
              when c.is_changed
                then format(
                  case when f.is_transfer then 'the rule "%s" marks it as a transfer' else 'the rule "%s" applies' end,
                  f.rule_name)
            end,
            g.because),
          '')
      from filed f
      cross join lateral (
        select f.is_transfer or num_nonnulls(f.category_id, f.new_name, nullif(f.tags, '{}')) > 0 as is_changed
      ) c
      left join suggested g on g.row_number = f.row_number
    $query$, 'rule', private.rule_expression(rules))
    using coalesce(p_rows, '[]'), rules, p_account_id;
end
$$;
comment on function private.file_import_rows(json, uuid) is
  'The first rule that matches each row that an import stores, with its changes, null for none, and the category '
  'that is suggested for a row without one.';

-- Runs with the definer's rights, because callers have no access to private.import_updates. It stores only rows of
-- this request's import.
create or replace function private.note_import_rules(p_import_id uuid, p_rows jsonb[]) returns void
  language sql volatile security definer set search_path = '' set enable_nestloop = off
begin atomic
  insert into private.import_updates (
      tenant, transaction_id, import_id, before, after, was_untouched, said, tag_ids)
    select t.tenant, t.id, p_import_id, v.stored, v.stored, true,
      case when j.set_name is not null then v.stored || jsonb_build_object('name', j.name) end,
      array(select g.tag_id from api.transaction_tags g where g.transaction_id = t.id)
    from unnest(p_rows) as m (line)
    cross join jsonb_to_record(m.line) as j (new_id uuid, name text, set_name text)
    join api.transactions t on t.id = j.new_id and t.import_id = p_import_id
      and t.tenant = private.context_tenant()
    cross join lateral (
      select private.bank_values(t.amount, t.name, t.status, t.transaction_date, t.booked_on, t.reference_no,
        t.description, t.metadata) as stored) v
    where p_import_id::text = current_setting('private.import', true);
end;
comment on function private.note_import_rules(uuid, jsonb[]) is
  'Stores the bank''s names of the transactions that a rule has renamed at their import, and the tags that it has '
  'added.';

create or replace function private.store_import_rules(p_import_id uuid, p_rows jsonb[]) returns void
  language plpgsql volatile set search_path = ''
as $$
begin
  perform private.store_rule_changes(array(
    select row((m.line ->> 'new_id')::uuid, null, null, null, array(select jsonb_array_elements_text(m.line -> 'tags')),
      null, null, null)::private.rule_change
    from unnest(p_rows) as m (line) where jsonb_typeof(m.line -> 'tags') = 'array'), public.org_id());
  perform private.note_import_rules(p_import_id, p_rows);
end
$$;
comment on function private.store_import_rules(uuid, jsonb[]) is
  'Adds the tags of rules to the new transactions of an import, and notes what the rules have changed. Each element '
  'has new_id, the bank''s name, set_name and tags.';

create or replace function private.has_tags_of_user(p_transaction_id uuid) returns boolean
  language sql stable security definer set search_path = '' set enable_seqscan = off
begin atomic
  select exists (
    select from api.transaction_tags g
    where g.transaction_id = p_transaction_id
      and not exists (
        select from private.import_updates u where u.transaction_id = p_transaction_id and g.tag_id = any (u.tag_ids)
      ));
end;
comment on function private.has_tags_of_user(uuid) is
  'Whether a transaction has a tag that no rule has added at its import.';

grant execute on function private.file_import_rows(json, uuid), private.store_import_rules(uuid, jsonb[]),
  private.note_import_rules(uuid, jsonb[]), private.has_tags_of_user(uuid) to authenticated;
