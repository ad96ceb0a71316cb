-- The line items of a transaction add up with their signs to at most its amount, in its direction. They are whole amounts if its currency has
-- no decimals. Both are checked when the database transaction ends, so that a caller can change items one after another. A row trigger would
-- add up all items of a transaction once for each of them. So a statement notes the changed transactions in one row of
-- private.line_item_checks. The deferred trigger of that row adds up each transaction once and deletes the row.

create or replace function private.line_items_fit(p_total numeric, p_amount numeric) returns boolean
  language sql immutable parallel safe
  return coalesce(p_total between least(p_amount, 0) and greatest(p_amount, 0), true);
comment on function private.line_items_fit(numeric, numeric) is
  'Whether the sum of line items lies between 0 and the amount of their transaction. A transaction without line items has the sum null.';
grant execute on function private.line_items_fit(numeric, numeric) to authenticated;

create or replace function private.require_line_items_fit(p_transaction_ids uuid[]) returns void
  -- a plan from the time of small tables would read all of them for each transaction
  language plpgsql volatile set search_path = '' set enable_seqscan = off
as $$
declare
  found_sum record;
  found_item record;
begin
  select t.id, t.amount, items.total into found_sum
    from unnest(p_transaction_ids) as touched (id)
    join api.transactions t on t.id = touched.id
    cross join lateral (select sum(l.amount) as total from api.line_items l where l.transaction_id = t.id) as items
    where not private.line_items_fit(items.total, t.amount)
    limit 1;
  if found then
    raise check_violation using
      message = format('line items violate constraint "line_items_fit": they add up to %s, and their transaction to %s', found_sum.total, found_sum.amount),
      detail = format('The transaction is %s.', found_sum.id),
      hint = case
        when found_sum.amount = 0 then 'The line items of a transaction of 0 add up to 0.'
        when sign(found_sum.total) = sign(found_sum.amount) then 'Line items add up with their signs. Lower an item first, or raise the transaction.'
        else 'Line items add up with their signs: those of an expense are negative, and a coupon or refund among them is positive. Delete the line items of a transaction before it changes its sign.'
      end,
      table = 'line_items', schema = 'api', constraint = 'line_items_fit';
  end if;
  select t.id, t.currency, l.amount into found_item
    from unnest(p_transaction_ids) as touched (id)
    join api.transactions t on t.id = touched.id and private.currency_decimals(t.currency) = 0
    join api.line_items l on l.transaction_id = t.id and l.amount <> trunc(l.amount)
    limit 1;
  if found then
    raise check_violation using
      message = format('line items violate constraint "line_items_amount_fits_currency": %s is no whole number, and their transaction is of %s',
        found_item.amount, found_item.currency),
      detail = format('The transaction is %s.', found_item.id),
      hint = format('The amounts of its line items are whole numbers, because %s has no decimals. Change the items before the currency.', found_item.currency),
      table = 'line_items', schema = 'api', constraint = 'line_items_amount_fits_currency';
  end if;
end
$$;
comment on function private.require_line_items_fit(uuid[]) is
  'Refuses a transaction whose line items do not add up to a part of its amount, or have more decimals than its currency: 23514 (HTTP 400).';

create or replace function private.note_line_items() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  touched uuid[];
begin
  if tg_op <> 'UPDATE' then
    touched := array(select distinct transaction_id from written);
  else
    -- EXCEPT, because a join would keep the plan for the number of rows of its first run
    touched := array(
      -- an item that moves to another transaction also changes the sum of the former one
      select transaction_id from (select id, transaction_id, amount from written except select id, transaction_id, amount from overwritten) as became
      union
      select transaction_id from (select id, transaction_id, amount from overwritten except select id, transaction_id, amount from written) as was);
  end if;
  if touched <> '{}' then
    insert into private.line_item_checks (transaction_ids) values (touched);
  end if;
  return null;
end
$$;
comment on function private.note_line_items() is 'Notes the transactions whose line items a statement has written, for check_line_items().';

create or replace function private.check_line_items() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  perform private.require_line_items_fit(new.transaction_ids);
  delete from private.line_item_checks where id = new.id;
  return null;
end
$$;
comment on function private.check_line_items() is 'Checks the sums of the line items that a statement has changed.';

create or replace function private.check_line_items_of_transaction() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  perform private.require_line_items_fit(array[new.id]);
  return null;
end
$$;
comment on function private.check_line_items_of_transaction() is 'Checks the line items of a transaction whose amount became smaller or changed its sign, or whose currency changed.';
