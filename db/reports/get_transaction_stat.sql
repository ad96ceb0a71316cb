-- after: core
-- The report get_transaction_stat(). transaction_stat_statement() returns its statement as text,
-- built from the parts in db/reports/report_rows.sql.

create or replace function private.transaction_stat_statement(
  p_user_id text default public.uid(),
  p_organization_id text default public.org_id(),
  p_filters jsonb default '[]',
  p_aggregate_fn text default 'sum',
  p_transaction_type text default 'balance',
  p_convert_to text default null,
  -- lists the currencies of the transactions, for the error about mixed currencies
  out statement text,
  out currencies text
)
  language plpgsql stable set search_path = ''
as $$
declare
  context constant text := private.context_condition(p_user_id, p_organization_id);
  target constant text := private.target_currency(p_convert_to);
  counted text;
begin
  if p_aggregate_fn is null or p_aggregate_fn not in ('sum', 'avg', 'count') then
    perform private.invalid(
      format('unknown p_aggregate_fn %s', coalesce(quote_literal(left(p_aggregate_fn, 40)), 'null')),
      'Must be sum, avg or count.');
  end if;
  if p_transaction_type is null or p_transaction_type not in ('balance', 'income', 'expense') then
    perform private.invalid(
      format('unknown p_transaction_type %s', coalesce(quote_literal(left(p_transaction_type, 40)), 'null')),
      'Must be balance, income or expense.');
  end if;
  counted := private.report_transactions(context, p_filters,
    p_type => nullif(p_transaction_type, 'balance'),
    -- a count needs no rate
    p_convert_to => case when p_aggregate_fn <> 'count' then target end);
  statement := private.fill(
    case
      when p_aggregate_fn = 'count' then $query$
        select null::numeric as amount, sum(count) as count, null as currency, false as is_mixed, 0::bigint as left_out
        from {counted}
      $query$
      when target is null then $query$
        with any_one as materialized (select currency from {counted} limit 1)
        select sum(amount) as amount, sum(count) as count,
          -- an average of no rows has no currency, so the query for one is skipped
          case when count(*) > 0 then (select currency from any_one) end as currency,
          -- comparing with any one currency is faster than min() and max() or a group by
          bool_or(currency <> (select currency from any_one)) as is_mixed,
          0::bigint as left_out
        from {counted}
      $query$
      else $query$
        select sum(amount) as amount, sum(count) as count, {target} as currency, false as is_mixed,
          sum(left_out)::bigint as left_out
        from {counted}
      $query$
    end,
    'counted', counted, 'target', quote_nullable(target));
  currencies := format('select array(select currency from %s group by 1 having sum(count) <> 0 order by 1)', counted);
end
$$;
comment on function private.transaction_stat_statement(text, text, jsonb, text, text, text) is
  'The statements of api.get_transaction_stat().';
grant execute on function private.transaction_stat_statement(text, text, jsonb, text, text, text) to authenticated;

create or replace function api.get_transaction_stat(
  p_user_id text default public.uid(),
  p_organization_id text default public.org_id(),
  p_filters jsonb default '[]',
  p_aggregate_fn text default 'sum',
  p_transaction_type text default 'balance',
  p_convert_to text default null
) returns numeric
  language plpgsql stable set search_path = '' set enable_sort = off
as $$
declare
  ask record;
  amount numeric;
  count bigint;
  currency text;
  is_mixed boolean;
  left_out bigint;
  currencies text[];
begin
  ask := private.transaction_stat_statement(p_user_id, p_organization_id, p_filters, p_aggregate_fn, p_transaction_type,
    p_convert_to);
  execute ask.statement into amount, count, currency, is_mixed, left_out;
  if is_mixed then
    execute ask.currencies into currencies;
    if cardinality(currencies) > 1 then
      perform private.invalid(
        format('can''t %s different currencies: %s',
          case p_aggregate_fn when 'avg' then 'average' else p_aggregate_fn end,
          upper(array_to_string(currencies, ', '))),
        'Add p_convert_to, or a filter: {"field": "currency", "operation": "eq", "value": "…"}.');
    end if;
    currency := currencies[1];
  end if;
  perform private.note_left_out(left_out);
  return case p_aggregate_fn
    when 'count' then coalesce(count, 0)
    when 'sum' then coalesce(amount, 0.00)
    else round(coalesce(amount, 0.00) / greatest(count - left_out, 1),
      least(private.currency_decimals(currency), 2))
  end;
end
$$;
comment on function api.get_transaction_stat(text, text, jsonb, text, text, text) is
  E'One statistic as one number\n\n'
  '`p_aggregate_fn`: `sum`, `avg` (with the decimals of the currency, at most two) or `count`. '
  '`p_transaction_type`: `balance` includes all transactions, `income` and `expense` one side, whose sum is '
  'negative for expenses. The kind of an amount''s category decides: a refund in a category of expenses lowers '
  'them. Without a category its sign decides. Without transactions the result is 0. Pending transactions are '
  'included; a filter on `status` selects their part.\n\n'
  '`p_organization_id` null is your personal context; by default it is the active one. `p_user_id` is yours. Other '
  'values are 403.\n\n'
  '`p_filters` as in get_filtered_transactions. Transfers count only with a filter `eq` or `in` on `account_id`, '
  'as money in or out of these accounts; a transfer between two of them does not count. Failed transactions count '
  'only if you filter by `status`. With a filter on `category_id`, only the parts of a split transaction in these '
  'categories are added up, and each transaction counts once.\n\n'
  '`p_convert_to`: a currency, such as `eur`, to which each transaction is converted, at your context''s latest '
  'exchange rate on or before its day. Transactions without a rate are left out: the response header `X-Left-Out` has '
  'their number, and get_missing_rates lists them. A count needs no rate. Without `p_convert_to` currencies are never '
  'mixed: for several currencies `sum` and `avg` are 400 with their list; add a filter on `currency`.';
grant execute on function api.get_transaction_stat(text, text, jsonb, text, text, text) to authenticated;
