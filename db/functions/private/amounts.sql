-- How an amount is stored: below 10^12 and with two decimals; more are rounded half away from zero, unless they are decimals of its
-- currency. The columns themselves have no scale, because PostgREST reads a request into the type of the column: a trigger would see
-- 1.23 where 1.234 was sent. db/rules/_currencies.sql gives each amount the triggers that call these.

-- A plan made while there were few transactions would read all of them for each line item.
create or replace function private.currency_of_transaction(p_id uuid) returns text
  language sql stable set enable_seqscan = off
begin atomic
  select currency from api.transactions where id = p_id;
end;
comment on function private.currency_of_transaction(uuid) is 'The currency of a transaction that the caller sees.';
grant execute on function private.currency_of_transaction(uuid) to authenticated;

create or replace function private.refuse_overflow() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  raise numeric_value_out_of_range using
    message = 'numeric field overflow',
    detail = 'A field with precision 14, scale 2 must round to an absolute value less than 10^12.',
    hint = private.what_fits(tg_relid, tg_argv[0]);
end
$$;
comment on function private.refuse_overflow() is
  'Refuses an amount that is too large, as the type numeric(14,2) would: 22003 (HTTP 400). The trigger''s condition says when; its argument is the column.';

create or replace function private.round_amount() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  new.amount := round(new.amount, 2);
  return new;
end
$$;
comment on function private.round_amount() is 'Stores an amount with two decimals, neither more nor less, so that all are printed alike.';

create or replace function private.round_balance() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  new.balance := round(new.balance, 2);
  return new;
end
$$;
comment on function private.round_balance() is 'Stores the opening balance of an account with two decimals, as round_amount().';

create or replace function private.round_monthly_budget() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  new.monthly_budget := round(new.monthly_budget, 2);
  return new;
end
$$;
comment on function private.round_monthly_budget() is 'Stores the budget of a category with two decimals, as round_amount().';
