-- The line items of a transaction add up to at most its amount, compared without signs. They are whole amounts if its currency has no
-- decimals. Both are checked when the database transaction ends, so that a caller can change items one after another. A row trigger would
-- add up all items of a transaction once for each of them. So a statement notes the changed transactions in one row of
-- private.line_item_checks. The deferred trigger of that row adds up each transaction once and deletes the row.

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
    cross join lateral (select sum(abs(l.amount)) as total from api.line_items l where l.transaction_id = t.id) as items
    where items.total > abs(t.amount)
    limit 1;
  if found then
    raise check_violation using
      message = format('line items violate constraint "line_items_fit": they add up to %s, and their transaction to %s', found_sum.total, abs(found_sum.amount)),
      detail = format('The transaction is %s.', found_sum.id),
      hint = 'Amounts are compared without their signs. Lower an item first, or raise the transaction.',
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
  'Refuses a transaction whose line items add up to more than its amount, or have more decimals than its currency: 23514 (HTTP 400).';

create or replace function private.note_line_items() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  touched uuid[];
begin
  if tg_op = 'INSERT' then
    touched := array(select distinct transaction_id from written);
  else
    -- EXCEPT, because a join would keep the plan for the number of rows of its first run
    touched := array(
      select distinct changed.transaction_id
      from (select id, transaction_id, abs(amount) from written except select id, transaction_id, abs(amount) from overwritten) as changed);
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
comment on function private.check_line_items_of_transaction() is 'Checks the line items of a transaction whose amount became smaller, or whose currency changed.';
