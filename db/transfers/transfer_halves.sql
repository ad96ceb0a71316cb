-- after: transactions/tables
-- The two halves of a transfer are two transactions with one transfer_id. The half in the source account is negative,
-- the half in the destination account positive. Both have the same amount, apart from the sign, if the currency is
-- the same. A caller changes or deletes one half, and these triggers apply the change to the other. If the other half
-- is in no account of the context, the half has the id of its transaction as transfer_id. It may change freely, and
-- link_transfer() or an import may link it later.
--
-- create_transfer() stores both halves with the same name, status, date and description. Linked halves may differ in
-- these.
--
-- The triggers apply to requests. The owner of the database may restore halves and change them one by one. Only a
-- deletion always removes both.
--
-- A transfer_id is only valid within its tenant. Another tenant may have the same one: a former member stores rows
-- with the ids that a team has deleted, and the team undoes its deletion. So each look-up also compares the owner
-- pairs.

create or replace function private.check_transfer(tg_op text, old api.transactions, new api.transactions) returns void
  language plpgsql security definer set search_path = ''
as $$
declare
  other api.transactions;
begin
  -- store_transfer(), link_transfer() and an import name what they store in these settings; no request can set them
  if (tg_op = 'INSERT' or old.transfer_id is distinct from new.transfer_id)
    and coalesce(new.transfer_id, old.transfer_id)::text = current_setting('private.transfer', true)
    or tg_op = 'INSERT' and new.import_id::text = current_setting('private.import', true) then
    return;
  end if;
  -- a transfer without another half, before and after the change
  if coalesce(nullif(new.transfer_id, new.id), nullif(old.transfer_id, old.id)) is null and not exists (
    select from api.transactions t
    where t.transfer_id = new.id and t.id <> new.id and t.tenant = new.tenant
  ) then
    return;
  end if;
  -- One request may store both halves of a transfer again, as an export contains them. Their accounts may have been
  -- deleted since.
  if tg_op = 'INSERT' and 2 = (
    select count(*) from api.transactions t
    where t.transfer_id = new.transfer_id and t.tenant = new.tenant
  ) and exists (
    select from api.transactions half
    where half.transfer_id = new.transfer_id and half.id not in (new.id, new.transfer_id) and half.created_at = now()
      and half.tenant = new.tenant
      -- the halves of a linked transfer have names and days of their own
      and (half.account_id <> new.account_id) is not false
      and sign(half.amount) * sign(new.amount) < 0 and (half.currency <> new.currency or half.amount = - new.amount)
  ) then
    return;
  end if;
  if tg_op = 'INSERT' or old.transfer_id is distinct from new.transfer_id then
    perform private.invalid('transfer_id can''t be set or changed',
      'Omit it. To create a transfer, use POST /rpc/create_transfer. Deleting one side deletes both. In a transfer '
      'without another side, it is the id of the transaction.');
  end if;
  if sign(new.amount) <> sign(old.amount) then
    perform private.invalid('you can''t reverse one side of a transfer',
      format('The amount must stay %s 0. To reverse the transfer, delete it and create another.',
        case when old.amount < 0 then 'below' else 'above' end));
  end if;
  if new.currency <> old.currency then
    perform private.invalid('you can''t change the currency of one side of a transfer',
      'Delete the transfer and create another.');
  end if;
  -- The deletion of the account also clears it. Before PostgreSQL 18 the trigger then runs as the caller.
  if new.account_id is null and exists (
    select from api.accounts a where a.tenant = old.tenant and a.id = old.account_id
  ) then
    perform private.invalid('each side of a transfer needs an account',
      'account_id must be another account in the same workspace and currency.');
  end if;

  select * into other from api.transactions t
    where t.transfer_id = new.transfer_id and t.id <> new.id and t.tenant = new.tenant;
  if new.account_id = other.account_id then
    perform private.invalid('the two sides of a transfer must be in different accounts',
      'account_id must be another account in the same workspace and currency.');
  end if;
  -- The trigger change_other_halves() passes changes on. Here a half whose request has also written the other half,
  -- with another amount, is refused.
  if new.amount <> old.amount and other.currency = new.currency and - other.amount not in (old.amount, new.amount)
    and exists (select from api.transactions where id = other.id and updated_at = now()) then
    perform private.reject_different_halves();
  end if;
end
$$;
comment on function private.check_transfer(text, api.transactions, api.transactions) is
  'Checks a caller''s change of a half of a transfer. Refuses a transfer_id, except with both halves in one '
  'request, and a change after which the halves are no transfer.';
grant execute on function private.check_transfer(text, api.transactions, api.transactions) to authenticated;

create or replace function private.reject_different_halves() returns void
  language plpgsql set search_path = ''
as $$
begin
  perform private.invalid('the two sides of the transfer don''t match',
    'Change only one of them, or both in the same way.');
end
$$;
comment on function private.reject_different_halves() is
  'Raises 400 for a request that changes the two halves of a transfer differently.';

create or replace function private.shared_values(half api.transactions) returns jsonb
  language sql immutable
  return jsonb_build_object(
    'name', half.name,
    'status', half.status,
    'description', half.description,
    'day', jsonb_build_array(half.transaction_date, half.booked_on));
comment on function private.shared_values(api.transactions) is
  'The values that one half of a transfer passes to the other, if both had the same.';

-- A field that was equal in both halves stays equal, and one that differed stays apart. So the halves of
-- create_transfer() change together, and the halves that two banks have booked keep their own names and days. The
-- amount is always equal, if the currency is the same.
--
-- One statement changes all halves, because a statement for each half would take longer than the writes themselves. A
-- connection keeps the plan of its first run, perhaps for one row; an inner join of old and new rows would then
-- compare each row with every other row.
create or replace function private.change_other_halves() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  contradicts boolean;
begin
  -- an import says what one bank has booked, and leaves the other account as it is
  if coalesce(current_setting('private.import', true), '') <> ''
    or not exists (select from new_rows where transfer_id is not null) then
    return null;
  end if;
  with changes as materialized (
    select n.id, n.transfer_id, n.tenant, n.currency, o.amount as old_amount, n.amount,
      private.shared_values(o) as was, private.shared_values(n) as becomes
    from old_rows o full join new_rows n on n.id = o.id
    where n.transfer_id is not null and o.transfer_id = n.transfer_id
  ), halves as materialized (
    select c.*, other.id as other_id,
      coalesce(lag(c.was) over w, lead(c.was) over w, private.shared_values(other)) as other_was,
      coalesce(lag(c.becomes) over w, lead(c.becomes) over w, private.shared_values(other)) as other_becomes,
      case
        when other.currency = c.currency and c.amount <> c.old_amount and other.amount <> - c.amount then - c.amount
        else other.amount
      end as other_amount,
      other.amount as other_old_amount
    from changes c
    join api.transactions other on other.transfer_id = c.transfer_id and other.id <> c.id
      and other.tenant = c.tenant
    window w as (partition by c.transfer_id, c.tenant order by c.id)
  ), passed as materialized (
    select h.*, p.fields, coalesce(p.contradicts, false) as contradicts
    from halves h
    cross join lateral (
      select jsonb_object_agg(b.key, b.value) as fields,
        bool_or(h.other_becomes -> b.key not in (h.was -> b.key, b.value)) as contradicts
      from jsonb_each(h.becomes) b
      where b.value <> h.was -> b.key and h.was -> b.key = h.other_was -> b.key
    ) p
    where h.was <> h.becomes or h.other_amount <> h.other_old_amount
  ), updated as (
    update api.transactions t
      set name = coalesce(p.fields ->> 'name', t.name), status = coalesce(p.fields ->> 'status', t.status),
        description = case when p.fields ? 'description' then p.fields ->> 'description' else t.description end,
        transaction_date = coalesce((p.fields -> 'day' ->> 0)::timestamptz, t.transaction_date),
        booked_on = case when p.fields ? 'day' then (p.fields -> 'day' ->> 1)::date else t.booked_on end,
        amount = p.other_amount
      from passed p
      -- an update without changes would still be recorded
      where t.id = p.other_id and not p.contradicts
        and (p.other_amount <> p.other_old_amount or not p.other_becomes @> coalesce(p.fields, '{}'))
  )
  select bool_or(p.contradicts) into contradicts from passed p;
  if contradicts then
    perform private.reject_different_halves();
  end if;
  return null;
end
$$;
comment on function private.change_other_halves() is
  'Passes the changes of a statement to the other halves of transfers, where both had the same value.';

create or replace function private.reject_category_on_transfer(p_transaction_id uuid) returns void
  language plpgsql set search_path = ''
as $$
begin
  raise invalid_parameter_value using
    message = 'a line item of a transfer can''t have a category',
    detail = format('Transaction ID: %s', p_transaction_id),
    hint = 'A transfer is neither income nor expense. Record interest or a fee as a separate transaction.';
end
$$;
comment on function private.reject_category_on_transfer(uuid) is
  'Raises 22023 (HTTP 400) for a line item with a category on a half of a transfer.';

create or replace function private.reject_items_of_half(p_transaction_id uuid) returns void
  language plpgsql security definer set search_path = ''
as $$
begin
  if exists (select from api.line_items where transaction_id = p_transaction_id and category_id is not null) then
    perform private.reject_category_on_transfer(p_transaction_id);
  end if;
end
$$;
comment on function private.reject_items_of_half(uuid) is
  'Refuses to make a half of a transfer of a transaction that has line items with a category.';

create or replace function private.reject_item_of_half(p_transaction_id uuid) returns void
  language plpgsql security definer set search_path = ''
as $$
begin
  if exists (select from api.transactions where id = p_transaction_id and transfer_id is not null) then
    perform private.reject_category_on_transfer(p_transaction_id);
  end if;
end
$$;
comment on function private.reject_item_of_half(uuid) is
  'Refuses a line item with a category on a half of a transfer, where no report would count it.';
grant execute on function private.reject_category_on_transfer(uuid), private.reject_items_of_half(uuid),
  private.reject_item_of_half(uuid) to authenticated;

create or replace function private.parse_transfer_amount(p_amount text, p_name text) returns numeric
  language plpgsql immutable set search_path = ''
as $$
declare
  amount constant numeric := private.read_number(p_amount);
begin
  -- NaN compares greater than every number
  if amount is null or amount >= 1e12 or round(amount, 2) not between 0.01 and 999999999999.99 then
    perform private.invalid(
      format('%s is not a valid transfer amount: %s', p_name, coalesce(left(p_amount, 40), 'null')),
      'Must be above 0 and below 1,000,000,000,000, with up to 2 decimal places.');
  end if;
  return round(amount, 2);
end
$$;
comment on function private.parse_transfer_amount(text, text) is
  'Returns the amount of a transfer that a client sent, rounded. Raises 400 with the name of the parameter for an '
  'invalid amount.';
grant execute on function private.parse_transfer_amount(text, text) to authenticated;

create or replace function private.store_transfer(
  p_origin api.accounts, p_destination api.accounts, p_outgoing numeric, p_incoming numeric, p_template api.transactions
) returns setof api.transactions
  language plpgsql volatile set search_path = ''
as $$
declare
  transfer constant uuid := gen_random_uuid();
begin
  perform set_config('private.transfer', transfer::text, true);
  return query
    with stored as (
      insert into api.transactions (
        amount, name, currency, status, organization_id, account_id, transfer_id,
        source, external_id, transaction_date, booked_on, subscription_id, due_on)
      select half.amount, p_template.name, half.currency, p_template.status, p_origin.organization_id, half.account_id,
        transfer, p_template.source, p_template.external_id || half.suffix, p_template.transaction_date,
        p_template.booked_on, p_template.subscription_id, p_template.due_on
      from (
        values
          (- p_outgoing, p_origin.currency, p_origin.id, ''),
          (p_incoming, p_destination.currency, p_destination.id, ':to')
      ) as half (amount, currency, account_id, suffix)
      returning *
    )
    select * from stored order by stored.amount;
  perform set_config('private.transfer', '', true);
end
$$;
comment on function private.store_transfer(api.accounts, api.accounts, numeric, numeric, api.transactions) is
  'Stores the two halves of a transfer with the caller''s rights and returns them, first the outgoing one. Name, '
  'status, source, day and marks are those of p_template.';
grant execute on function private.store_transfer(api.accounts, api.accounts, numeric, numeric, api.transactions)
  to authenticated;
