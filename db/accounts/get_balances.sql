-- after: core

create or replace function api.get_balances(on_date text default null, p_convert_to text default null)
  returns table (account_id uuid, currency text, balance numeric)
  language plpgsql stable set search_path = '' set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
  day constant date := case when on_date is null then current_date
    else coalesce(private.whole_day(on_date), private.to_moment(on_date, 'on_date', false)::date) end;
begin
  return query execute format(
    'select account_id, currency, balance from (%s) as balances order by account_id',
    private.balance_rows(private.context_condition(public.uid(), public.org_id()), array[day],
      private.target_currency(p_convert_to)));
end
$$;
comment on function api.get_balances(text, text) is
  E'The balances of accounts on a day\n\n'
  'For the accounts of the active context, at the end of `on_date` (YYYY-MM-DD), by default today. Each row: '
  '`account_id`, `currency`, `balance`. The balance is the opening `balance`, from `opened_on` on, plus all paid '
  'transactions dated up to that day, including transfers. For a day after today it also includes paid '
  'transactions that are dated ahead.\n\n'
  'An account is listed from `opened_on` until the day before `closed_on`; before and after, only if its balance '
  'is not 0.\n\n'
  '`p_convert_to`: a currency to which each balance is converted, at your context''s latest exchange rate on or '
  'before that day. A balance without a rate stays in its own currency. So add up the rows by `currency`.\n\n'
  'The day of a transaction is its `booked_on`, or otherwise the day of its moment in UTC or in the time zone of '
  '`Prefer: timezone=…`; today is in the same time zone. 400 for an invalid day or currency.';
grant execute on function api.get_balances(text, text) to authenticated;
