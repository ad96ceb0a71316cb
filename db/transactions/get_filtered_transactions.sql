-- after: transactions/filters, transactions/pages
-- The parameter filters has no default, on purpose. PostgREST 12 passes a body of any other form to a function of one
-- JSON parameter. A misspelt parameter name would then return all transactions, as if the request had no filters.
--
-- PostgREST puts a limit around the call, and the function reads no more rows than the page needs. It is one query,
-- so that the planner inlines it. The query walks the dates in steps, from the newest on. Each further step runs only
-- if the page needs another row. A step finds, by the indexes of the caller's two tenants, the date that is `size`
-- rows further back. It then reads the rows of both tenants between the two dates. One ordered scan is not possible:
-- no index has the personal rows in an order that the planner can merge with the team's. Each step is twice as long
-- as the step before, so reading everything takes few steps.
--
-- The steps are the outer side of a nested loop and each step is sorted, so the rows come newest first.
create or replace function api.get_filtered_transactions(filters jsonb) returns setof api.transactions
  language sql stable
begin atomic
  with recursive conditions as materialized (
    select * from private.parse_filters(filters)
  ), wanted as materialized (
    select coalesce(lower(moments), '-infinity') as first,
      -- the end of a step is exclusive
      coalesce(upper(moments) + interval '1 microsecond', 'infinity') as beyond
    from (
      select private.moment_bounds(range_intersect_agg(moments), range_intersect_agg(days)) as moments
      from conditions
      where field = 'transaction_date'
    ) d
    where not coalesce(isempty(moments), false)
  ), steps (first, beyond, size) as (
    select beyond, beyond, 32 from wanted
    union all
    -- greatest() ignores a tenant that has no older row
    select greatest(
        wanted.first,
        (
          select t.transaction_date from api.transactions t
          where t.tenant = (select private.team_tenant('transactions', 'list')) and t.transaction_date >= wanted.first
            and t.transaction_date < steps.first
          order by t.transaction_date desc offset steps.size limit 1
        ), (
          select t.transaction_date from api.transactions t
          where t.tenant = (select private.personal_tenant()) and t.transaction_date >= wanted.first
            and t.transaction_date < steps.first
          order by t.transaction_date desc offset steps.size limit 1
        )),
      steps.first, 2 * steps.size
    from steps, wanted
    where steps.first > wanted.first
  )
  select found.*
  from steps
  cross join lateral (
    select t.*
    from api.transactions t
    where t.transaction_date >= steps.first and t.transaction_date < steps.beyond
      and not exists (
        select from conditions c
        where not case
          when c.kind = 'number' then coalesce(t.amount::numeric <@ c.numbers, c.takes_null)
          when c.field = 'transaction_date' and t.booked_on is not null then t.booked_on::date <@ c.days
          when c.kind = 'date' then coalesce(
            case c.field
              when 'transaction_date' then t.transaction_date
              when 'created_at' then t.created_at
              when 'updated_at' then t.updated_at
            end <@ c.moments,
            c.takes_null)
          when c.kind = 'tag' then c.is_negated <> exists (
            select from api.transaction_tags a
            where a.transaction_id = t.id and (c.texts is null or a.tag_id = any (c.texts::uuid[])))
          when c.kind = 'search' then private.search_text(t.name, t.description, t.reference_no) ~~ c.texts[1]
          when private.text_of(t, c.field) is null then c.takes_null
          when c.likeness = '=' then (private.text_of(t, c.field) = any (c.texts)) <> c.is_negated
          when c.likeness = '~~' then private.text_of(t, c.field) ~~ any (c.texts)
          when c.likeness = '~~*' then private.text_of(t, c.field) ~~* any (c.texts)
        end
      )
    order by t.transaction_date desc, t.id
  ) as found
  -- without this limit, a caller who orders by the same columns explicitly would cause a sort of all rows
  limit (select private.rows_of_page('get_filtered_transactions'));
end;
comment on function api.get_filtered_transactions(jsonb) is
  E'Transactions that pass all filters, newest first\n\n'
  '`filters` is an array of up to 50 objects {`field`, `operation`, `value`}. All must hold. An empty array '
  'returns every transaction you see.\n\n'
  'Fields and their operations: `amount`, `transaction_date`, `created_at`, `updated_at`: eq, neq, gt, gte, lt, '
  'lte, in, from, to, between, is_null. `id`, `category_id`, `account_id`, `tag`: eq, neq, in, is_null. `search`: '
  'contains, eq, ilike, which are the same. `name`, `description`, `currency`, `status`, `source`, `reference_no`, '
  '`external_id`, `user_id`, `organization_id`: eq, neq, like, ilike, in, is_null.\n\n'
  'Values: a number or a date (YYYY-MM-DD or ISO 8601 date-time); an array for `in`, an array of two for '
  '`between`; true or false for `is_null`; `*` stands for any characters in `like` and `ilike`. `tag` is the name '
  'of a tag. A transaction may have several: neq means that it does not have this one, is_null that it has none. '
  '`search` looks in the name, the description and the reference, ignores case and accents (`uber` finds `Über`, '
  '`strasse` finds `Straße`), and has no wildcards. `from`, `to` and `between` include both ends, and a date there '
  'is the whole day; the other operations compare with its midnight. A transaction with a `booked_on` counts as of '
  'that day''s midnight, in every time zone. A date may also be a preset, such as `this_month`: `eq`, `in` and '
  '`between` mean within it. Days are UTC''s, or of the time zone in `Prefer: timezone=Europe/Berlin`.\n\n'
  'The rows are of the table transactions: select, limit, offset and embedding work as there. You may order by '
  'selected columns. With a limit, and no order or `transaction_date.desc,id`, the database reads no more than the '
  'page needs: the newest rows up to the last that passes. If few rows pass, add a range of dates.';
grant execute on function api.get_filtered_transactions(jsonb) to authenticated;
