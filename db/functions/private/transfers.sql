-- The two halves of a transfer are two transactions with one transfer_id. The half in the source account is negative, the half in the
-- destination account positive. Both have the same name, status, date and description, and the same amount, apart from the sign, if the
-- currency is the same. A caller changes or deletes one half, and these triggers apply the change to the other.
--
-- The triggers apply to requests. The owner of the database may restore halves and change them one by one. Only a deletion always
-- removes both.
--
-- A transfer_id is only valid within its tenant. Another tenant may have the same one: a former member stores rows with the ids that a team
-- has deleted, and the team undoes its deletion. So each look-up also compares the owner pairs.

create or replace function private.sync_transfer(tg_op text, old api.transactions, new api.transactions) returns void
  language plpgsql set search_path = ''
as $$
declare
  other api.transactions;
  before api.transactions;
begin
  -- create_transfer() names the transfer that it stores in this setting; no request can set it
  if tg_op = 'INSERT' and new.transfer_id::text = current_setting('private.transfer', true) then
    return;
  end if;
  -- One request may store both halves of a transfer again, as an export contains them. Their accounts may have been deleted since.
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
  -- One request may write both halves. Each half passes its changes to the other; if the other has a different value, the request
  -- contradicts itself. The trigger change_other_halves() handles a half that the request has not written.
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
  -- an update without changes would still be recorded
  if other <> before then
    update api.transactions
      set name = other.name, status = other.status, description = other.description, transaction_date = other.transaction_date,
        booked_on = other.booked_on, amount = other.amount
      where id = other.id;
  end if;
end
$$;
comment on function private.sync_transfer(text, api.transactions, api.transactions) is
  'Checks and completes a caller''s change of a half of a transfer. Refuses a transfer_id, except with both halves in one request, and a change after which the halves are no transfer. If a request writes both halves, applies the changes of one to the other.';

-- One statement for all halves, because a statement for each half would take longer than the writes themselves.
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
comment on function private.change_other_halves() is 'Applies the changes of a statement to the other halves of transfers, which the statement has not written.';

create or replace function private.refuse_category_on_transfer(p_transaction_id uuid) returns void
  language plpgsql set search_path = ''
as $$
begin
  raise invalid_parameter_value using
    message = 'a line item of a transfer has no category', detail = format('The transaction is %s.', p_transaction_id),
    hint = 'A transfer is neither income nor expense. Record interest or a fee as a transaction of its own.';
end
$$;
comment on function private.refuse_category_on_transfer(uuid) is 'Raises 22023 (HTTP 400) for a line item with a category on a half of a transfer.';

create or replace function private.refuse_categorized_items() returns trigger
  -- a plan from the time of few items would read all transactions
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
comment on function private.refuse_categorized_items() is 'Refuses line items with a category on a half of a transfer, where no report would count them.';

create or replace function private.parse_transfer_amount(p_amount numeric, p_name text) returns numeric
  language plpgsql immutable set search_path = ''
as $$
begin
  -- NaN compares greater than every number
  if p_amount is null or p_amount >= 1e12 or round(p_amount, 2) not between 0.01 and 999999999999.99 then
    perform private.invalid(
      format('%s is not the amount of a transfer: %s', p_name, coalesce(left(p_amount::text, 40), 'null')),
      'It is above 0, with 2 decimal places, and below 1,000,000,000,000.');
  end if;
  return round(p_amount, 2);
end
$$;
comment on function private.parse_transfer_amount(numeric, text) is
  'Returns the amount of a transfer that a client sent, rounded. Raises 400 with the name of the parameter for an invalid amount.';
grant execute on function private.parse_transfer_amount(numeric, text) to authenticated;
