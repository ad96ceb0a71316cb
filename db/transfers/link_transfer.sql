-- after: transactions/tables

create or replace function api.link_transfer(
  p_from_transaction_id uuid, p_to_transaction_id uuid
) returns setof api.transactions
  language plpgsql volatile set search_path = ''
as $$
declare
  outgoing api.transactions;
  incoming api.transactions;
  transfer constant uuid := gen_random_uuid();
begin
  select * into outgoing from api.transactions t where t.id = p_from_transaction_id;
  if not found then
    raise sqlstate 'PT404' using message = 'transaction not found',
      hint = 'p_from_transaction_id is the id of a transaction you see.';
  end if;
  select * into incoming from api.transactions t where t.id = p_to_transaction_id;
  if not found then
    raise sqlstate 'PT404' using message = 'transaction not found',
      hint = 'p_to_transaction_id is the id of a transaction you see.';
  end if;
  if outgoing.tenant <> incoming.tenant then
    perform private.invalid('the transactions are of different contexts', 'Both are personal, or both the team''s.');
  end if;
  if outgoing.organization_id is not null and not private.can('transactions', 'update') then
    perform private.deny('transactions');
  end if;
  if outgoing.transfer_id <> outgoing.id or incoming.transfer_id <> incoming.id then
    raise sqlstate 'PT409' using
      message = 'one of the transactions is half of a transfer already',
        hint = 'Nothing was stored. POST /rpc/unlink_transfer ends that transfer first.';
  end if;
  if not (outgoing.amount < 0 and incoming.amount > 0) then
    perform private.invalid('a transfer goes from a negative transaction to a positive one',
      'p_from_transaction_id has an amount below 0, p_to_transaction_id one above 0.');
  end if;
  if outgoing.account_id is null or incoming.account_id is null or outgoing.account_id = incoming.account_id then
    perform private.invalid('a transfer is between two accounts',
      'Each of the two transactions has an account_id, and these are different.');
  end if;
  if outgoing.currency = incoming.currency and outgoing.amount <> - incoming.amount then
    perform private.invalid(
      format('both transactions are of %s, so they have the same amount', outgoing.currency),
      'Record a fee as a transaction of its own, and change the amount of the half that contains it.');
  end if;
  if 'failed' in (outgoing.status, incoming.status) then
    perform private.invalid('a failed transaction moves no money', 'Change its status first if the money did move.');
  end if;
  if abs(
    coalesce(outgoing.booked_on,
      outgoing.transaction_date::date) - coalesce(incoming.booked_on, incoming.transaction_date::date)
  ) > 5 then
    perform private.invalid('the transactions are more than five days apart',
      'Change the day of one of them if they are one transfer.');
  end if;
  perform set_config('private.transfer', transfer::text, true);
  return query
    with linked as (
      update api.transactions t set transfer_id = transfer where t.id in (outgoing.id, incoming.id) returning t.*
    )
    select * from linked order by linked.amount;
  perform set_config('private.transfer', '', true);
end
$$;
comment on function api.link_transfer(uuid, uuid) is
  E'Makes a transfer of two stored transactions\n\n'
  '`p_from_transaction_id` is a transaction with a negative amount, `p_to_transaction_id` one with a positive '
  'amount, in two different accounts of one context. They may be imported or entered, be up to five days apart, '
  'and be transfers without another half. If their currency is the same, their amount is the same too.\n\n'
  'Returns the two transactions, first the outgoing one, with one `transfer_id`. Both keep their day, name, status '
  'and description, and the ids of their banks. From now on neither counts as income or expense. A later change of '
  'a field that is equal in both also changes the other half; a field that differs stays apart. The deletion of '
  'one deletes both. `/rpc/unlink_transfer` reverts it.\n\n'
  '400 `22023` for a wrong sign, different amounts of one currency, a transaction without an account, two transactions '
  'of one account or of two contexts, a failed transaction, more than five days between them, and for line items with '
  'a category. 403 if your role may not change transactions. 404 for a transaction that you do not see. 409 if one of '
  'them is half of a transfer already.';
grant execute on function api.link_transfer(uuid, uuid) to authenticated;
