-- after: core
-- The report get_transaction_aggregate(). transaction_aggregate_statement() returns its statement as text,
-- built from the parts in db/reports/report_rows.sql.

-- Over 80 lines, because each kind of group has its own expressions.
create or replace function private.transaction_aggregate_statement(
  p_filters jsonb default '[]',
  p_group_by text default 'month',
  p_aggregate_fn text default 'sum',
  p_convert_to text default null
) returns text
  language plpgsql stable set search_path = ''
as $$
declare
  context constant text := private.context_condition(public.uid(), public.org_id());
  target constant text := private.target_currency(p_convert_to);
  -- the group, and the table with its name
  grouped text;
  names text;
  key text;
  counted text;
begin
  if p_group_by is null
    or p_group_by not in ('day', 'week', 'month', 'quarter', 'year', 'category', 'parent', 'tag', 'account', 'payee',
      'status', 'currency') then
    perform private.invalid(format('unknown p_group_by %s', coalesce(quote_literal(left(p_group_by, 40)), 'null')),
      'Must be day, week, month, quarter, year, category, parent, tag, account, payee, status or currency.');
  end if;
  if p_aggregate_fn is null or p_aggregate_fn not in ('sum', 'avg', 'count') then
    perform private.invalid(
      format('unknown p_aggregate_fn %s', coalesce(quote_literal(left(p_aggregate_fn, 40)), 'null')),
      'Must be sum, avg or count.');
  end if;
  grouped := case p_group_by
    when 'category' then 'category_id'
    when 'parent' then private.top_category(context)
    when 'tag' then 'tag_id'
    when 'account' then 'key'
    when 'payee' then 'key'
    when 'status' then 'status'
    -- when converted, the groups are the original currencies
    when 'currency' then case when target is null then 'currency' else 'transaction_currency' end
    else format('date_trunc(%L, day::timestamp)', p_group_by)
  end;
  names := case p_group_by
    when 'category' then 'categories'
    when 'parent' then 'categories'
    when 'tag' then 'tags'
    when 'account' then 'accounts'
  end;
  counted := private.report_transactions(context, p_filters,
    p_group => case when p_group_by in ('category', 'parent') then grouped end,
    p_key => case p_group_by
      when 'tag' then 'id'
      when 'account' then 'account_id'
      when 'payee' then 'normalize(name, nfc)'
      else 'null'
    end,
    p_by_status => p_group_by = 'status', p_by_account => p_group_by = 'account', p_convert_to => target);
  if p_group_by = 'tag' then
    -- a full join, which cannot be a nested loop over the estimate of one row
    counted := private.fill(
      $query$
        (select *
        from {counted}
        full join (select transaction_id, tag_id from api.transaction_tags where {context}) as tagged
          on tagged.transaction_id = counted.key
        offset 0) as tagged_rows
      $query$,
      'counted', counted, 'context', context);
  end if;
  key := case when p_group_by in ('day', 'week', 'month', 'quarter', 'year') then $sql$to_char(g.key, 'YYYY-MM-DD')$sql$
    else 'g.key::text' end;
  return private.fill(
    $query$
      select {key}, {name}, g.currency, g.value, g.count, g.pending, g.left_out
      from (
        select {grouped} as key, currency, {value} as value, sum(count) as count, {pending} as pending,
          sum(left_out)::bigint as left_out
        from {counted}
        where count is not null
        group by 1, 2
        having sum(count) <> 0 or sum(amount) <> 0
      ) g
      {names}
      order by 1 nulls last, g.currency
    $query$,
    'grouped', grouped,
    'key', key,
    'name', case when names is null then key else 'n.name' end,
    'value', case p_aggregate_fn
      when 'sum' then 'coalesce(sum(amount), 0.00)'
      when 'avg' then 'coalesce(round(sum(amount) / nullif(sum(count - left_out), 0), '
        'least(private.currency_decimals(currency), 2)), 0.00)'
      else 'sum(count)::numeric'
    end,
    'counted', counted,
    'names', case when names is null then '' else format('left join api.%I n on n.id = g.key', names) end,
    'pending', case p_aggregate_fn
      when 'sum' then $sql$coalesce(sum(amount) filter (where status = 'pending'), 0.00)$sql$
      when 'count' then $sql$coalesce(sum(count) filter (where status = 'pending'), 0)::numeric$sql$
      else 'null::numeric'
    end);
end
$$;
comment on function private.transaction_aggregate_statement(jsonb, text, text, text) is
  'The statement of api.get_transaction_aggregate().';
grant execute on function private.transaction_aggregate_statement(jsonb, text, text, text) to authenticated;

create or replace function api.get_transaction_aggregate(
  p_filters jsonb default '[]',
  p_group_by text default 'month',
  p_aggregate_fn text default 'sum',
  p_convert_to text default null
) returns table (key text, name text, currency text, value numeric, count bigint, pending numeric, left_out bigint)
  language plpgsql stable set search_path = '' set enable_sort = off
as $$
begin
  return query execute private.transaction_aggregate_statement(p_filters, p_group_by, p_aggregate_fn, p_convert_to);
end
$$;
comment on function api.get_transaction_aggregate(jsonb, text, text, text) is
  E'Sums, averages or counts of transactions in groups\n\n'
  'For the active context: the organization''s transactions while one is active, otherwise your personal ones. '
  '`p_group_by`: `day`, `week`, `month`, `quarter`, `year`, `category`, `parent`, `tag`, `account`, `payee`, '
  '`status` or `currency`. `p_aggregate_fn`: `sum`, `avg` or `count`. `p_filters` as in get_filtered_transactions.\n\n'
  '`parent` is the category''s parent, or the category itself if it has none. `payee` is the transaction''s name. '
  'With `tag` a transaction with several tags counts in each of them, so the groups add up to more than all '
  'transactions.\n\n'
  'Failed transactions count only if you filter or group by `status`. Transfers do not count, except in a report '
  'by account: grouped by `account`, or with a filter `eq` or `in` on `account_id`, the half of a transfer counts '
  'as money in or out of its account. With such a filter, a transfer between two of the selected accounts does not '
  'count, unless you group by `account`. Line items with a category count there, the rest of their transaction in '
  'its own category. A transaction counts once in a group, even if several of its parts are in it. An average has '
  'the decimals of its currency, at most two.\n\n'
  '`p_convert_to`: a currency to which each transaction is converted, at your context''s latest exchange rate on '
  'or before its day. `currency` is then this one, and for the group `currency` the `key` is the original '
  'currency. A transaction without a rate is in no sum and no average; `left_out` counts it, and get_missing_rates '
  'lists them.\n\n'
  'Each row: `key` (the first day of the period, an id, a name, a status or a currency; null is none), `name` (of the '
  'category, the tag or the account, otherwise the key), `currency`, `value`, `count`, `pending` (the part of `value` '
  'that is pending; null for an average), `left_out` (how many of `count` have no rate; if all, `value` is 0). Without '
  '`p_convert_to` each currency has rows of its own. Ordered by key; periods without transactions have no row. Weeks '
  'begin on Monday. The day of a transaction is its `booked_on`, or otherwise the day of its moment in UTC or in the '
  'time zone of `Prefer: timezone=…`.';
grant execute on function api.get_transaction_aggregate(jsonb, text, text, text) to authenticated;
