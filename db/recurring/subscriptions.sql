-- after: activity/activity_rows, recurring/tables
-- Subscriptions: recurring expenses, income and transfers.

comment on table api.subscriptions is
$$Subscriptions: recurring expenses, income and transfers

You see your personal ones and, while an organization is active, the organization's.
`select=*,next_due_on,monthly_cost` adds the next due day and the monthly cost. `/rpc/get_upcoming` returns all due
days of a range, and `/rpc/record_subscription` records one of them as a transaction, and `/rpc/get_forecast` adds
them to the balances of the coming days. Embed the category with `select=*,category:categories(id,name)`.$$;
comment on column api.subscriptions.id is 'Identifier';
comment on column api.subscriptions.title is 'Title, 1 to 255 characters, not only blanks';
comment on column api.subscriptions.kind is
  '`expense`, `income` or `transfer`, which counts in no category. Default `expense`';
comment on column api.subscriptions.amount is
  'Amount of each due day, not negative: `kind` says the direction. Above 0 for a transfer. Up to 2 decimal places; '
  'further ones are rounded half away from zero. In a currency with 3 decimals, such as `kwd`, a third is rejected; '
  'in one without decimals, such as `jpy`, it must be a whole number';
comment on column api.subscriptions.period is '`monthly`, `yearly`, `quarterly`, `semi-annually`, `weekly` or `daily`';
comment on column api.subscriptions.description is 'Up to 5000 characters';
comment on column api.subscriptions.logo_url is 'http or https URL, up to 2048 characters';
comment on column api.subscriptions.interval_in_days is 'Custom interval for a non-standard period, 1 to 3660';
comment on column api.subscriptions.category_id is 'Id of a category in the same workspace';
comment on column api.subscriptions.currency is
  'ISO 4217 code, such as `usd`, `eur` or `jpy`, stored in lower case; with an `account_id` that of the account';
comment on column api.subscriptions.starts_on is
  'First due date; later ones are counted from it: between 1900 and 2199. Default today';
comment on column api.subscriptions.ends_on is
  'Last possible due date: between 1900 and 2199, not before starts_on; null is no end';
comment on column api.subscriptions.account_id is
  'Id of an account in the same workspace: it pays an expense or a transfer, and receives an income';
comment on column api.subscriptions.to_account_id is
  'Id of the account that receives a transfer: another one in the same workspace and currency. An active transfer '
  'has both accounts, and no other kind has this one';
comment on column api.subscriptions.is_active is
  'Whether the item is active. Deleting one of the accounts of a transfer makes it inactive';
comment on column api.subscriptions.user_id is 'Id of the user who created it. Filled from the JWT; cannot be changed';
comment on column api.subscriptions.organization_id is
  'The team it belongs to. Filled from the JWT when an organization is active; send null for a personal '
  'subscription; cannot be changed';
comment on column api.subscriptions.tenant is
  'The owner of the row: `o:` and the organization''s id, or `u:` and the user''s id for a personal row. Set by the '
  'service. `tenant=eq.…` lists one workspace';


alter table api.subscriptions enable row level security;
create policy subscriptions_read on api.subscriptions for select to authenticated
  using (private.is_not_explained()
    and (tenant = (select private.personal_tenant())
      or tenant = (select private.team_tenant('subscriptions', 'list'))));
create policy subscriptions_create on api.subscriptions for insert to authenticated
  with check (
    case
      when tenant = (select private.personal_tenant())
        or tenant = (select private.team_tenant('subscriptions', 'create')) then true
      else private.deny('subscriptions')
    end);
create policy subscriptions_update on api.subscriptions for update to authenticated
  using (tenant = (select private.personal_tenant())
    or tenant = (select private.team_tenant('subscriptions', 'list')))
  with check (
    case
      when tenant = (select private.personal_tenant())
        or tenant = (select private.team_tenant('subscriptions', 'update')) then true
      else private.deny('subscriptions')
    end);
create policy subscriptions_delete on api.subscriptions for delete to authenticated
  using (tenant = (select private.personal_tenant())
    or tenant = (select private.team_tenant('subscriptions', 'list')));
insert into private.role_permissions (role, resource, action) select role, 'subscriptions', action from usual_rights;
grant select on api.subscriptions to anon;
grant select, insert, update, delete on api.subscriptions to authenticated;

-- Over 80 lines, because it names each check of a column.
create or replace function private.subscriptions_before_row() returns trigger
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
    if by_caller and old.organization_id is not null and not private.can('subscriptions', 'delete') then
      perform private.deny('subscriptions');
    end if;
    return old;
  end if;
  if tg_op = 'INSERT' then
    if by_caller then
      new.user_id := private.owner_of_new('subscriptions', new.id, new.user_id);
    end if;
  else
    if by_caller and (old.id <> new.id or old.user_id is distinct from new.user_id
      or old.organization_id is distinct from new.organization_id) then
      perform private.deny('subscriptions');
    end if;
  end if;
  new.currency := lower(new.currency);
  new.tenant := private.tenant_of(new.user_id, new.organization_id);
  if tg_op = 'INSERT' and by_caller and private.is_merge() then
    perform private.reject_repeated_row(new.id::text);
  end if;
  if abs(new.amount) >= 999999999999.995 and new.amount <> 'NaN' then
    perform private.reject_overflow(tg_relid, 'amount');
  end if;
  if scale(new.amount) > 2 and not private.fits_cents(new.amount, new.currency) and by_caller then
    perform private.reject_row(tg_relid, tg_op, new, 'subscriptions_amount_fits_currency');
  end if;
  new.amount := round(new.amount, 2);
  -- an undo may return a row from before the column: an income was a negative cost
  if tg_op = 'INSERT' and new.kind is null then
    select case when new.amount < 0 and not by_caller then 'income' else 'expense' end,
        case when by_caller then new.amount else abs(new.amount) end
      into new.kind, new.amount;
  end if;
  -- a foreign key or a trigger has cleared the account
  if not by_caller and new.kind = 'transfer' and (new.account_id is null or new.to_account_id is null) then
    new.is_active := false;
  end if;
  if by_caller then
    broken := case
      when new.id is null then 'id'
      when new.title is null then 'title'
      when new.amount is null then 'amount'
      when new.period is null then 'period'
      when new.currency is null then 'currency'
      when new.starts_on is null then 'starts_on'
      when new.is_active is null then 'is_active'
      when new.kind is null then 'kind'
      when case
          when new.kind = 'transfer' then (new.account_id <> new.to_account_id) is false
            or new.is_active and (new.account_id is null or new.to_account_id is null)
          else new.to_account_id is not null
        end then 'subscriptions_accounts_fit_kind'
      when new.amount < 0 or new.kind = 'transfer' and new.amount = 0 then 'subscriptions_amount_fits_kind'
      when new.amount = 'NaN' then 'subscriptions_amount_is_number'
      when new.currency !~ '^[a-z]{3}$' then 'subscriptions_currency_form'
      when new.starts_on > new.ends_on then 'subscriptions_days_in_order'
      when char_length(new.description) > 5000 then 'subscriptions_description_length'
      when new.ends_on < '1900-01-01' or new.ends_on >= '2200-01-01' then 'subscriptions_ends_on_in_range'
      when new.user_id is null and new.organization_id is null then 'subscriptions_have_an_owner'
      when new.interval_in_days not between 1 and 3660 then 'subscriptions_interval_in_days_in_range'
      when new.kind not in ('expense', 'income', 'transfer') then 'subscriptions_kind_known'
      when new.logo_url !~ '^https?://[^[:space:]]+$' or char_length(new.logo_url) > 2048
        then 'subscriptions_logo_url_form'
      when new.period not in ('monthly', 'yearly', 'quarterly', 'semi-annually', 'weekly', 'daily')
        then 'subscriptions_period_known'
      when new.starts_on < '1900-01-01' or new.starts_on >= '2200-01-01' then 'subscriptions_starts_on_in_range'
      when not private.is_name(new.title, old.title) then 'subscriptions_title_length'
      when new.currency is distinct from old.currency and not private.is_currency(new.currency)
        then 'subscriptions_currency_known'
      when (new.amount, new.currency) is distinct from (old.amount, old.currency)
        and new.amount <> trunc(new.amount) and private.currency_decimals(new.currency) = 0
        then 'subscriptions_amount_fits_currency'
    end;
    if broken is not null then
      perform private.reject_row(tg_relid, tg_op, new, broken);
    end if;
  end if;
  if new.account_id is not null and (new.account_id, new.currency) is distinct from (old.account_id, old.currency) then
    perform private.check_account('subscriptions', tg_op, new.tenant, new.account_id, new.currency);
  end if;
  if new.to_account_id is not null
    and (new.to_account_id, new.currency) is distinct from (old.to_account_id, old.currency) then
    perform private.check_account(
      'subscriptions', tg_op, new.tenant, new.to_account_id, new.currency, 'to_account_id');
  end if;
  if new.category_id is not null and new.category_id is distinct from old.category_id then
    perform private.check_category('subscriptions', tg_op, new.tenant, new.category_id);
  end if;
  return new;
end
$$;
comment on function private.subscriptions_before_row() is
  'Fills in, preserves and checks the columns of a row of subscriptions.';

create trigger "1_before_row" before insert or update or delete on api.subscriptions
  for each row execute function private.subscriptions_before_row();
create trigger "2_record_creation" after insert on api.subscriptions
  referencing new table as new_rows
  for each statement execute function private.record_creation();
create trigger "2_record_change" after update on api.subscriptions
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.record_change();
create trigger "2_record_deletion" after delete on api.subscriptions
  referencing old table as old_rows
  for each statement execute function private.record_deletion();
