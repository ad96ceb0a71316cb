-- after: activity/activity_rows, budgets/tables
-- The former budgets of a category. The triggers of budgets and categories store them, and callers may also write them.

comment on table api.past_budgets is
$$Past budgets: the monthly budgets of a category before a change

A change or deletion of a budget for every month, or of a category's `monthly_budget`, leaves the months before the
current one as they were. The former budget is stored here. It applies to each month before `until` that has no row of
its own in `budgets` and no earlier past budget. If you delete a row, the next past budget or the current budget
applies to these months.$$;
comment on column api.past_budgets.id is 'Identifier';
comment on column api.past_budgets.category_id is 'Id of a category in the same workspace';
comment on column api.past_budgets.currency is 'ISO 4217 code, such as `usd`, `eur` or `jpy`, stored in lower case';
comment on column api.past_budgets.until is
  'First day of the first month to which it no longer applies, YYYY-MM-01, between 1900 and 2199';
comment on column api.past_budgets.amount is
  'The budget of a month; null is no budget; 0 or more. Up to 2 decimal places; further ones are rounded half away '
  'from zero. In a currency with 3 decimals, such as `kwd`, a third is rejected; in one without decimals, such as '
  '`jpy`, it must be a whole number';
comment on column api.past_budgets.rollover is
  'Whether each month started with what was left or overspent in the month before';
comment on column api.past_budgets.starts_on is
  'First month whose leftover counted toward the rollover, YYYY-MM-01, between 1900 and 2199; null for a category''s '
  '`monthly_budget`';
comment on column api.past_budgets.user_id is 'Id of the user who created it. Filled from the JWT; cannot be changed';
comment on column api.past_budgets.organization_id is
  'The team it belongs to. Filled from the JWT when an organization is active; send null for a personal budget; '
  'cannot be changed';
comment on column api.past_budgets.tenant is
  'The owner of the row: `o:` and the organization''s id, or `u:` and the user''s id for a personal row. Set by the '
  'service. `tenant=eq.…` lists one workspace';
comment on column api.past_budgets.created_at is 'Set by the service';
comment on column api.past_budgets.updated_at is 'Set by the service at each change';


alter table api.past_budgets enable row level security;
create policy past_budgets_read on api.past_budgets for select to authenticated
  using (private.is_not_explained()
    and (tenant = (select private.personal_tenant())
      or tenant = (select private.team_tenant('past_budgets', 'list'))));
create policy past_budgets_create on api.past_budgets for insert to authenticated
  with check (
    case
      when tenant = (select private.personal_tenant())
        or tenant = (select private.team_tenant('past_budgets', 'create')) then true
      else private.deny('past_budgets')
    end);
create policy past_budgets_update on api.past_budgets for update to authenticated
  using (tenant = (select private.personal_tenant())
    or tenant = (select private.team_tenant('past_budgets', 'list')))
  with check (
    case
      when tenant = (select private.personal_tenant())
        or tenant = (select private.team_tenant('past_budgets', 'update')) then true
      else private.deny('past_budgets')
    end);
create policy past_budgets_delete on api.past_budgets for delete to authenticated
  using (tenant = (select private.personal_tenant())
    or tenant = (select private.team_tenant('past_budgets', 'list')));
insert into private.role_permissions (role, resource, action) select role, 'past_budgets', action from usual_rights;
grant select on api.past_budgets to anon;
grant select, insert, update, delete on api.past_budgets to authenticated;

create or replace function private.past_budgets_before_row() returns trigger
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
    if by_caller and old.organization_id is not null and not private.can('past_budgets', 'delete') then
      perform private.deny('past_budgets');
    end if;
    return old;
  end if;
  if tg_op = 'INSERT' and by_caller then
    new.user_id := private.owner_of_new('past_budgets', new.id, new.user_id);
    new.created_at := now();
    new.updated_at := now();
  end if;
  if tg_op = 'UPDATE' then
    if by_caller and (old.id <> new.id or old.user_id is distinct from new.user_id
      or old.organization_id is distinct from new.organization_id) then
      perform private.deny('past_budgets');
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
    perform private.check_category('past_budgets', tg_op, new.tenant, new.category_id);
  end if;
  new.currency := lower(new.currency);
  if tg_op = 'INSERT' and by_caller and private.is_merge() then
    perform private.reject_repeated_row(new.id::text);
  end if;
  if abs(new.amount) >= 999999999999.995 and new.amount <> 'NaN' then
    perform private.reject_overflow(tg_relid, 'amount');
  end if;
  if scale(new.amount) > 2 and not private.fits_cents(new.amount, new.currency) and by_caller then
    perform private.reject_row(tg_relid, tg_op, new, 'past_budgets_amount_fits_currency');
  end if;
  new.amount := round(new.amount, 2);
  if by_caller then
    broken := case
      when new.id is null then 'id'
      when new.category_id is null then 'category_id'
      when new.currency is null then 'currency'
      when new.until is null then 'until'
      when new.rollover is null then 'rollover'
      when new.created_at is null then 'created_at'
      when new.updated_at is null then 'updated_at'
      when new.amount < 0 or new.amount = 'NaN' then 'past_budgets_amount_is_amount'
      when new.currency !~ '^[a-z]{3}$' then 'past_budgets_currency_form'
      when new.user_id is null and new.organization_id is null then 'past_budgets_have_an_owner'
      when new.starts_on < '1900-01-01' or new.starts_on >= '2200-01-01' then 'past_budgets_starts_on_in_range'
      when extract(day from new.starts_on) <> 1 then 'past_budgets_starts_on_is_first_day'
      when new.until < '1900-01-01' or new.until >= '2200-01-01' then 'past_budgets_until_in_range'
      when extract(day from new.until) <> 1 then 'past_budgets_until_is_first_day'
      when new.currency is distinct from old.currency and not private.is_currency(new.currency)
        then 'past_budgets_currency_known'
      when (new.amount, new.currency) is distinct from (old.amount, old.currency)
        and new.amount <> trunc(new.amount) and private.currency_decimals(new.currency) = 0
        then 'past_budgets_amount_fits_currency'
    end;
    if broken is not null then
      perform private.reject_row(tg_relid, tg_op, new, broken);
    end if;
  end if;
  return new;
end
$$;
comment on function private.past_budgets_before_row() is
  'Fills in, preserves and checks the columns of a row of past_budgets.';

create trigger "1_before_row" before insert or update or delete on api.past_budgets
  for each row execute function private.past_budgets_before_row();
create trigger "2_record_creation" after insert on api.past_budgets
  referencing new table as new_rows
  for each statement execute function private.record_creation();
create trigger "2_record_change" after update on api.past_budgets
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.record_change();
create trigger "2_record_deletion" after delete on api.past_budgets
  referencing old table as old_rows
  for each statement execute function private.record_deletion();
