-- after: activity/activity_rows, recurring/tables
-- Accounts.

comment on table api.accounts is
$$Accounts: where money is kept

You see your personal ones and, while an organization is active, the organization's.$$;
comment on column api.accounts.id is 'Identifier';
comment on column api.accounts.name is 'Name, 1 to 255 characters, not only blanks';
comment on column api.accounts.type is '`checking`, `savings`, `credit_card`, `cash`, `investment`, `loan` or `asset`';
comment on column api.accounts.currency is
  'ISO 4217 code, such as `usd`, `eur` or `jpy`, stored in lower case. Cannot be changed while the account has '
  'transactions, recurring items or statement balances';
comment on column api.accounts.balance is
  'Opening balance, may be negative; `current_balance` adds the transactions. Up to 2 decimal places; further ones '
  'are rounded half away from zero. In a currency with 3 decimals, such as `kwd`, a third is rejected; in one '
  'without decimals, such as `jpy`, it must be a whole number';
comment on column api.accounts.opened_on is
  'Day of the opening balance, 1900 to 2199: `balance` counts from this day on. Null: it counts on every day';
comment on column api.accounts.closed_on is
  'Day on which the account was closed, 1900 to 2199 and not before `opened_on`. Null: it is open. A closed account '
  'keeps its transactions and takes new ones; balances list it only until then, or while it has a balance';
comment on column api.accounts.closed_until is
  'Last day of the closed period, 1900 to 2199. Through this date, you can''t add, change or delete the account''s '
  'transactions or change its opening balance. Null: nothing is closed. `closings` close days of all accounts';
comment on column api.accounts.description is 'Up to 5000 characters';
comment on column api.accounts.institution is 'Bank or broker, up to 255 characters';
comment on column api.accounts.account_number is 'Only the last four digits are stored, whatever you send';
comment on column api.accounts.color is 'Hex code: `#rgb`, `#rrggbb` or `#rrggbbaa`';
comment on column api.accounts.icon is 'Icon identifier, up to 100 characters';
comment on column api.accounts.metadata is
  'Free JSON, up to 16 KiB and 16 levels; its numbers are below 1e30 and have up to 50 decimal places';
comment on column api.accounts.user_id is 'Id of the user who created it. Filled from the JWT; cannot be changed';
comment on column api.accounts.organization_id is
  'The team it belongs to. Filled from the JWT when an organization is active; send null for a personal account; '
  'cannot be changed';
comment on column api.accounts.tenant is
  'The owner of the row: `o:` and the organization''s id, or `u:` and the user''s id for a personal row. Set by the '
  'service. `tenant=eq.…` lists one workspace';
comment on column api.accounts.created_at is 'Set by the service';
comment on column api.accounts.updated_at is 'Set by the service at each change';


alter table api.accounts enable row level security;
create policy accounts_read on api.accounts for select to authenticated
  using (private.is_not_explained()
    and (tenant = (select private.personal_tenant())
      or tenant = (select private.team_tenant('accounts', 'list'))));
create policy accounts_create on api.accounts for insert to authenticated
  with check (
    case
      when tenant = (select private.personal_tenant())
        or tenant = (select private.team_tenant('accounts', 'create')) then true
      else private.deny('accounts')
    end);
create policy accounts_update on api.accounts for update to authenticated
  using (tenant = (select private.personal_tenant())
    or tenant = (select private.team_tenant('accounts', 'list')))
  with check (
    case
      when tenant = (select private.personal_tenant())
        or tenant = (select private.team_tenant('accounts', 'update')) then true
      else private.deny('accounts')
    end);
create policy accounts_delete on api.accounts for delete to authenticated
  using (tenant = (select private.personal_tenant())
    or tenant = (select private.team_tenant('accounts', 'list')));
insert into private.role_permissions (role, resource, action) select role, 'accounts', action from usual_rights;
grant select on api.accounts to anon;
grant select, insert, update, delete on api.accounts to authenticated;

create or replace function private.require_unused_currency(p_account_id uuid, p_currency text) returns void
  language plpgsql security definer set search_path = ''
as $$
begin
  if exists (select from api.transactions t where t.account_id = p_account_id) then
    perform private.invalid(
      format('the account has transactions in %s', upper(p_currency)),
      'You can change an account''s currency only while it has no transactions or recurring items. Create another '
      'account.');
  end if;
  -- a transaction recorded from such a subscription would be refused
  if exists (select from api.subscriptions s where p_account_id in (s.account_id, s.to_account_id)) then
    perform private.invalid(
      format('the account has recurring items in %s', upper(p_currency)),
      'Change account_id and currency of these recurring items (subscriptions) first, or create another account.');
  end if;
  if exists (select from api.balances b where b.account_id = p_account_id) then
    perform private.invalid(
      format('the account has statement balances in %s', upper(p_currency)),
      'Delete its statement balances first, or create another account.');
  end if;
end
$$;
comment on function private.require_unused_currency(uuid, text) is
  'Refuses another currency for an account that has transactions, subscriptions or stated balances: 400.';

create or replace function private.clear_recurring_transfers(p_account_id uuid) returns void
  language sql volatile security definer set search_path = ''
begin atomic
  update api.subscriptions set to_account_id = null where to_account_id = p_account_id;
end;
comment on function private.clear_recurring_transfers(uuid) is
  'Clears the reference of recurring transfers to a deleted account, for which there is no foreign key.';
grant execute on function private.require_unused_currency(uuid, text), private.clear_recurring_transfers(uuid)
  to authenticated;

-- Over 80 lines, because it names each check of a column.
create or replace function private.accounts_before_row() returns trigger
  language plpgsql set search_path = ''
as $$
declare
  by_caller constant boolean := current_user = 'authenticated';
  broken text;
begin
  if private.count_exceeds_limit(tg_op) then
    perform private.reject_many_rows();
  end if;
  if tg_op = 'DELETE' then
    if by_caller and old.organization_id is not null and not private.can('accounts', 'delete') then
      perform private.deny('accounts');
    end if;
    perform private.keep_closed_account(tg_op, old, null);
    perform private.clear_recurring_transfers(old.id);
    return old;
  end if;
  if tg_op = 'INSERT' then
    if by_caller then
      new.user_id := private.owner_of_new('accounts', new.id, new.user_id);
      new.created_at := now();
      new.updated_at := now();
    end if;
  else
    if by_caller and (old.id <> new.id or old.user_id is distinct from new.user_id
      or old.organization_id is distinct from new.organization_id) then
      perform private.deny('accounts');
    end if;
    -- the deletion of a user clears user_id, which is not an edit
    if new.user_id is not distinct from old.user_id then
      new.created_at := old.created_at;
      new.updated_at := private.edited_at(old.updated_at);
    end if;
  end if;
  new.tenant := private.tenant_of(new.user_id, new.organization_id);
  new.currency := lower(new.currency);
  -- only the last four digits are stored, so that a leak cannot reveal the number
  new.account_number := nullif(right(regexp_replace(new.account_number, '[^0-9]', '', 'g'), 4), '');
  if tg_op = 'INSERT' and by_caller and private.is_merge() then
    perform private.reject_repeated_row(new.id::text);
  end if;
  if abs(new.balance) >= 999999999999.995 and new.balance <> 'NaN' then
    perform private.reject_overflow(tg_relid, 'balance');
  end if;
  if scale(new.balance) > 2 and not private.fits_cents(new.balance, new.currency) and by_caller then
    perform private.reject_row(tg_relid, tg_op, new, 'accounts_balance_fits_currency');
  end if;
  new.balance := round(new.balance, 2);
  if by_caller then
    broken := case
      when new.id is null then 'id'
      when new.name is null then 'name'
      when new.type is null then 'type'
      when new.currency is null then 'currency'
      when new.balance is null then 'balance'
      when new.created_at is null then 'created_at'
      when new.updated_at is null then 'updated_at'
      when new.account_number !~ '^[0-9]{1,4}$' then 'accounts_account_number_is_masked'
      when new.balance = 'NaN' then 'accounts_balance_is_number'
      when new.closed_on < '1900-01-01' or new.closed_on >= '2200-01-01' then 'accounts_closed_on_in_range'
      when new.closed_until < '1900-01-01' or new.closed_until >= '2200-01-01' then 'accounts_closed_until_in_range'
      when new.color !~ '^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$' then 'accounts_color_is_hex'
      when new.currency !~ '^[a-z]{3}$' then 'accounts_currency_form'
      when new.opened_on > new.closed_on then 'accounts_days_in_order'
      when char_length(new.description) > 5000 then 'accounts_description_length'
      when new.user_id is null and new.organization_id is null then 'accounts_have_an_owner'
      when char_length(new.icon) > 100 then 'accounts_icon_length'
      when char_length(new.institution) > 255 then 'accounts_institution_length'
      when jsonb_path_exists(new.metadata, '$.**{17}') then 'accounts_metadata_depth'
      when not private.plain_numbers(new.metadata) then 'accounts_metadata_numbers'
      when octet_length(new.metadata::text) > 16384 then 'accounts_metadata_size'
      when not private.is_name(new.name, old.name) then 'accounts_name_length'
      when new.opened_on < '1900-01-01' or new.opened_on >= '2200-01-01' then 'accounts_opened_on_in_range'
      when new.type not in ('checking', 'savings', 'credit_card', 'cash', 'investment', 'loan', 'asset')
        then 'accounts_type_known'
      when new.currency is distinct from old.currency and not private.is_currency(new.currency)
        then 'accounts_currency_known'
      when (new.balance, new.currency) is distinct from (old.balance, old.currency)
        and new.balance <> trunc(new.balance) and private.currency_decimals(new.currency) = 0
        then 'accounts_balance_fits_currency'
    end;
    if broken is not null then
      perform private.reject_row(tg_relid, tg_op, new, broken);
    end if;
  end if;
  if private.may_write('accounts', tg_op, new.tenant) then
    perform private.keep_closed_account(tg_op, old, new);
    if new.currency <> old.currency then
      perform private.require_unused_currency(old.id, old.currency);
    end if;
  end if;
  return new;
end
$$;
comment on function private.accounts_before_row() is 'Fills in, preserves and checks the columns of a row of accounts.';

create trigger "1_before_row" before insert or update or delete on api.accounts
  for each row execute function private.accounts_before_row();
create trigger "2_record_creation" after insert on api.accounts
  referencing new table as new_rows
  for each statement execute function private.record_creation();
create trigger "2_record_change" after update on api.accounts
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.record_change();
create trigger "2_record_deletion" after delete on api.accounts
  referencing old table as old_rows
  for each statement execute function private.record_deletion();
