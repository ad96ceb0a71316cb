-- after: rates/rates_of_days, transactions/filters
-- The SQL of the reports, as text, so that the planner can use an index for each condition. Each report writes its
-- statement with private.fill(), in private.<report>_statement() beside it. The functions below return the parts. A
-- part fills a hole of the template, and is never a template itself. No part contains a client's text: field
-- names are those of the filters' list, and values are quoted literals of typed values. CONTRIBUTING.md, "To follow a
-- request", shows how to explain a statement.
--
-- All reports count by the same rules, so two reports of one range never contradict each other. The page docs/data.md
-- explains the rules.
-- * A transfer between accounts does not count. A report by account counts its half there as money in or out of the
--   account.
-- * A failed transaction counts only if a filter on status accepts it, or if each status is a group.
-- * A line item with a category moves its part of the amount there, with the transaction's sign. The rest stays in
--   the transaction's category.
-- * The kind of an amount's category decides whether it is income or an expense. Without a category its sign decides.
-- * A transaction without an exchange rate is left out of a converted figure, and left_out counts it.

-- Conditions

create or replace function private.context_condition(p_user_id text, p_organization_id text) returns text
  language plpgsql stable set search_path = ''
as $$
begin
  -- another user's or team's data is an error and not an empty result
  if p_user_id <> public.uid()
    or p_organization_id <> public.org_id()
    or (p_organization_id is not null and public.org_id() is null) then
    perform private.deny('transactions');
  end if;
  -- With a literal value, the planner would multiply the value's frequency with that of the row rule, as if they were
  -- independent. It would then read the table instead of the tenant's index.
  return case
    when p_organization_id is null then 'tenant = (select private.personal_tenant())'
    else 'tenant = (select private.context_tenant())'
  end;
end
$$;
comment on function private.context_condition(text, text) is
  'The condition for the rows of one context, as SQL text, for any owned table. It only narrows the result: the row '
  'rules apply in addition.';

create or replace function private.range_condition(p_field text, p_ranges anymultirange) returns text
  language sql stable set search_path = ''
  -- the body is a string, because PostgreSQL cannot parse an SQL-standard body with polymorphic parameters
as $$
  select case
    when isempty(p_ranges) then 'false'
    -- PostgreSQL searches a list of values by hash
    when (select bool_and(coalesce(lower(r) = upper(r), false)) from unnest(p_ranges) r)
      then format('%I = any (%L)', p_field, array(select lower(r) from unnest(p_ranges) r))
    when (select count(*) from unnest(p_ranges)) > 1
      then format('%I::%s <@ %L::%s', p_field, pg_typeof(lower(p_ranges)), p_ranges, pg_typeof(p_ranges))
    -- two comparisons can use an index; quote_literal() returns null for a missing end, which concat_ws() ignores
    else coalesce(nullif(concat_ws(' and ',
      quote_ident(p_field)
        || case when lower_inc(p_ranges) then ' >= ' else ' > ' end
        || quote_literal(lower(p_ranges)),
      quote_ident(p_field)
        || case when upper_inc(p_ranges) then ' <= ' else ' < ' end
        || quote_literal(upper(p_ranges))),
      ''), 'true')
  end
$$;
comment on function private.range_condition(text, anymultirange) is
  'The condition that a column is within ranges, as SQL text.';

create or replace function private.date_condition(p_moments tstzmultirange, p_days datemultirange) returns text
  language sql stable set search_path = ''
  return concat_ws(' and ',
    -- the first condition can use an index
    private.range_condition('transaction_date', tstzmultirange(private.moment_bounds(p_moments, p_days))),
    case when p_moments <> '{(,)}' or p_days <> '{(,)}' then
      format('case when booked_on is null then %s else %s end', private.range_condition('transaction_date', p_moments),
        private.range_condition('booked_on', p_days))
    end);
comment on function private.date_condition(tstzmultirange, datemultirange) is
  'The condition that a transaction is within some moments, or, if it has a booking day, that this day is within '
  'some days, as SQL text.';

create or replace function private.days_condition(p_days daterange) returns text
  language sql stable set search_path = ''
  return private.date_condition(private.moments(datemultirange(p_days)), datemultirange(p_days));
comment on function private.days_condition(daterange) is
  'The condition that a transaction is within some whole days, as SQL text: by its booking day, or by its moment in '
  'the request''s time zone.';

create or replace function private.conditions_to_sql(p_filters jsonb) returns table (
  field text, condition text, selected text[]
)
  language sql stable rows 1 set search_path = ''
begin atomic
  select c.field, case c.kind
      -- The subquery becomes one hash. A join would become single look-ups, because the planner does not know the
      -- size of a tenant.
      when 'tag' then format(
        '(id in (select transaction_id from api.transaction_tags where %s)) is %s true',
        case when c.texts is null then 'true' else format('tag_id = any (%L)', c.texts) end,
        case when c.is_negated then 'not' end)
      when 'search' then format('private.search_text(name, description, reference_no) ~~ %L', c.texts[1])
      else format(case when c.takes_null then '(%I is null or %s)' else '(%I is not null and %s)' end, c.field,
        case c.kind
        when 'number' then private.range_condition(c.field, c.numbers)
        when 'date'
          then case c.field
            when 'transaction_date' then private.date_condition(c.moments, c.days)
            else private.range_condition(c.field, c.moments)
          end
        else format('%s %I %s any (%L)', case when c.is_negated then 'not' end, c.field, c.likeness, c.texts)
      end)
    end, case when c.kind = 'id' and not c.is_negated and not c.takes_null then c.texts end
  from private.parse_filters(p_filters) c;
end;
comment on function private.conditions_to_sql(jsonb) is
  'The filters as conditions on api.transactions that must all hold, as SQL text, each with its field. `selected`: '
  'the ids that eq or in names; null for other filters.';

create or replace function private.transfer_condition(
  p_context text, p_accounts text, p_is_one_account boolean
) returns text
  language sql immutable set search_path = ''
  return case
    when p_accounts is null then 'transfer_id is null'
    -- the two halves of a transfer are in different accounts
    when p_is_one_account then 'true'
    else private.fill(
      $sql$
        (transfer_id is null or transfer_id not in (
          select transfer_id
          from api.transactions
          where {context} and transfer_id is not null and {accounts}
          group by 1
          having count(*) > 1))
      $sql$,
      'context', p_context, 'accounts', p_accounts)
  end;
comment on function private.transfer_condition(text, text, boolean) is
  E'The condition for the halves of transfers that a report counts, as SQL text\n\n'
  '`p_accounts` is the condition for the accounts that a filter selects, and null without such a filter: then '
  'transfers do not count. Otherwise a transfer between two of these accounts does not count.';

create or replace function private.side_condition(p_context text, p_type text, p_amount text) returns text
  language plpgsql stable set search_path = ''
as $$
declare
  income uuid[];
begin
  if p_type is null then
    return null;
  end if;
  -- a list is faster than a join for each row
  execute format(
    $query$select coalesce(array_agg(id order by id), '{}') from api.categories where %s and kind = 'income'$query$,
    p_context) into income;
  return format(
    case p_type
      when 'income' then 'case when category_id is null then %s > 0 else category_id = any (%L) end'
      when 'expense' then 'case when category_id is null then %s < 0 else category_id <> all (%L) end'
    end, p_amount, income);
end
$$;
comment on function private.side_condition(text, text, text) is
  E'The condition that an amount is income or an expense, as SQL text. All reports decide it here\n\n'
  '`p_type`: `income` or `expense`; null returns null. An amount with a category has the category''s kind: a positive '
  'amount lowers the expenses of a category of expenses, and a negative amount the income of a category of income. '
  'Without a category the sign decides. `p_amount` is the column with the transaction''s full amount. The condition '
  'reads the column category_id.';

create or replace function private.top_category(p_context text) returns text
  language plpgsql stable set search_path = ''
as $$
declare
  parents jsonb;
begin
  execute format('select jsonb_object_agg(id, parent_id) from api.categories where %s and parent_id is not null',
    p_context) into parents;
  return case when parents is null then 'category_id'
    else format('coalesce((%L::jsonb ->> category_id::text)::uuid, category_id)', parents) end;
end
$$;
comment on function private.top_category(text) is
  'The parent of the column category_id, or that category itself if it has none, as an SQL expression.';

-- Conversion with the rates of db/rates/rates_of_days.sql

create or replace function private.converted_rows(p_rows text, p_context text, p_convert_to text) returns text
  language sql immutable set search_path = ''
  return case when p_convert_to is null
    then format('(select *, 0 as left_out from (%s) as unconverted) as counted', p_rows)
    else private.fill(
    -- The rows are read once, for their currencies and days and for the conversion. PostgreSQL estimates one row for
    -- a context, and would search all rates for each of a hundred thousand rows. A full join cannot be a nested loop;
    -- each row has a rate and each rate a row. The offset keeps outer conditions from turning it into an inner join.
    $query$
      (with unconverted as materialized ({rows})
      select day, status, {target} as currency, transaction_currency, category_id, key, whole, {converted} as amount,
        count, case when numerator is null then count else 0 end as left_out
      from (
        select parts.*, rates.numerator, rates.denominator
        from (
          select day, status, currency as transaction_currency, category_id, key, whole, amount, count from unconverted
        ) as parts
        full join ({rates}) as rates on rates.currency = parts.transaction_currency and rates.day = parts.day
        offset 0
      ) as rated) as counted
    $query$,
    'rows', p_rows,
    'target', quote_literal(p_convert_to),
    'converted', private.converted('amount', p_convert_to),
    'rates', private.exchange_rates(p_context, 'select currency, day from unconverted', p_convert_to)) end;
comment on function private.converted_rows(text, text, text) is
  'The rows of a report as a relation in SQL text, for use after "from": converted to p_convert_to with the rates '
  'of the context, or unchanged if that is null. A row without a rate has no amount, and left_out counts its '
  'transaction.';

create or replace function private.note_left_out(p_left_out bigint) returns void
  language plpgsql stable set search_path = ''
as $$
begin
  if p_left_out > 0 then
    perform set_config('response.headers', jsonb_build_array(jsonb_build_object('X-Left-Out', p_left_out::text))::text,
      true);
  end if;
end
$$;
comment on function private.note_left_out(bigint) is
  'Sets the response header X-Left-Out to the number of transactions without an exchange rate, for a function that '
  'returns one number. Sets none for 0.';

-- Amounts

-- Over 80 lines, because it is one statement with the reasons for its parts.
create or replace function private.split_allocations(
  p_context text, p_condition text, p_of_category text, p_group text, p_key text, p_are_many boolean
) returns text
  language plpgsql immutable set search_path = ''
as $$
declare
  is_by_category constant boolean := p_group = 'category_id';
  transactions constant text := private.fill(
    $query$
      select id, coalesce(booked_on, transaction_date::date) as day, status, currency, category_id as own_category,
        {key} as key, amount as whole
      from api.transactions
      where {has_items} and {condition}
      offset 0
    $query$,
    'key', p_key,
    'has_items', case when p_are_many
      -- A context with many items has still more transactions without any. The subquery becomes one hash, so these
      -- need no look-up.
      then format('(id in (select transaction_id from api.line_items where %s and category_id is not null)) is true',
        p_context)
      else 'id = i.transaction_id' end,
    'condition', p_condition);
  items constant text := private.fill(
    $query$
      select transaction_id, category_id, sum(amount) as part
      from api.line_items
      where {of_transaction} and category_id is not null and {context}
      group by 1, 2
      having sum(amount) <> 0
      offset 0
    $query$,
    'of_transaction', case when p_are_many then 'transaction_id = t.id' else 'true' end, 'context', p_context);
begin
  return private.fill(
    $query$
      select day, status, currency, moved.category_id, key, whole, moved.amount, moved.count
      from (
        select t.day, t.status, t.currency, t.own_category, t.key, t.whole as full_amount,
          i.category_id as part_category, i.part, row_number() over one as place,
          first_value(i.category_id) over one as largest, sum(i.part) over one = t.whole as is_all,
          -- the remainder of a transaction of 0 has the only sign
          case when t.whole = 0 then -sum(i.part) over one else t.whole end as whole,
          of_own.is_selected as is_own_selected {groups}
        from {split}
        cross join lateral (
          select ({of_category}) as is_selected, {group} as grouped
          from (values (t.own_category)) as own (category_id)
        ) as of_own
        {of_parts}
        where i.category_id is distinct from t.own_category
        window one as (
          partition by t.id order by abs(i.part) desc, i.category_id
          rows between unbounded preceding and unbounded following)
      ) as split
      -- If the items use up the amount, the largest part is the whole less the others. So the rounding of a
      -- conversion ends up there, and nothing remains in the transaction's own category.
      cross join lateral (select case when is_all and place = 1 then full_amount else part end as amount) as taken
      cross join lateral (values
        (part_category, taken.amount, {count_of_part}),
        (case when is_all and place > 1 then largest else own_category end, -taken.amount,
          case when place = 1 {and_alone} then (not is_all)::integer - is_own_selected::integer else 0 end)
      ) as moved (category_id, amount, count)
      where {of_category}
    $query$,
    'of_category', p_of_category,
    'group', p_group,
    -- A few line items are read before their transactions. Many line items are read after them, so that only those of
    -- the range are read. The offsets enforce that order.
    'split', case when p_are_many then format('(%s) as t cross join lateral (%s) as i', transactions, items)
      else format('(%s) as i cross join lateral (%s) as t', items, transactions) end,
    'groups', case when is_by_category then '' else $sql$,
          of_own.is_selected and of_own.grouped is not distinct from of_part.grouped as is_in_own_group,
          count(*) filter (where of_part.is_selected and of_part.grouped is not distinct from of_own.grouped)
            over one = 0 as is_own_alone,
          min(case when of_part.is_selected then i.category_id::text end)
            over (partition by t.id, of_part.grouped) as selected_part
      $sql$ end,
    'of_parts', case when is_by_category then '' else format(
      'cross join lateral (select (%s) as is_selected, %s as grouped from (values (i.category_id)) as part '
      '(category_id))'
      ' as of_part', p_of_category, p_group) end,
    -- Each group counts the transaction once: in its own row if the own category is in the group and the filter
    -- accepts it, otherwise in one part. If no part is in the own group, the own row no longer counts if nothing
    -- remains there. The remainder of a transaction of 0 counts although its own row, which has no sign, is not
    -- selected as income or expense.
    'count_of_part', case when is_by_category then '1'
      else 'case when part_category::text = selected_part and not is_in_own_group then 1 else 0 end' end,
    'and_alone', case when is_by_category then '' else 'and is_own_alone' end);
end
$$;
comment on function private.split_allocations(text, text, text, text, text, boolean) is
  'The amounts that line items move from their transaction''s category to their own, as SQL text: two rows for each '
  'category of a transaction''s items. p_group: the expression for the group of category_id, in which a transaction '
  'counts once. p_are_many: the context has many items with a category.';

create or replace function private.report_transactions(
  p_context text,
  p_filters jsonb default null,
  p_condition text default 'true',
  p_group text default null,
  p_type text default null,
  p_key text default 'null',
  p_by_status boolean default false,
  p_by_account boolean default false,
  p_convert_to text default null
) returns text
  language plpgsql stable set search_path = ''
as $$
declare
  condition text;
  of_category text;
  of_accounts text;
  is_one_account boolean;
  of_status boolean;
  items integer;
  counted text;
begin
  select coalesce(string_agg(t.condition, ' and ') filter (where field <> 'category_id'), 'true'),
      string_agg(t.condition, ' and ') filter (where field = 'category_id'),
      string_agg(t.condition, ' and ') filter (where field = 'account_id' and selected is not null),
      coalesce(bool_or(field = 'account_id' and cardinality(selected) = 1), false) or p_by_account,
      coalesce(bool_or(field = 'status'), false)
    into condition, of_category, of_accounts, is_one_account, of_status
    from private.conditions_to_sql(p_filters) t;
  condition := concat_ws(' and ', p_context,
    private.transfer_condition(p_context, case when p_by_account then 'true' else of_accounts end, is_one_account),
    case when not (of_status or p_by_status) then $sql$status <> 'failed'$sql$ end, condition, p_condition);
  counted := private.fill(
    $query$
      select coalesce(booked_on, transaction_date::date) as day, status, currency, category_id, {key} as key,
        amount as whole, amount, 1 as count
      from api.transactions
      where {condition}
    $query$,
    'key', p_key,
    'condition', concat_ws(' and ', condition, of_category, private.side_condition(p_context, p_type, 'amount')));
  if p_group is not null or of_category is not null or p_type is not null then
    execute format(
      'select count(*) from (select from api.line_items where %s and category_id is not null limit 1001) i',
      p_context) into items;
    if items > 0 then
      counted := concat_ws(' union all ', counted, private.split_allocations(p_context, condition,
        coalesce(nullif(concat_ws(' and ', of_category, private.side_condition(p_context, p_type, 'whole')), ''),
          'true'),
        coalesce(p_group, 'true'), p_key, items > 1000));
    end if;
  end if;
  return private.converted_rows(counted, p_context, p_convert_to);
end
$$;
comment on function private.report_transactions(text, jsonb, text, text, text, text, boolean, boolean, text) is
  E'The rows that a report adds up, as a relation in SQL text, for use after "from"\n\n'
  '`p_context` is a result of private.context_condition(). `p_filters` are the client''s filters. `p_condition` is '
  'a further condition on api.transactions, such as days. `p_group` is an expression of category_id, by which the '
  'report groups: a split transaction then has several rows. `true` is one group, for a report that distinguishes '
  'the kinds of the parts. A filter on category_id also splits transactions. `p_type`: only `income` or `expense`, '
  'by private.side_condition(). `p_key`: an expression of api.transactions for the column `key`. `p_by_status`: '
  'the report groups by status. `p_by_account`: the report groups by account, so each half of a transfer counts. '
  '`p_convert_to` is a result of private.target_currency().\n\n'
  'Columns: `day` (the transaction''s booking day, or the day of its moment in the request''s time zone), '
  '`status`, `currency` (the target currency if converted), `category_id`, `key`, `amount`, `whole` (the '
  'transaction''s full amount, or the remainder of a split transaction of 0, whose sign distinguishes income and '
  'expense without a category), `count`, `left_out`. A report adds up `amount`, `count` and `left_out`; `count` '
  'counts each transaction once in a group, and `left_out` those of them without a rate, whose amount is null. The '
  'part of a line item is also a row with the negative amount in the transaction''s category, so a group whose '
  'count is 0 is empty. If converted, `transaction_currency` is the original currency.\n\n'
  'Without split transactions and without conversion the relation is the plain table, and a report reads only the '
  'index of a context.';

grant execute on function private.context_condition(text, text), private.range_condition(text, anymultirange),
  private.date_condition(tstzmultirange, datemultirange), private.days_condition(daterange),
  private.conditions_to_sql(jsonb), private.transfer_condition(text, text, boolean),
  private.side_condition(text, text, text), private.top_category(text), private.converted_rows(text, text, text),
  private.note_left_out(bigint), private.split_allocations(text, text, text, text, text, boolean),
  private.report_transactions(text, jsonb, text, text, text, text, boolean, boolean, text) to authenticated;
