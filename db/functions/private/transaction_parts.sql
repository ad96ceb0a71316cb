-- Line items and tag associations belong to whomever their transaction belongs to. They have its owner pair, so that a row
-- rule knows whose they are without asking for the transaction: of a personal one user_id, of a team's organization_id and
-- no user, because whoever created it may leave. The pair is true because it is copied here, a part moves within its tenant
-- alone, and a transaction keeps its pair or hands a new one on (transactions_after_update_by_owner()).

create or replace function private.owner_of_part(p_table text, p_transaction_id uuid, out user_id text, out organization_id text)
  -- a connection keeps the plan, also one of when there were few transactions, which would read all of them for each part
  language plpgsql stable set search_path = '' set enable_seqscan = off
as $$
begin
  -- without a transaction there is nobody whose row it would be, so the policy cannot be asked first
  if p_transaction_id is null then
    perform private.refuse_null(format('api.%I', p_table)::regclass, 'transaction_id');
  end if;
  -- row security applies here: a transaction that the caller does not see is not found
  select case when t.organization_id is null then t.user_id end, t.organization_id into user_id, organization_id
    from api.transactions t where t.id = p_transaction_id;
  if not found then
    perform private.refuse_reference(p_table, 'transaction_id', 'transactions');
  end if;
end
$$;
comment on function private.owner_of_part(text, uuid) is 'The owner pair of a part, which is its transaction''s. Refuses a transaction that the caller does not see.';
grant execute on function private.owner_of_part(text, uuid) to authenticated;
