-- after: activity/activity_rows, budgets/tables
-- Budgets per category: for one month, or for every month.

comment on table api.budgets is
$$Budgets: the limit of spending on a category, by month

A row with a `month` applies to that month. A row without one applies to every month that has no row of its own. A
category without either has its `monthly_budget`. `/rpc/get_budget_comparison` compares budgets with spending.

A row for every month has `starts_on`: from that month on, `rollover` adds up the remainders. A change or deletion of
such a row leaves the months before the current one as they were, in `past_budgets`. To change these too, send another
`starts_on`, from which the row then applies, or create a row for a month.

A category has one row for a month and currency. `POST` with `on_conflict=category_id,currency,month` and `Prefer:
resolution=merge-duplicates` creates or replaces it.$$;
comment on column api.budgets.id is 'Identifier';
comment on column api.budgets.category_id is 'Id of a category in the same workspace';
comment on column api.budgets.month is 'First day of the month, YYYY-MM-01, between 1900 and 2199; null is every month';
comment on column api.budgets.starts_on is
  'First month whose leftover counts toward the rollover, YYYY-MM-01, between 1900 and 2199; default the month in '
  'which it is created; null for a row of one month';
comment on column api.budgets.amount is
  'The limit, 0 or more. Up to 2 decimal places; further ones are rounded half away from zero. In a currency with 3 '
  'decimals, such as `kwd`, a third is rejected; in one without decimals, such as `jpy`, it must be a whole number';
comment on column api.budgets.currency is 'ISO 4217 code, such as `usd`, `eur` or `jpy`, stored in lower case';
comment on column api.budgets.rollover is
  'Whether each month starts with what was left or overspent in the month before';
comment on column api.budgets.user_id is 'Id of the user who created it. Filled from the JWT; cannot be changed';
comment on column api.budgets.organization_id is
  'The team it belongs to. Filled from the JWT when an organization is active; send null for a personal budget; '
  'cannot be changed';
comment on column api.budgets.tenant is
  'The owner of the row: `o:` and the organization''s id, or `u:` and the user''s id for a personal row. Set by the '
  'service. `tenant=eq.…` lists one workspace';
comment on column api.budgets.created_at is 'Set by the service';
comment on column api.budgets.updated_at is 'Set by the service at each change';


alter table api.budgets enable row level security;
create policy budgets_read on api.budgets for select to authenticated
  using (private.is_not_explained()
    and (tenant = (select private.personal_tenant())
      or tenant = (select private.team_tenant('budgets', 'list'))));
create policy budgets_create on api.budgets for insert to authenticated
  with check (
    case
      when tenant = (select private.personal_tenant())
        or tenant = (select private.team_tenant('budgets', 'create')) then true
      else private.deny('budgets')
    end);
create policy budgets_update on api.budgets for update to authenticated
  using (tenant = (select private.personal_tenant())
    or tenant = (select private.team_tenant('budgets', 'list')))
  with check (
    case
      when tenant = (select private.personal_tenant())
        or tenant = (select private.team_tenant('budgets', 'update')) then true
      else private.deny('budgets')
    end);
create policy budgets_delete on api.budgets for delete to authenticated
  using (tenant = (select private.personal_tenant())
    or tenant = (select private.team_tenant('budgets', 'list')));
insert into private.role_permissions (role, resource, action) select role, 'budgets', action from usual_rights;
grant select on api.budgets to anon;
grant select, insert, update, delete on api.budgets to authenticated;

-- Over 80 lines, because it names each check of a column.
create or replace function private.budgets_before_row() returns trigger
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
    if by_caller and old.organization_id is not null and not private.can('budgets', 'delete') then
      perform private.deny('budgets');
    end if;
    return old;
  end if;
  if tg_op = 'INSERT' and by_caller then
    new.user_id := private.owner_of_new('budgets', new.id, new.user_id);
    new.created_at := now();
    new.updated_at := now();
  end if;
  if tg_op = 'UPDATE' then
    if by_caller and (old.id <> new.id or old.user_id is distinct from new.user_id
      or old.organization_id is distinct from new.organization_id) then
      perform private.deny('budgets');
    end if;
    -- the deletion of a user clears user_id, which is not an edit
    if new.user_id is not distinct from old.user_id then
      new.created_at := old.created_at;
      new.updated_at := private.edited_at(old.updated_at);
    end if;
  end if;
  new.tenant := private.tenant_of(new.user_id, new.organization_id);
  -- runs before the unique key: its error would reveal that another tenant's category has such a row
  if new.category_id is not null and new.category_id is distinct from old.category_id then
    perform private.check_category('budgets', tg_op, new.tenant, new.category_id);
  end if;
  new.currency := lower(new.currency);
  if new.month is null and new.starts_on is null then
    new.starts_on := date_trunc('month', case tg_op when 'INSERT' then new.created_at else now() end);
  elsif tg_op = 'UPDATE' and old.month is null and new.month is not null and new.starts_on = old.starts_on then
    -- a row for one month has no starts_on
    new.starts_on := null;
  end if;
  if tg_op = 'INSERT' and by_caller and private.is_merge() then
    perform private.reject_repeated_row(new.id::text);
  end if;
  if abs(new.amount) >= 999999999999.995 and new.amount <> 'NaN' then
    perform private.reject_overflow(tg_relid, 'amount');
  end if;
  if scale(new.amount) > 2 and not private.fits_cents(new.amount, new.currency) and by_caller then
    perform private.reject_row(tg_relid, tg_op, new, 'budgets_amount_fits_currency');
  end if;
  new.amount := round(new.amount, 2);
  if by_caller then
    broken := case
      when new.id is null then 'id'
      when new.category_id is null then 'category_id'
      when new.amount is null then 'amount'
      when new.currency is null then 'currency'
      when new.rollover is null then 'rollover'
      when new.created_at is null then 'created_at'
      when new.updated_at is null then 'updated_at'
      when new.amount < 0 or new.amount = 'NaN' then 'budgets_amount_is_amount'
      when new.currency !~ '^[a-z]{3}$' then 'budgets_currency_form'
      when new.user_id is null and new.organization_id is null then 'budgets_have_an_owner'
      when new.month < '1900-01-01' or new.month >= '2200-01-01' then 'budgets_month_in_range'
      when extract(day from new.month) <> 1 then 'budgets_month_is_first_day'
      when new.starts_on < '1900-01-01' or new.starts_on >= '2200-01-01' then 'budgets_starts_on_in_range'
      when extract(day from new.starts_on) <> 1 then 'budgets_starts_on_is_first_day'
      when (new.month is null) <> (new.starts_on is not null) then 'budgets_starts_on_of_every_month'
      when new.currency is distinct from old.currency and not private.is_currency(new.currency)
        then 'budgets_currency_known'
      when (new.amount, new.currency) is distinct from (old.amount, old.currency)
        and new.amount <> trunc(new.amount) and private.currency_decimals(new.currency) = 0
        then 'budgets_amount_fits_currency'
    end;
    if broken is not null then
      perform private.reject_row(tg_relid, tg_op, new, broken);
    end if;
  end if;
  return new;
end
$$;
comment on function private.budgets_before_row() is 'Fills in, preserves and checks the columns of a row of budgets.';

create or replace function private.budgets_after_row() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  own record;
  holds_from date := private.this_month();
begin
  if tg_op = 'UPDATE' then
    if new.starts_on <> old.starts_on then
      holds_from := new.starts_on;
    end if;
    if old.month is null and new.month is null
      and (old.category_id, old.currency) = (new.category_id, new.currency) then
      if holds_from = new.starts_on and new.starts_on <> old.starts_on then
        perform private.end_past_budgets(new.category_id, new.currency, holds_from);
      end if;
      if (old.amount, old.rollover) <> (new.amount, new.rollover) then
        perform private.store_past_budget(
          old.category_id, old.currency, holds_from, old.amount, old.rollover, old.starts_on);
      end if;
      return null;
    end if;
  end if;
  if tg_op <> 'INSERT' then
    if old.month is null then
      perform private.store_past_budget(
        old.category_id, old.currency, private.this_month(), old.amount, old.rollover, old.starts_on);
    end if;
  end if;
  if tg_op <> 'DELETE' then
    if new.month is null then
      if tg_op = 'INSERT' or old.month is not null then
        holds_from := new.starts_on;
      end if;
      perform private.end_past_budgets(new.category_id, new.currency, holds_from);
      select case when c.budget_currency = new.currency then c.monthly_budget end as amount,
          date_trunc('month', c.created_at) < holds_from as is_older
        into own
        from api.categories c where c.id = new.category_id;
      -- A category's first budget applies to every month. A budget that replaces another one leaves the months before
      -- it unchanged.
      if tg_op = 'UPDATE' and old.month is null or own.amount is not null and own.is_older
        or exists (select from api.past_budgets where category_id = new.category_id and currency = new.currency) then
        perform private.store_past_budget(new.category_id, new.currency, holds_from, own.amount);
      end if;
    end if;
  end if;
  return null;
end
$$;
comment on function private.budgets_after_row() is
  'Stores the previous budget of a category when a row for every month is created, changed or deleted.';

create trigger "1_before_row" before insert or update or delete on api.budgets
  for each row execute function private.budgets_before_row();
create trigger "2_after_row" after insert or update or delete on api.budgets
  for each row
  when (current_user = 'authenticated')
  execute function private.budgets_after_row();
create trigger "3_record_creation" after insert on api.budgets
  referencing new table as new_rows
  for each statement execute function private.record_creation();
create trigger "3_record_change" after update on api.budgets
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.record_change();
create trigger "3_record_deletion" after delete on api.budgets
  referencing old table as old_rows
  for each statement execute function private.record_deletion();
