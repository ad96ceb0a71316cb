-- A computed field: PostgREST takes a function of one unnamed row for a column of that table, and for no function of /rpc. Two ways to
-- read are switched off, because the planner would now and then read all of the caller's transactions for each account.
create or replace function api.current_balance(api.accounts) returns numeric
  language sql stable set enable_seqscan = off set enable_bitmapscan = off
begin atomic
  select $1.balance + coalesce(sum(t.amount), 0) from api.transactions t
  where t.account_id = $1.id and t.status = 'paid'
    and case when t.booked_on is null then t.transaction_date < (current_date + 1)::timestamptz else t.booked_on <= current_date end;
end;
comment on function api.current_balance(api.accounts) is
  'What is in the account today: the opening `balance` and all paid transactions dated up to the end of today, transfers included. Today is UTC''s, or of the time zone in `Prefer: timezone=…`. Not part of `*`: `select=*,current_balance`';
grant execute on function api.current_balance(api.accounts) to authenticated;
