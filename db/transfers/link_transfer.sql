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
      hint = 'p_from_transaction_id must be the ID of a transaction you can access.';
  end if;
  select * into incoming from api.transactions t where t.id = p_to_transaction_id;
  if not found then
    raise sqlstate 'PT404' using message = 'transaction not found',
      hint = 'p_to_transaction_id must be the ID of a transaction you can access.';
  end if;
  if outgoing.tenant <> incoming.tenant then
    perform private.invalid('the transactions must be in the same workspace',
      'Both must be personal, or both in the same team.');
  end if;
  if outgoing.organization_id is not null and not private.can('transactions', 'update') then
    perform private.deny('transactions');
  end if;
  if outgoing.transfer_id <> outgoing.id or incoming.transfer_id <> incoming.id then
    raise sqlstate 'PT409' using
      message = 'one of the transactions is already part of a transfer',
        hint = 'Nothing was saved. Unlink that transfer first with POST /rpc/unlink_transfer.';
  end if;
  if not (outgoing.amount < 0 and incoming.amount > 0) then
    perform private.invalid('a transfer must go from an outgoing to an incoming transaction',
      'p_from_transaction_id must have an amount below 0, and p_to_transaction_id one above 0.');
  end if;
  if outgoing.account_id is null or incoming.account_id is null or outgoing.account_id = incoming.account_id then
    perform private.invalid('the two transactions must be in different accounts',
      'Both need an account_id, and the two must be different.');
  end if;
  if outgoing.currency = incoming.currency and outgoing.amount <> - incoming.amount then
    perform private.invalid(
      format('both transactions are in %s, so their amounts must match', upper(outgoing.currency)),
      'Record a fee as a separate transaction, and subtract it from the side that includes it.');
  end if;
  if 'failed' in (outgoing.status, incoming.status) then
    perform private.invalid('a failed transaction can''t be part of a transfer',
      'If the money did move, change its status first.');
  end if;
  if abs(
    coalesce(outgoing.booked_on,
      outgoing.transaction_date::date) - coalesce(incoming.booked_on, incoming.transaction_date::date)
  ) > 5 then
    perform private.invalid('the transactions are more than five days apart',
      'If they belong together, change the date of one of them.');
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
