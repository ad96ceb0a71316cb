create or replace function api.get_transaction_aggregate(
  p_filters jsonb default '[]',
  p_group_by text default 'month',
  p_aggregate_fn text default 'sum'
) returns table (key text, name text, currency text, value numeric, count bigint)
  language plpgsql stable set search_path = ''
as $$
declare
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
  return query execute format(
    $query$
      select %2$s, %3$s, g.currency, g.value, g.count
      from (
        select %1$s as key, currency, %4$s as value, count(*) as count
        from api.transactions
        where %5$s and %6$s
        group by 1, 2
      ) g
      %7$s
      order by 1 nulls last, g.currency
    $query$,
    case p_group_by
      when 'category' then 'category_id'
      when 'status' then 'status'
      when 'currency' then 'currency'
      else format('date_trunc(%L, transaction_date)', p_group_by)
    end,
    label,
    case p_group_by when 'category' then 'c.name' else label end,
    case p_aggregate_fn when 'sum' then 'sum(amount)' when 'avg' then 'round(avg(amount), 2)' else 'count(*)::numeric' end,
    private.context_condition(public.uid(), public.org_id()),
    private.transaction_condition(p_filters),
    case p_group_by when 'category' then 'left join api.categories c on c.id = g.key' else '' end);
end
$$;
comment on function api.get_transaction_aggregate(jsonb, text, text) is
$$Sums, averages or counts of transactions in groups

Of the active context: the organization's transactions while one is active, else your personal ones. `p_group_by`: `day`, `week`, `month`, `quarter`, `year`, `category`, `status` or `currency`. `p_aggregate_fn`: `sum`, `avg` or `count`. `p_filters` as in get_filtered_transactions; the status plays no role unless you filter by it.

Each row: `key` (the first day of the period, a category id, a status or a currency; null is no category), `name` (the category's name, else the key), `currency`, `value`, `count`. Each currency has rows of its own. Ordered by key; periods without transactions have no row. Weeks begin on Monday; days are UTC's, or of the time zone in `Prefer: timezone=…`.$$;
grant execute on function api.get_transaction_aggregate(jsonb, text, text) to authenticated;
