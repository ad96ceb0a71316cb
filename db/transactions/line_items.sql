-- after: accounts/closed_days, activity/activity_rows, transactions/line_item_sums, transfers/transfer_halves
-- Line items of transactions.

comment on table api.line_items is
$$Line items of transactions

Visible and writable like their transaction, and deleted with it. Read them with
`/transactions?select=*,line_items(*)`, or `/line_items?transaction_id=eq.<id>`.

They add up with their signs to at most the amount of their transaction, in its direction: −60, −40 and +15 fit an
expense of −85. Those of a transaction of 0 add up to 0. Otherwise 400 `23514`. Send the line items that fit only
together in one request. A transaction that changes its sign must have no line items.

A half of a transfer is neither income nor expense, so its line items have no category: 400 `22023`.$$;
comment on column api.line_items.id is 'Identifier';
comment on column api.line_items.transaction_id is 'Id of its transaction';
comment on column api.line_items.name is 'Name, 1 to 255 characters, not only blanks';
comment on column api.line_items.amount is
  'Amount in the transaction''s currency, with its own sign: negative in an expense, positive for a coupon or refund '
  'there. Up to 2 decimal places; further ones are rounded half away from zero. In a currency with 3 decimals, such '
  'as `kwd`, a third is rejected; in one without decimals, such as `jpy`, it must be a whole number';
comment on column api.line_items.quantity is 'Quantity: a number with 3 decimal places';
comment on column api.line_items.category_id is 'Id of a category in the transaction''s workspace';
comment on column api.line_items.user_id is
  'Owner of its transaction, if that is personal. Filled from it; cannot be changed';
comment on column api.line_items.organization_id is 'The team of its transaction. Filled from it; cannot be changed';
comment on column api.line_items.tenant is
  'The owner of the row: `o:` and the organization''s id, or `u:` and the user''s id for a personal row. Set by the '
  'service. `tenant=eq.…` lists one workspace';

alter table api.line_items enable row level security;
create policy line_items_read on api.line_items for select to authenticated
  using (private.is_not_explained()
    and (tenant = (select private.personal_tenant())
      or tenant = (select private.team_tenant('line_items', 'list'))));
create policy line_items_create on api.line_items for insert to authenticated
  with check (
    case
      when tenant = (select private.personal_tenant())
        or tenant = (select private.team_tenant('line_items', 'create')) then true
      else private.deny('line_items')
    end);
create policy line_items_update on api.line_items for update to authenticated
  using (tenant = (select private.personal_tenant())
    or tenant = (select private.team_tenant('line_items', 'list')))
  with check (
    case
      when tenant = (select private.personal_tenant())
        or tenant = (select private.team_tenant('line_items', 'update')) then true
      else private.deny('line_items')
    end);
create policy line_items_delete on api.line_items for delete to authenticated
  using (tenant = (select private.personal_tenant())
    or tenant = (select private.team_tenant('line_items', 'list')));
insert into private.role_permissions (role, resource, action) select role, 'line_items', action from usual_rights;
grant select on api.line_items to anon;
grant select, insert, update, delete on api.line_items to authenticated;

-- Over 80 lines, because it names each check of a column.
create or replace function private.line_items_before_row() returns trigger
  language plpgsql set search_path = ''
as $$
declare
  by_caller constant boolean := current_user = 'authenticated';
  owner record;
  broken text;
begin
  if private.count_exceeds_limit(tg_op) then
    perform private.reject_many_rows();
  end if;
  if tg_op = 'DELETE' then
    if by_caller and old.organization_id is not null and not private.can('line_items', 'delete') then
      perform private.deny('line_items');
    end if;
    -- the deletion of a transaction deletes its line items inside a trigger, and leaves nothing to add up
    if pg_trigger_depth() = 1 then
      perform private.check_line_items_later(old.transaction_id);
    end if;
    if private.has_closed_days() then
      perform private.require_open_days(array[old.transaction_id]);
    end if;
    return old;
  end if;
  if tg_op = 'INSERT' then
    if by_caller and private.may_name_row() then
      perform private.reject_hidden_row('line_items', new.id);
    end if;
    owner := private.owner_of_part('line_items', new.transaction_id);
    if coalesce(new.user_id, owner.user_id) is distinct from owner.user_id
      or coalesce(new.organization_id, owner.organization_id) is distinct from owner.organization_id then
      if by_caller then
        perform private.deny('line_items');
      end if;
      -- another tenant may have the transaction's id by now, if this is an undo
      perform private.reject_reference('line_items', 'transaction_id', 'transactions');
    end if;
    new.user_id := owner.user_id;
    new.organization_id := owner.organization_id;
  else
    if new.transaction_id <> old.transaction_id
      or (new.user_id, new.organization_id) is distinct from (old.user_id, old.organization_id) then
      owner := private.owner_of_part('line_items', new.transaction_id);
      -- a part moves only within its tenant; its owner pair changes only with that of its transaction
      if (by_caller or new.transaction_id <> old.transaction_id)
        and (old.user_id, old.organization_id) is distinct from (owner.user_id, owner.organization_id) then
        perform private.reject_reference('line_items', 'transaction_id', 'transactions');
      end if;
      if not by_caller then
        new.user_id := owner.user_id;
        new.organization_id := owner.organization_id;
      end if;
    end if;
    if by_caller and (old.id <> new.id or old.user_id is distinct from new.user_id
      or old.organization_id is distinct from new.organization_id) then
      perform private.deny('line_items');
    end if;
  end if;
  new.tenant := private.tenant_of(new.user_id, new.organization_id);
  if tg_op = 'INSERT' and by_caller and private.is_merge() then
    perform private.reject_repeated_row(new.id::text);
  end if;
  if abs(new.amount) >= 999999999999.995 and new.amount <> 'NaN' then
    perform private.reject_overflow(tg_relid, 'amount');
  end if;
  if scale(new.amount) > 2 and not private.fits_cents(new.amount, private.currency_of_transaction(new.transaction_id))
    and by_caller then
    perform private.reject_row(tg_relid, tg_op, new, 'line_items_amount_fits_currency');
  end if;
  new.amount := round(new.amount, 2);
  if by_caller then
    broken := case
      when new.id is null then 'id'
      when new.transaction_id is null then 'transaction_id'
      when new.name is null then 'name'
      when new.amount is null then 'amount'
      when new.quantity is null then 'quantity'
      when new.amount = 'NaN' then 'line_items_amount_is_number'
      when num_nonnulls(new.user_id, new.organization_id) <> 1 then 'line_items_have_one_owner'
      when not private.is_name(new.name, old.name) then 'line_items_name_length'
      when new.quantity = 'NaN' then 'line_items_quantity_is_number'
    end;
    if broken is not null then
      perform private.reject_row(tg_relid, tg_op, new, broken);
    end if;
    if new.category_id is not null then
      perform private.reject_item_of_half(new.transaction_id);
    end if;
  end if;
  if new.category_id is not null and new.category_id is distinct from old.category_id then
    perform private.check_category('line_items', tg_op, new.tenant, new.category_id);
  end if;
  if (old.transaction_id, old.amount) is distinct from (new.transaction_id, new.amount) then
    perform private.check_line_items_later(new.transaction_id);
    if new.transaction_id <> old.transaction_id then
      perform private.check_line_items_later(old.transaction_id);
    end if;
  end if;
  if old is distinct from new and private.has_closed_days()
    and private.may_write('line_items', tg_op, new.tenant) then
    perform private.require_open_days(array[old.transaction_id, new.transaction_id]);
  end if;
  return new;
end
$$;
comment on function private.line_items_before_row() is
  'Fills in, preserves and checks the columns of a row of line_items, and notes that those of the transaction must be '
  'added up.';

create trigger "1_before_row" before insert or update or delete on api.line_items
  for each row execute function private.line_items_before_row();
create trigger "2_record_creation" after insert on api.line_items
  referencing new table as new_rows
  for each statement execute function private.record_creation();
create trigger "2_record_change" after update on api.line_items
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.record_change();
create trigger "2_record_deletion" after delete on api.line_items
  referencing old table as old_rows
  for each statement execute function private.record_deletion();
