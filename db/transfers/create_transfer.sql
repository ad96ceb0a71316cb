-- after: transactions/tables

create or replace function api.create_transfer(
  from_account_id uuid,
  to_account_id uuid,
  amount text,
  transfer_date text default null,
  name text default 'Transfer',
  to_amount text default null
) returns setof api.transactions
  language plpgsql volatile set search_path = ''
as $$
#variable_conflict use_column
declare
  origin api.accounts;
  destination api.accounts;
  outgoing constant numeric := private.parse_transfer_amount(create_transfer.amount, 'amount');
  incoming numeric := case
    when create_transfer.to_amount is not null
      then private.parse_transfer_amount(create_transfer.to_amount, 'to_amount')
  end;
  moved_at constant timestamptz := case when transfer_date is null then now()
    else private.to_moment(transfer_date, 'transfer_date', false) end;
  template api.transactions;
begin
  if from_account_id = to_account_id then
    perform private.invalid('a transfer needs two different accounts',
      'from_account_id and to_account_id must be different.');
  end if;
  select * into origin from api.accounts a where a.id = from_account_id;
  if not found then
    raise sqlstate 'PT404' using message = 'account not found',
      hint = 'from_account_id must be the ID of an account you can access.';
  end if;
  select * into destination from api.accounts a where a.id = to_account_id;
  if not found then
    raise sqlstate 'PT404' using message = 'account not found',
      hint = 'to_account_id must be the ID of an account you can access.';
  end if;
  if origin.tenant <> destination.tenant then
    perform private.invalid('the accounts must be in the same workspace',
      'Both must be personal, or both in the same team.');
  end if;
  if origin.currency = destination.currency then
    if incoming <> outgoing then
      perform private.invalid(format('both accounts are in %s, so to_amount must equal amount', upper(origin.currency)),
        'Omit to_amount.');
    end if;
    incoming := outgoing;
  elsif incoming is null then
    perform private.invalid(
      format('a transfer from %s to %s needs to_amount', upper(origin.currency), upper(destination.currency)),
      format('amount is the amount sent in %s, to_amount the amount received in %s.', upper(origin.currency),
        upper(destination.currency)));
  end if;

  -- the rounded amounts have already lost the decimals that the table would refuse
  if not (
    private.fits_cents(create_transfer.amount::numeric, origin.currency)
    and private.fits_cents(coalesce(create_transfer.to_amount::numeric, incoming), destination.currency)
  ) then
    perform private.reject_value('api.transactions', 'transactions_amount_fits_currency');
  end if;

  template.name := coalesce(create_transfer.name, 'Transfer');
  template.status := 'paid';
  template.source := 'transfer';
  template.transaction_date := moved_at;
  template.booked_on := private.whole_day(transfer_date);
  return query select * from private.store_transfer(origin, destination, outgoing, incoming, template);
end
$$;
comment on function api.create_transfer(uuid, uuid, text, text, text, text) is
  E'Moves money between two accounts of one context\n\n'
  '`from_account_id` and `to_account_id` are two of your personal accounts or two of the team''s. `amount`, above '
  '0, moves from the first to the second on `transfer_date`, a day or a moment, by default now. `name` is by '
  'default `Transfer`. If the accounts have different currencies, `to_amount` is the amount that arrives, in the '
  'second currency. Otherwise leave it out.\n\n'
  'Returns the two stored transactions, first the outgoing one, which is negative. Both are `paid`, have the '
  'source `transfer`, and share one `transfer_id`. A change of name, status, date or description of one also '
  'changes the other, and so does a change of the amount if the currency is the same. The deletion of one deletes '
  'both.\n\n'
  '400 `22023` for an amount that is not above 0 or is too large, for an invalid date, for one account twice, for '
  'accounts of two contexts, and for a missing or unnecessary `to_amount`. 400 `23514` for decimals that cannot be '
  'stored in the currency. 404 for an account that you do not see. 403 if your role may not create transactions.';
grant execute on function api.create_transfer(uuid, uuid, text, text, text, text) to authenticated;
