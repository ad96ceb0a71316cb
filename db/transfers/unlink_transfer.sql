-- after: transactions/tables

create or replace function api.unlink_transfer(p_transfer_id uuid) returns setof api.transactions
  language plpgsql volatile set search_path = ''
as $$
declare
  half api.transactions;
begin
  -- two contexts may have the same transfer_id
  select * into half
  from api.transactions t
  where t.transfer_id = p_transfer_id
  order by t.organization_id is not distinct from public.org_id() desc
  limit 1;
  if not found then
    raise sqlstate 'PT404' using message = 'transfer not found',
      hint = 'p_transfer_id must be the transfer_id of a transaction you can access.';
  end if;
  if half.organization_id is not null and not private.can('transactions', 'update') then
    perform private.deny('transactions');
  end if;
  perform set_config('private.transfer', p_transfer_id::text, true);
  return query
    with unlinked as (
      update api.transactions t set transfer_id = null
        where t.transfer_id = p_transfer_id and t.tenant = half.tenant
        returning t.*
    )
    select * from unlinked order by unlinked.amount;
  perform set_config('private.transfer', '', true);
end
$$;
comment on function api.unlink_transfer(uuid) is
  E'Turns the halves of a transfer into ordinary transactions\n\n'
  '`p_transfer_id` is the `transfer_id` of two transactions you see, or of one whose other half is in no account. '
  'They keep everything else, and count as income and expense from now on.\n\n'
  'Returns the transactions, first the outgoing one. 403 if your role may not change transactions. 404 if you see no '
  'transaction of the transfer.';
grant execute on function api.unlink_transfer(uuid) to authenticated;
