-- after: core
-- The transactions that a converted report leaves out.

create or replace function private.missing_rates_statement(p_convert_to text, p_filters jsonb default '[]') returns text
  language plpgsql stable set search_path = ''
as $$
declare
  context constant text := private.context_condition(public.uid(), public.org_id());
begin
  if p_convert_to is null then
    perform private.invalid('p_convert_to is missing', 'Send the currency of the report, such as eur.');
  end if;
  return private.fill(
    $query$
      select transaction_currency, min(day), count(*), array_agg(key order by day, key) filter (where place <= 100)
      from (
        select transaction_currency, day, key,
          row_number() over (partition by transaction_currency order by day, key) as place
        from {counted}
        where left_out <> 0
      ) missing
      group by 1
      order by 1
    $query$,
    'counted', private.report_transactions(context, p_filters, p_key => 'id',
      p_convert_to => private.target_currency(p_convert_to)));
end
$$;
comment on function private.missing_rates_statement(text, jsonb) is 'The statement of api.get_missing_rates().';
grant execute on function private.missing_rates_statement(text, jsonb) to authenticated;

create or replace function api.get_missing_rates(p_convert_to text, p_filters jsonb default '[]')
  returns table (currency text, day date, transactions bigint, transaction_ids uuid[])
  language plpgsql stable set search_path = '' set enable_sort = off
as $$
begin
  return query execute private.missing_rates_statement(p_convert_to, p_filters);
end
$$;
comment on function api.get_missing_rates(text, jsonb) is
  E'Transactions without an exchange rate\n\n'
  'The transactions of the active context that a report with this `p_convert_to` leaves out, because your context '
  'has no rate on or before their day. `p_filters` as in get_filtered_transactions.\n\n'
  'Each row: `currency`, `day` (the first such day), `transactions` (their number), `transaction_ids` (the first 100). '
  'Ordered by currency. Without a missing rate the result is empty. One rate in `exchange_rates` for `day`, of '
  '`currency` and `p_convert_to` in either direction, is enough for all transactions of the row; for a currency that '
  'the euro has replaced by then, one of `eur`. Transfers and failed transactions count as in get_transaction_stat.';
grant execute on function api.get_missing_rates(text, jsonb) to authenticated;
