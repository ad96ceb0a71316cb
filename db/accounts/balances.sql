-- after: accounts/tables, activity/activity_rows
-- Balances that a bank or a user has stated. get_reconciliation() compares them with the transactions.

comment on table api.balances is
$$Balances of accounts, as a bank or a user has stated them

The balance of an account at the end of a day. It moves no money: `current_balance` and reports do not use it.
`/rpc/get_reconciliation` compares it with the account's transactions, and `/rpc/set_balance` stores one and books the
difference.

An account has one balance for a day. `POST` with `Prefer: resolution=merge-duplicates` and
`on_conflict=account_id,on_date` creates or replaces it.$$;
comment on column api.balances.id is 'Identifier';
comment on column api.balances.account_id is
  'Id of an account in the same workspace. The balance is in its currency, and is deleted with it';
comment on column api.balances.on_date is 'Date of the balance, as of the end of that day: between 1900 and 2199';
comment on column api.balances.balance is
  'Stated balance in the account''s currency, may be negative. Up to 2 decimal places; further ones are rounded half '
  'away from zero. In a currency with 3 decimals, such as `kwd`, a third is rejected; in one without decimals, such '
  'as `jpy`, it must be a whole number';
comment on column api.balances.source is 'Origin: `statement` of a bank, or `manual`. Default `manual`';
comment on column api.balances.user_id is 'Id of the user who created it. Filled from the JWT; cannot be changed';
comment on column api.balances.organization_id is
  'The team it belongs to. Filled from the JWT when an organization is active; send null for a balance of a '
  'personal account; cannot be changed';
comment on column api.balances.tenant is
  'The owner of the row: `o:` and the organization''s id, or `u:` and the user''s id for a personal row. Set by the '
  'service. `tenant=eq.…` lists one workspace';
comment on column api.balances.created_at is 'Set by the service';
comment on column api.balances.updated_at is 'Set by the service at each change';


alter table api.balances enable row level security;
create policy balances_read on api.balances for select to authenticated
  using (private.is_not_explained()
    and (tenant = (select private.personal_tenant())
      or tenant = (select private.team_tenant('balances', 'list'))));
create policy balances_create on api.balances for insert to authenticated
  with check (
    case
      when tenant = (select private.personal_tenant())
        or tenant = (select private.team_tenant('balances', 'create')) then true
      else private.deny('balances')
    end);
create policy balances_update on api.balances for update to authenticated
  using (tenant = (select private.personal_tenant())
    or tenant = (select private.team_tenant('balances', 'list')))
  with check (
    case
      when tenant = (select private.personal_tenant())
        or tenant = (select private.team_tenant('balances', 'update')) then true
      else private.deny('balances')
    end);
create policy balances_delete on api.balances for delete to authenticated
  using (tenant = (select private.personal_tenant())
    or tenant = (select private.team_tenant('balances', 'list')));
insert into private.role_permissions (role, resource, action) select role, 'balances', action from usual_rights;
grant select on api.balances to anon;
grant select, insert, update, delete on api.balances to authenticated;

create or replace function private.balances_before_row() returns trigger
  language plpgsql set search_path = ''
as $$
declare
  by_caller constant boolean := current_user = 'authenticated';
  account_currency text;
  broken text;
begin
  if private.count_exceeds_limit(tg_op) then
    perform private.reject_many_rows();
  end if;
  if tg_op = 'DELETE' then
    if by_caller and old.organization_id is not null and not private.can('balances', 'delete') then
      perform private.deny('balances');
    end if;
    return old;
  end if;
  if tg_op = 'INSERT' and by_caller then
    new.user_id := private.owner_of_new('balances', new.id, new.user_id);
    new.created_at := now();
    new.updated_at := now();
  end if;
  if tg_op = 'UPDATE' then
    if by_caller and (old.id <> new.id or old.user_id is distinct from new.user_id
      or old.organization_id is distinct from new.organization_id) then
      perform private.deny('balances');
    end if;
    -- the deletion of a user clears user_id, which is not an edit
    if new.user_id is not distinct from old.user_id then
      new.created_at := old.created_at;
      new.updated_at := private.edited_at(old.updated_at);
    end if;
  end if;
  new.tenant := private.tenant_of(new.user_id, new.organization_id);
  -- runs before the unique key: its error would reveal that another tenant's account has such a row
  if new.account_id is not null and new.account_id is distinct from old.account_id then
    perform private.check_account('balances', tg_op, new.tenant, new.account_id, null);
  end if;
  if tg_op = 'INSERT' and by_caller and private.is_merge() then
    perform private.reject_repeated_row(new.id::text);
  end if;
  if abs(new.balance) >= 999999999999.995 and new.balance <> 'NaN' then
    perform private.reject_overflow(tg_relid, 'balance');
  end if;
  account_currency := private.currency_of_account(new.account_id, new.user_id, new.organization_id);
  if scale(new.balance) > 2 and not private.fits_cents(new.balance, account_currency) and by_caller then
    perform private.reject_row(tg_relid, tg_op, new, 'balances_balance_fits_currency');
  end if;
  new.balance := round(new.balance, 2);
  if by_caller then
    broken := case
      when new.id is null then 'id'
      when new.account_id is null then 'account_id'
      when new.on_date is null then 'on_date'
      when new.balance is null then 'balance'
      when new.source is null then 'source'
      when new.created_at is null then 'created_at'
      when new.updated_at is null then 'updated_at'
      when new.balance = 'NaN' then 'balances_balance_is_number'
      when new.user_id is null and new.organization_id is null then 'balances_have_an_owner'
      when new.on_date < '1900-01-01' or new.on_date >= '2200-01-01' then 'balances_on_date_in_range'
      when new.source not in ('statement', 'manual') then 'balances_source_known'
      when new.balance is distinct from old.balance and new.balance <> trunc(new.balance)
        and private.currency_decimals(account_currency) = 0 then 'balances_balance_fits_currency'
    end;
    if broken is not null then
      perform private.reject_row(tg_relid, tg_op, new, broken);
    end if;
  end if;
  return new;
end
$$;
comment on function private.balances_before_row() is 'Fills in, preserves and checks the columns of a row of balances.';

create trigger "1_before_row" before insert or update or delete on api.balances
  for each row execute function private.balances_before_row();
create trigger "2_record_creation" after insert on api.balances
  referencing new table as new_rows
  for each statement execute function private.record_creation();
create trigger "2_record_change" after update on api.balances
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.record_change();
create trigger "2_record_deletion" after delete on api.balances
  referencing old table as old_rows
  for each statement execute function private.record_deletion();
