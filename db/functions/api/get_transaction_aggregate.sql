-- The report get_transaction_aggregate(). transaction_aggregate_statement() returns its statement as text,
-- built from the parts in db/functions/private/reports.sql.

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
  label constant text := case
    when p_group_by in ('category', 'status', 'currency') then 'g.key::text' else 'to_char(g.key, ''YYYY-MM-DD'')' end;
begin
  if p_group_by is null or p_group_by not in ('day', 'week', 'month', 'quarter', 'year', 'category', 'status', 'currency') then
    perform private.invalid(format('unknown p_group_by %s', coalesce(quote_literal(left(p_group_by, 40)), 'null')),
      'It is day, week, month, quarter, year, category, status or currency.');
  end if;
  if p_aggregate_fn is null or p_aggregate_fn not in ('sum', 'avg', 'count') then
    perform private.invalid(format('unknown p_aggregate_fn %s', coalesce(quote_literal(left(p_aggregate_fn, 40)), 'null')), 'It is sum, avg or count.');
  end if;
  return format(
    $query$
      select %2$s, %3$s, g.currency, g.value, g.count
      from (
        select %1$s as key, currency, %4$s as value, sum(count) as count
        from %5$s
        group by 1, 2
        -- the condition reads the amount, so that a missing rate is an error for counts too
        having sum(count) <> 0 or sum(amount) <> 0
      ) g
      %6$s
      order by 1 nulls last, g.currency
    $query$,
    case p_group_by
      when 'category' then 'category_id'
      when 'status' then 'status'
      -- when converted, the groups are the original currencies
      when 'currency' then case when target is null then 'currency' else 'transaction_currency' end
      else format('date_trunc(%L, day::timestamp)', p_group_by)
    end,
    label,
    case p_group_by when 'category' then 'c.name' else label end,
    case p_aggregate_fn when 'sum' then 'sum(amount)' when 'avg' then 'round(sum(amount) / nullif(sum(count), 0), least(private.currency_decimals(currency), 2))' else 'sum(count)::numeric' end,
    private.report_transactions(context, p_filters, p_by_category => p_group_by = 'category', p_by_status => p_group_by = 'status', p_convert_to => target),
    case p_group_by when 'category' then 'left join api.categories c on c.id = g.key' else '' end);
end
$$;
comment on function private.transaction_aggregate_statement(jsonb, text, text, text) is 'The statement of api.get_transaction_aggregate().';
grant execute on function private.transaction_aggregate_statement(jsonb, text, text, text) to authenticated;

create or replace function api.get_transaction_aggregate(
  p_filters jsonb default '[]',
  p_group_by text default 'month',
  p_aggregate_fn text default 'sum',
  p_convert_to text default null
) returns table (key text, name text, currency text, value numeric, count bigint)
  language plpgsql stable set search_path = '' set enable_sort = off
as $$
begin
  return query execute private.transaction_aggregate_statement(p_filters, p_group_by, p_aggregate_fn, p_convert_to);
end
$$;
comment on function api.get_transaction_aggregate(jsonb, text, text, text) is
$$Sums, averages or counts of transactions in groups

For the active context: the organization's transactions while one is active, otherwise your personal ones. `p_group_by`: `day`, `week`, `month`, `quarter`, `year`, `category`, `status` or `currency`. `p_aggregate_fn`: `sum`, `avg` or `count`. `p_filters` as in get_filtered_transactions. Transfers do not count. Failed transactions count only if you filter or group by `status`. Line items with a category count there, the rest of their transaction in its own category. A transaction counts once in a group, even if several of its parts are in it. An average has the decimals of its currency, at most two.

`p_convert_to`: a currency to which each transaction is converted, at your context's latest exchange rate on or before its day. `currency` is then this one, and for the group `currency` the `key` is the original currency. 400 for a missing rate, with the pair and the day.

Each row: `key` (the first day of the period, a category id, a status or a currency; null is no category), `name` (the category's name, otherwise the key), `currency`, `value`, `count`. Without `p_convert_to` each currency has rows of its own. Ordered by key; periods without transactions have no row. Weeks begin on Monday. The day of a transaction is its `booked_on`, or otherwise the day of its moment in UTC or in the time zone of `Prefer: timezone=…`.$$;
grant execute on function api.get_transaction_aggregate(jsonb, text, text, text) to authenticated;
