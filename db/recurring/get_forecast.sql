-- after: core
-- The report get_forecast(). forecast_statement() returns its statement as text, built from the parts in
-- db/recurring/forecast.sql and db/reports/report_rows.sql.

create or replace function private.forecast_statement(
  p_until text, p_account_ids uuid[] default null, p_what_if jsonb default '[]', p_convert_to text default null
) returns text
  language plpgsql stable set search_path = ''
as $$
declare
  context constant text := private.context_condition(public.uid(), public.org_id());
  target constant text := private.target_currency(p_convert_to);
  until constant date := private.parse_horizon(p_until);
  chosen constant uuid[] := private.parse_forecast_accounts(p_account_ids, context);
begin
  return private.fill(
    $query$
      with items as materialized (
        select a.id as account_id, a.currency, current_date as day, null as name, api.current_balance(a) as amount,
          null::uuid as subscription_id, null::uuid as transaction_id, -1 as turn
        from api.accounts a where a.id = any ({accounts})
        union all
        select c.account_id, a.currency, c.day, c.name, c.amount, c.subscription_id, c.transaction_id, c.turn
        from private.forecast_changes({accounts}, {until}, {what_if}) c
        join api.accounts a on a.id = any ({accounts}) and a.id = c.account_id
      ), valued as (
        {valued}
      ), days as (
        select series, day, currency, coalesce(sum(amount), 0.00) as balance,
          coalesce(sum(amount) filter (where turn >= 0), 0.00) as change,
          coalesce(jsonb_agg(jsonb_build_object('name', name, 'amount', amount, 'subscription_id', subscription_id,
              'transaction_id', transaction_id)
            order by turn, name, transaction_id, subscription_id, amount) filter (where turn >= 0), '[]') as reasons,
          count(*) filter (where amount is null) as left_out
        from valued
        group by series, day, currency
      ), balances as (
        select series, day, currency, sum(balance) over passed as balance, change, reasons,
          (sum(left_out) over passed)::bigint as left_out
        from days
        window passed as (partition by series order by day)
      )
      select series, day, currency, balance, change, reasons,
        row_number() over (partition by series order by balance, day) = 1, left_out
      from balances
      order by series, day
    $query$,
    'accounts', quote_literal(chosen),
    'until', quote_literal(until),
    'what_if', quote_nullable(p_what_if),
    'valued', case when target is null then 'select account_id as series, * from items' else private.fill(
      $query$
        select null::uuid as series, items.day, {target} as currency, name, {converted} as amount, subscription_id,
          transaction_id, turn
        -- A full join cannot be a nested loop over all rates. Each item has a rate, which may be unknown.
        from items full join ({rates}) as rates on rates.currency = items.currency and rates.day = items.day
      $query$,
      'target', quote_literal(target),
      'converted', private.converted('amount', target),
      'rates', private.exchange_rates(context, 'select currency, day from items', target)) end);
end
$$;
comment on function private.forecast_statement(text, uuid[], jsonb, text) is 'The statement of api.get_forecast().';
grant execute on function private.forecast_statement(text, uuid[], jsonb, text) to authenticated;

create or replace function api.get_forecast(
  p_until text, p_account_ids uuid[] default null, p_what_if jsonb default '[]', p_convert_to text default null
)
  returns table (
    account_id uuid, day date, currency text, balance numeric, change numeric, reasons jsonb, is_lowest boolean,
    left_out bigint)
  language plpgsql stable set search_path = ''
as $$
declare
  most constant integer := 10000;
  found bigint;
begin
  return query execute private.forecast_statement(p_until, p_account_ids, p_what_if, p_convert_to);
  get diagnostics found = row_count;
  if found > most then
    perform private.invalid(format('the forecast has more than %s rows', most),
      'Use a shorter range, fewer accounts, or a single series with p_convert_to.');
  end if;
end
$$;
comment on function api.get_forecast(text, uuid[], jsonb, text) is
  E'The balances of the coming days\n\n'
  'For accounts of the active context, from today to `p_until` (YYYY-MM-DD, or the last day of a preset such as '
  '`this_year`), up to 3660 days from today. `p_account_ids`: the accounts; by default all without a `closed_on` '
  'up to today. `p_what_if`: up to 1000 rows {`account_id`, `on_date`, `amount`, `name`} that are added to the '
  'forecast and stored nowhere; `on_date` is from today to `p_until`, `name` is by default `What if`.\n\n'
  'A balance begins as `current_balance`. To it the forecast adds:\n\n'
  '- transactions that are `pending`, or `paid` and dated after today, on their day. A pending one of a past day is '
  'expected today. Failed ones are not.\n'
  '- the due days of subscriptions from today on that are not recorded: an expense is taken from the account, an '
  'income is added to it, a transfer does both. Past due days that are not recorded are not expected any more.\n'
  '- the rows of `p_what_if`.\n'
  '- the opening balance of an account whose `opened_on` is after today, as `Opening balance`.\n\n'
  'Transactions and subscriptions without an account are in no balance, and so in no forecast.\n\n'
  'Each row: `account_id`, `day`, `currency`, `balance` at the end of the day, `change` of that day, `reasons` of '
  'the change as [{`name`, `amount`, `subscription_id`, `transaction_id`}], `is_lowest` (true in one row of each '
  'account: the first day with the lowest balance), `left_out`. There is a row for today, whose change is 0 if '
  'nothing is expected today, and for each day with a change. Ordered by account and day.\n\n'
  '`p_convert_to`: all accounts as one series in this currency, with `account_id` null. Today''s balances are '
  'converted at today''s rate, and each change at the latest exchange rate of your context on or before its day. A '
  'balance or a change without a rate is not in the sum: the change has `amount` null in `reasons`, and `left_out` '
  'is the number of accounts and changes that the balance of that day lacks; otherwise 0.\n\n'
  '400 for an invalid day, a day before today or more than 3660 days away, a malformed row of `p_what_if`, an unknown '
  'currency, and for more than 10,000 rows. 404 for an account of another context.';
grant execute on function api.get_forecast(text, uuid[], jsonb, text) to authenticated;
