-- The two halves of a transfer are two transactions with one transfer_id: what leaves one account is negative, what reaches
-- the other positive. Name, status, date and description are the same in both, and so is the amount, by magnitude, where the
-- currency is the same. A caller changes or deletes one half, and the triggers here do the same to the other.
--
-- They bind the callers of the data surface. The owner of the database may restore halves and change them one by one; only
-- deleting takes both along, whoever deletes.
--
-- A transfer_id says nothing outside its tenant. Another tenant may have the same one: a former member posts the ids that a team has
-- deleted, and the team takes its deletion back. So each look-up compares the owner pairs too.

create or replace function private.keep_transfer(tg_op text, old api.transactions, new api.transactions) returns void
  language plpgsql set search_path = ''
as $$
declare
  other api.transactions;
  before api.transactions;
begin
  -- create_transfer() says in this setting which transfer it is storing; no request can set it
  if tg_op = 'INSERT' and new.transfer_id::text = current_setting('private.transfer', true) then
    return;
  end if;
  -- both halves of one request that are a transfer already, as somebody's export has them; an account of it may have been deleted
  if tg_op = 'INSERT' and 2 = (
    select count(*) from api.transactions t
    where t.transfer_id = new.transfer_id and private.same_tenant(t.user_id, t.organization_id, new.user_id, new.organization_id)
  ) and exists (
    select from api.transactions half
    where half.transfer_id = new.transfer_id and half.id <> new.id and half.xmin = pg_current_xact_id()::xid
      and private.same_tenant(half.user_id, half.organization_id, new.user_id, new.organization_id)
      and (half.name, half.status, half.description, half.transaction_date, half.booked_on)
        is not distinct from (new.name, new.status, new.description, new.transaction_date, new.booked_on)
      and (half.account_id <> new.account_id) is not false
      and sign(half.amount) * sign(new.amount) < 0 and (half.currency <> new.currency or half.amount = - new.amount)
  ) then
    return;
  end if;
  if tg_op = 'INSERT' or old.transfer_id is distinct from new.transfer_id then
    perform private.invalid('transfer_id cannot be set or changed', 'Leave it out. POST /rpc/create_transfer makes a transfer; deleting one half deletes both.');
  end if;
  if sign(new.amount) <> sign(old.amount) then
    perform private.invalid('a half of a transfer keeps its direction',
      format('The amount stays %s 0. Delete the transfer and create another to turn it round.', case when old.amount < 0 then 'below' else 'above' end));
  end if;
  if new.currency <> old.currency then
    perform private.invalid('a half of a transfer keeps its currency', 'Delete the transfer and create another.');
  end if;
  if new.account_id is null and old.account_id is not null then
    perform private.invalid('a half of a transfer is in an account', 'account_id is another account of the same context and currency.');
  end if;

  select * into other from api.transactions t
    where t.transfer_id = new.transfer_id and t.id <> new.id and private.same_tenant(t.user_id, t.organization_id, new.user_id, new.organization_id);
  if new.account_id = other.account_id then
    perform private.invalid('the two halves of a transfer are in different accounts', 'account_id is another account of the same context and currency.');
  end if;
  -- One request may write both halves. Each hands on what it changes; where the other says something else yet, none is right. A
  -- half that the request has not written is change_other_halves()'s.
  if not exists (select from api.transactions where id = other.id and xmin = pg_current_xact_id()::xid) then
    return;
  end if;
  if exists (
    select
    from (
      values (old.name, new.name, other.name), (old.status, new.status, other.status), (old.description, new.description, other.description),
        (old.transaction_date::text, new.transaction_date::text, other.transaction_date::text),
        (old.booked_on::text, new.booked_on::text, other.booked_on::text),
        (old.amount::text, new.amount::text, case when other.currency = new.currency then (- other.amount)::text else new.amount::text end)
    ) as field (was, becomes, others)
    where was is distinct from becomes and others is distinct from was and others is distinct from becomes
  ) then
    perform private.invalid('the two halves of a transfer say different things', 'Change one of them, or both in the same way.');
  end if;
  before := other;
  if new.name <> old.name then
    other.name := new.name;
  end if;
  if new.status <> old.status then
    other.status := new.status;
  end if;
  if new.description is distinct from old.description then
    other.description := new.description;
  end if;
  if new.transaction_date <> old.transaction_date then
    other.transaction_date := new.transaction_date;
  end if;
  if new.booked_on is distinct from old.booked_on then
    other.booked_on := new.booked_on;
  end if;
  if new.amount <> old.amount and other.currency = new.currency then
    other.amount := - new.amount;
  end if;
  -- a statement that changes nothing would still be recorded as one
  if other <> before then
    update api.transactions
      set name = other.name, status = other.status, description = other.description, transaction_date = other.transaction_date,
        booked_on = other.booked_on, amount = other.amount
      where id = other.id;
  end if;
end
$$;
comment on function private.keep_transfer(text, api.transactions, api.transactions) is
  'Refuses a transfer_id that a caller sends, unless with both halves of a transfer at once, and a change that would make two halves no transfer any more; where a request writes both halves, makes what it changes in one in the other.';

-- All at once, because a statement for each half takes longer than what it writes.
create or replace function private.change_other_halves() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if exists (select from written where transfer_id is not null) then
    update api.transactions other
      set name = half.name, status = half.status, description = half.description, transaction_date = half.transaction_date, booked_on = half.booked_on,
        amount = case when other.currency = half.currency then - half.amount else other.amount end
      from written half
      where other.transfer_id = half.transfer_id and other.id <> half.id
        and private.same_tenant(other.user_id, other.organization_id, half.user_id, half.organization_id)
        and other.xmin <> pg_current_xact_id()::xid
        and ((other.name, other.status, other.description, other.transaction_date, other.booked_on)
            is distinct from (half.name, half.status, half.description, half.transaction_date, half.booked_on)
          or other.currency = half.currency and other.amount <> - half.amount);
  end if;
  return null;
end
$$;
comment on function private.change_other_halves() is 'Makes what a statement has changed in one half of a transfer in the other, which it has not written.';

create or replace function private.refuse_category_on_transfer(p_transaction_id uuid) returns void
  language plpgsql set search_path = ''
as $$
begin
  raise invalid_parameter_value using
    message = 'a line item of a transfer has no category', detail = format('The transaction is %s.', p_transaction_id),
    hint = 'A transfer is neither income nor expense. Record interest or a fee as a transaction of its own.';
end
$$;
comment on function private.refuse_category_on_transfer(uuid) is 'Raises 22023 (HTTP 400) where a line item with a category would be on a half of a transfer.';

create or replace function private.keep_items_of_transfer() returns trigger
  -- a plan that was made for a few items would read all transactions
  language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
declare
  half uuid;
begin
  select t.id into half from written w join api.transactions t on t.id = w.transaction_id where w.category_id is not null and t.transfer_id is not null limit 1;
  if found then
    perform private.refuse_category_on_transfer(half);
  end if;
  return null;
end
$$;
comment on function private.keep_items_of_transfer() is 'Refuses line items with a category on a half of a transfer, where they would count nowhere.';

create or replace function private.transferred(p_amount numeric, p_name text) returns numeric
  language plpgsql immutable set search_path = ''
as $$
begin
  -- NaN is greater than every number
  if p_amount is null or p_amount >= 1e12 or round(p_amount, 2) not between 0.01 and 999999999999.99 then
    perform private.invalid(
      format('%s is not the amount of a transfer: %s', p_name, coalesce(left(p_amount::text, 40), 'null')),
      'It is above 0, with 2 decimal places, and below 1,000,000,000,000.');
  end if;
  return round(p_amount, 2);
end
$$;
comment on function private.transferred(numeric, text) is 'The amount of a transfer that a client sent, rounded, or 400 with its name.';
grant execute on function private.transferred(numeric, text) to authenticated;
