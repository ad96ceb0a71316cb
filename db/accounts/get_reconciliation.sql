-- after: accounts/tables

create or replace function api.get_reconciliation(p_account_id uuid)
  returns table (on_date date, stated numeric, computed numeric, difference numeric, transactions bigint)
  language plpgsql stable set search_path = '' set enable_seqscan = off set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  account api.accounts;
  next_days date[];
begin
  select * into account from api.accounts where id = p_account_id;
  if not found then
    raise sqlstate 'PT404' using message = 'account not found',
      hint = 'p_account_id must be the ID of an account you can access.';
  end if;
  next_days := array(select b.on_date + 1 from api.balances b where b.account_id = p_account_id order by b.on_date);
  return query
    with moved as (
      -- the transactions after one stated balance and until the next
      select width_bucket(coalesce(t.booked_on, t.transaction_date::date), next_days) + 1 as number,
        sum(t.amount) as amount, count(*) as count
      from api.transactions t
      where t.account_id = p_account_id and t.status = 'paid'
      group by 1
    ), computed as (
      select b.on_date, b.balance as stated, coalesce(m.count, 0) as count,
        case when account.opened_on > b.on_date then 0.00
          else account.balance end + sum(coalesce(m.amount, 0.00)) over (order by b.on_date) as computed
      from (
        select b.*, row_number() over (order by b.on_date) as number
        from api.balances b
        where b.account_id = p_account_id
      ) b
      left join moved m on m.number = b.number
    )
    select c.on_date::date, c.stated::numeric, c.computed, c.stated - c.computed, c.count
    from computed c
    order by c.on_date;
end
$$;
comment on function api.get_reconciliation(uuid) is
  E'The stated balances of an account, compared with its transactions\n\n'
  '`p_account_id` is an account you see. One row for each of its rows in `balances`, oldest first: `on_date`, '
  '`stated` (the balance that the bank or a user stated), `computed` (the opening balance and all paid '
  'transactions until the end of that day), `difference` (stated less computed), `transactions` (the number of '
  'paid transactions after the row before and until this day; in the first row, of all until this day).\n\n'
  'A difference that first appears in a row belongs to the transactions that this row counts: one of them is wrong, '
  'missing or there twice. The day of a transaction is its `booked_on`, or otherwise the day of its moment in UTC or '
  'in the time zone of `Prefer: timezone=…`. 404 for an account that you do not see.';
grant execute on function api.get_reconciliation(uuid) to authenticated;
