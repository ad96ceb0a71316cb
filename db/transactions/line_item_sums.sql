-- after: core
-- The line items of a transaction add up with their signs to at most its amount, in its direction. They are whole
-- amounts if its currency has no decimals. Both are checked when the database transaction ends, so that a caller can
-- change items one after another. private.line_item_checks holds each changed transaction once, and the deferred
-- trigger of that row adds up its items.

create or replace function private.line_items_fit(p_total numeric, p_amount numeric) returns boolean
  language sql immutable parallel safe
  return coalesce(p_total between least(p_amount, 0) and greatest(p_amount, 0), true);
comment on function private.line_items_fit(numeric, numeric) is
  'Whether the sum of line items lies between 0 and the amount of their transaction. A transaction without line '
  'items has the sum null.';
grant execute on function private.line_items_fit(numeric, numeric) to authenticated;

create or replace function private.check_line_items_later(p_transaction_id uuid) returns void
  language sql volatile security definer set search_path = ''
begin atomic
  insert into private.line_item_checks (transaction_id) values (p_transaction_id) on conflict do nothing;
end;
comment on function private.check_line_items_later(uuid) is
  'Notes that the line items of a transaction must be checked when the database transaction ends.';
grant execute on function private.check_line_items_later(uuid) to authenticated;

create or replace function private.check_line_items() returns trigger
  -- a plan from the time of few items would read all of them
  language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
declare
  owner record;
  items record;
begin
  delete from private.line_item_checks where transaction_id = new.transaction_id;
  select t.amount, t.currency into owner from api.transactions t where t.id = new.transaction_id;
  select sum(l.amount) as total,
      min(l.amount) filter (where l.amount <> trunc(l.amount)) as not_whole
    into items from api.line_items l where l.transaction_id = new.transaction_id;
  if not private.line_items_fit(items.total, owner.amount) then
    raise check_violation using
      message = format(
        'line items violate constraint "line_items_fit": they total %s, but the transaction amount is %s',
        items.total, owner.amount),
      detail = format('Transaction ID: %s', new.transaction_id),
      hint = case
        when owner.amount = 0 then 'The line items of a transaction of 0 must total 0.'
        when sign(items.total) = sign(owner.amount) then
          'Line items are added up with their signs. Lower an item first, or raise the transaction amount.'
        else
          'Line items are added up with their signs: those of an expense are negative, and a coupon or refund among '
          'them is positive. Delete the line items before you change the sign of their transaction.'
      end,
      table = 'line_items', schema = 'api', constraint = 'line_items_fit';
  end if;
  if items.not_whole is not null and private.currency_decimals(owner.currency) = 0 then
    raise check_violation using
      message = format(
        'line items violate constraint "line_items_amount_fits_currency": %s is not a whole number, but '
        'their transaction is in %s', items.not_whole, upper(owner.currency)),
      detail = format('Transaction ID: %s', new.transaction_id),
      hint = format('The amounts of its line items must be whole numbers, because %s has no decimals. Change the '
        'items before the currency.', upper(owner.currency)),
      table = 'line_items', schema = 'api', constraint = 'line_items_amount_fits_currency';
  end if;
  return null;
end
$$;
comment on function private.check_line_items() is
  'Refuses line items that do not add up to a part of the amount of their transaction, or have more decimals than its '
  'currency: 23514 (HTTP 400).';

comment on table private.line_item_checks is
  'Transactions with changed line items, which the end of the database transaction checks. Outside of a transaction '
  'the table is empty.';
create constraint trigger line_item_checks_check
  after insert on private.line_item_checks
  deferrable initially deferred
  for each row execute function private.check_line_items();
