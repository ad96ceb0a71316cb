-- after: accounts/balances_on
-- Computed fields. PostgREST presents a function of one unnamed row as a column of that table, and not as a function
-- of /rpc.

create or replace function api.current_balance(api.accounts) returns numeric
  language sql stable
  return private.balance_on($1, current_date);
comment on function api.current_balance(api.accounts) is
  'Balance of the account today: the opening `balance`, from `opened_on` on, plus all paid transactions dated up to '
  'the end of today, including transfers. Today is UTC''s, or of the time zone in `Prefer: timezone=…`. Not part of '
  '`*`: `select=*,current_balance`';
grant execute on function api.current_balance(api.accounts) to authenticated;
