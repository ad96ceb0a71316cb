-- after: core
-- Line items and tag associations belong to the owner of their transaction. They store its owner pair, so that a row
-- rule need not read the transaction. A part of a personal transaction has its user_id. A part of a team's has the
-- organization_id and no user, because the creator may leave. The stored pair is always correct. It is copied here,
-- and a part moves only within its tenant. The foreign key keeps a transaction with parts in its tenant.

create or replace function private.owner_of_part(
  p_table text, p_transaction_id uuid, out user_id text, out organization_id text
)
  -- A connection keeps a plan from the time of few transactions. Without this setting it would read all of them for
  -- each part.
  language plpgsql stable set search_path = '' set enable_seqscan = off
as $$
begin
  -- a row without a transaction has no owner, so the policy cannot be evaluated first
  if p_transaction_id is null then
    perform private.reject_null(format('api.%I', p_table)::regclass, 'transaction_id');
  end if;
  -- row security applies here: a transaction that the caller does not see is not found
  select case when t.organization_id is null then t.user_id end, t.organization_id into user_id, organization_id
    from api.transactions t where t.id = p_transaction_id;
  if not found then
    perform private.reject_reference(p_table, 'transaction_id', 'transactions');
  end if;
end
$$;
comment on function private.owner_of_part(text, uuid) is
  'The owner pair of a part: that of its transaction. Refuses a transaction that the caller does not see.';
grant execute on function private.owner_of_part(text, uuid) to authenticated;
