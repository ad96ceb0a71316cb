-- An amount is below 10^12 and stored with two decimals; more are rounded half away from zero, unless they are decimals of its currency.
-- The columns have no scale of their own, because PostgREST reads a request into the type of the column: a trigger would see 1.23
-- where 1.234 was sent. Each table's before_row() in db/rules keeps its amounts so.

-- A plan made while there were few transactions would read all of them for each line item.
create or replace function private.currency_of_transaction(p_id uuid) returns text
  language sql stable set enable_seqscan = off
begin atomic
  select currency from api.transactions where id = p_id;
end;
comment on function private.currency_of_transaction(uuid) is 'The currency of a transaction that the caller sees.';
grant execute on function private.currency_of_transaction(uuid) to authenticated;
