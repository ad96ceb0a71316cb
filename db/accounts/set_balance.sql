-- after: transactions/tables

create or replace function api.set_balance(
  p_account_id uuid, p_balance text, p_on_date text default null, p_name text default null
) returns jsonb
  language plpgsql volatile set search_path = ''
as $$
declare
  account api.accounts;
  day constant date := case when p_on_date is null then current_date
    else coalesce(private.whole_day(p_on_date), private.to_moment(p_on_date, 'p_on_date', false)::date) end;
  stated constant numeric := private.read_number(p_balance);
  difference numeric;
  booked api.transactions;
begin
  if stated is null or stated = 'NaN' or abs(stated) >= 999999999999.995 then
    perform private.invalid(
      format('p_balance is not a valid balance: %s', coalesce(left(p_balance, 40), 'null')),
      'Must be a number between -1,000,000,000,000 and 1,000,000,000,000 with up to 2 decimal places.');
  end if;
  -- today in the time zone that is the furthest ahead
  if day > (now() at time zone 'Pacific/Kiritimati')::date then
    perform private.invalid(format('p_on_date is in the future: %s', day), 'Use today or an earlier date.');
  end if;
  -- if several devices set the balance at once, the second waits here and then finds no difference
  select * into account from api.accounts where id = p_account_id;
  if not found then
    raise sqlstate 'PT404' using message = 'account not found',
      hint = 'p_account_id must be the ID of an account you can access.';
  end if;
  if account.organization_id is not null
    and not (private.can('transactions', 'create') and private.can('balances', 'create')) then
    perform private.deny('transactions');
  end if;
  -- checks the decimals of the balance
  insert into api.balances as b (account_id, on_date, balance, source, organization_id)
    values (p_account_id, day, stated, 'manual', account.organization_id)
    on conflict (account_id, on_date) do update set balance = excluded.balance, source = excluded.source
      where b.balance <> excluded.balance;
  difference := round(stated, 2) - private.balance_on(account, day);
  if difference = 0 then
    return null;
  end if;
  insert into api.transactions (name, amount, currency, account_id, status, transaction_date, booked_on, source,
    organization_id)
    values (coalesce(p_name, 'Balance adjustment'), difference, account.currency, p_account_id, 'paid', day, day,
      'balance', account.organization_id)
    returning * into booked;
  return to_jsonb(booked);
end
$$;
comment on function api.set_balance(uuid, text, text, text) is
  E'Makes the balance of an account what the bank says\n\n'
  '`p_account_id` is an account you see, `p_balance` its balance in its currency at the end of `p_on_date` '
  '(YYYY-MM-DD), by default today. If the opening balance and the paid transactions until that day add up to '
  'another balance, one transaction of the difference is booked on that day: paid, with the name `p_name`, by '
  'default `Balance adjustment`, and the source `balance`. Reports count it as income or expense; give it a '
  'category, or delete it once you find the reason.\n\n'
  'The balance is also stored in `balances`, with the source `manual`, so that `/rpc/get_reconciliation` shows it. '
  'A balance that is stored for that day is replaced if it differs.\n\n'
  'Returns the transaction, or null if there is no difference. So a repeated request, or several devices at once, '
  'book it only once. An undo takes back both rows.\n\n'
  '400 for an invalid balance, name or day, a day after today, and decimals that the currency does not have. 403 if '
  'your role may not create transactions. 404 for an account that you do not see. 409 if the day is closed, or other '
  'writes take too long.';
grant execute on function api.set_balance(uuid, text, text, text) to authenticated;
