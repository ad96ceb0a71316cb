-- after: activity/activity_rows, categories/tables
-- Categories of transactions, line items and subscriptions.

comment on table api.categories is
$$Categories of transactions and subscriptions

A category is used within its own context: a team row takes the team's categories, a personal row your own. Deleting
one here leaves its transactions and subscriptions without a category and deletes its budgets; `/rpc/delete_category`
can move them to another one first.

`kind` decides on which side of a report an amount stands: a positive amount in a category of kind `expense`, such as
a refund, lowers its expenses.

A category may have a parent, for one level: a parent has no parent itself, else 400 `22023`. A subcategory has its
parent's `kind`. The deletion of a parent leaves its subcategories without one.$$;
comment on column api.categories.id is 'Identifier';
comment on column api.categories.name is 'Name, 1 to 255 characters, not only blanks';
comment on column api.categories.color is 'Hex code: `#rgb`, `#rrggbb` or `#rrggbbaa`';
comment on column api.categories.icon is 'Icon identifier, up to 100 characters';
comment on column api.categories.kind is
  '`expense` or `income`: whether reports count its amounts as expenses or income. Default the parent''s; without a '
  'parent `expense`. A subcategory always has its parent''s kind';
comment on column api.categories.parent_id is
  'Id of another category in the same workspace that has no parent; null is none';
comment on column api.categories.monthly_budget is
  'Monthly limit of spending; 0 or more. Up to 2 decimal places; further ones are rounded half away from zero. In a '
  'currency with 3 decimals, such as `kwd`, a third is rejected; in one without decimals, such as `jpy`, it must be '
  'a whole number. `/rpc/get_budget_comparison` compares it with spending. The first value applies to every month; a '
  'change leaves the months before the current one as they were';
comment on column api.categories.budget_currency is
  'Currency of monthly_budget: ISO 4217 code, such as `usd`, `eur` or `jpy`, stored in lower case';
comment on column api.categories.user_id is 'Id of the user who created it. Filled from the JWT; cannot be changed';
comment on column api.categories.organization_id is
  'The team it belongs to. Filled from the JWT when an organization is active; send null for a personal category; '
  'cannot be changed';
comment on column api.categories.tenant is
  'The owner of the row: `o:` and the organization''s id, or `u:` and the user''s id for a personal row. Set by the '
  'service. `tenant=eq.…` lists one workspace';
comment on column api.categories.created_at is 'Set by the service';
comment on column api.categories.updated_at is 'Set by the service at each change';


alter table api.categories enable row level security;
create policy categories_read on api.categories for select to authenticated
  using (private.is_not_explained()
    and (tenant = (select private.personal_tenant())
      or tenant = (select private.team_tenant('categories', 'list'))));
create policy categories_create on api.categories for insert to authenticated
  with check (
    case
      when tenant = (select private.personal_tenant())
        or tenant = (select private.team_tenant('categories', 'create')) then true
      else private.deny('categories')
    end);
create policy categories_update on api.categories for update to authenticated
  using (tenant = (select private.personal_tenant())
    or tenant = (select private.team_tenant('categories', 'list')))
  with check (
    case
      when tenant = (select private.personal_tenant())
        or tenant = (select private.team_tenant('categories', 'update')) then true
      else private.deny('categories')
    end);
create policy categories_delete on api.categories for delete to authenticated
  using (tenant = (select private.personal_tenant())
    or tenant = (select private.team_tenant('categories', 'list')));
insert into private.role_permissions (role, resource, action) select role, 'categories', action from usual_rights;
grant select on api.categories to anon;
grant select, insert, update, delete on api.categories to authenticated;

-- Over 80 lines, because it names each check of a column.
create or replace function private.categories_before_row() returns trigger
  language plpgsql set search_path = ''
as $$
declare
  by_caller constant boolean := current_user = 'authenticated';
  kind_of_parent text;
  broken text;
begin
  if private.count_exceeds_limit(tg_op) then
    perform private.reject_many_rows();
  end if;
  if tg_op = 'DELETE' then
    if by_caller and old.organization_id is not null and not private.can('categories', 'delete') then
      perform private.deny('categories');
    end if;
    return old;
  end if;
  if tg_op = 'INSERT' then
    if by_caller then
      new.user_id := private.owner_of_new('categories', new.id, new.user_id);
      new.created_at := now();
      new.updated_at := now();
    end if;
  else
    if by_caller and (old.id <> new.id or old.user_id is distinct from new.user_id
      or old.organization_id is distinct from new.organization_id) then
      perform private.deny('categories');
    end if;
    -- the deletion of a user clears user_id, which is not an edit
    if new.user_id is not distinct from old.user_id then
      new.created_at := old.created_at;
      new.updated_at := private.edited_at(old.updated_at);
    end if;
  end if;
  new.tenant := private.tenant_of(new.user_id, new.organization_id);
  if new.parent_id is not null and (new.kind is null or new.kind = old.kind)
    and new.parent_id is distinct from old.parent_id then
    select c.kind into kind_of_parent from api.categories c
      where c.id = new.parent_id and c.tenant = new.tenant;
    new.kind := coalesce(kind_of_parent, new.kind);
  end if;
  if tg_op = 'INSERT' then
    new.kind := coalesce(new.kind, 'expense');
  end if;
  new.budget_currency := lower(new.budget_currency);
  if tg_op = 'INSERT' and by_caller and private.is_merge() then
    perform private.reject_repeated_row(new.id::text);
  end if;
  if abs(new.monthly_budget) >= 999999999999.995 and new.monthly_budget <> 'NaN' then
    perform private.reject_overflow(tg_relid, 'monthly_budget');
  end if;
  if scale(new.monthly_budget) > 2 and not private.fits_cents(new.monthly_budget, new.budget_currency)
    and by_caller then
    perform private.reject_row(tg_relid, tg_op, new, 'categories_monthly_budget_fits_currency');
  end if;
  new.monthly_budget := round(new.monthly_budget, 2);
  if by_caller then
    broken := case
      when new.id is null then 'id'
      when new.name is null then 'name'
      when new.kind is null then 'kind'
      when new.created_at is null then 'created_at'
      when new.updated_at is null then 'updated_at'
      when new.budget_currency is null then 'budget_currency'
      when new.budget_currency !~ '^[a-z]{3}$' then 'categories_budget_currency_form'
      when new.color !~ '^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$' then 'categories_color_is_hex'
      when new.user_id is null and new.organization_id is null then 'categories_have_an_owner'
      when char_length(new.icon) > 100 then 'categories_icon_length'
      when new.kind not in ('expense', 'income') then 'categories_kind_known'
      when new.monthly_budget < 0 or new.monthly_budget = 'NaN' then 'categories_monthly_budget_is_amount'
      when not private.is_name(new.name, old.name) then 'categories_name_length'
      when new.parent_id = new.id then 'categories_parent_is_another'
      when new.budget_currency is distinct from old.budget_currency and not private.is_currency(new.budget_currency)
        then 'categories_budget_currency_known'
      when (new.monthly_budget, new.budget_currency) is distinct from (old.monthly_budget, old.budget_currency)
        and new.monthly_budget <> trunc(new.monthly_budget) and private.currency_decimals(new.budget_currency) = 0
        then 'categories_monthly_budget_fits_currency'
    end;
    if broken is not null then
      perform private.reject_row(tg_relid, tg_op, new, broken);
    end if;
  end if;
  return new;
end
$$;
comment on function private.categories_before_row() is
  'Fills in, preserves and checks the columns of a row of categories.';

create or replace function private.check_category_family(old api.categories, new api.categories) returns void
  language plpgsql set search_path = ''
as $$
declare
  parent record;
begin
  if new.parent_id is not null then
    select c.kind, c.parent_id into parent from api.categories c
      where c.id = new.parent_id and c.tenant = new.tenant;
    if not found then
      perform private.reject_reference('categories', 'parent_id', 'categories');
    end if;
    if parent.parent_id is not null then
      perform private.invalid('a subcategory can''t be a parent',
        'There is only one level of subcategories: parent_id must be the ID of a category without a parent.');
    end if;
    if exists (select from api.categories c where c.parent_id = new.id) then
      perform private.invalid('a category with subcategories can''t have a parent',
        'Move its subcategories first.');
    end if;
    if parent.kind <> new.kind then
      perform private.invalid(format('a subcategory must have the same kind as its parent: %s', parent.kind),
        'Omit kind, or change the kind of the parent.');
    end if;
  end if;
  if new.kind <> old.kind then
    if private.has_closed_days() then
      perform private.require_open_days(array(
        select t.id from api.transactions t where t.category_id = new.id
        union select l.transaction_id from api.line_items l where l.category_id = new.id));
    end if;
    update api.categories set kind = new.kind where parent_id = new.id and kind <> new.kind;
  end if;
end
$$;
comment on function private.check_category_family(api.categories, api.categories) is
  'Checks the parent and the kind of a category, and gives a changed kind to its subcategories.';

create or replace function private.store_former_budget(old api.categories, new api.categories) returns void
  language plpgsql security definer set search_path = ''
as $$
begin
  if old.monthly_budget is not null and not exists (
    select from api.budgets where category_id = old.id and currency = old.budget_currency and month is null
  ) then
    perform private.store_past_budget(old.id, old.budget_currency, private.this_month(), old.monthly_budget);
  end if;
  if new.monthly_budget is not null and (old.monthly_budget is null or old.budget_currency <> new.budget_currency)
    and not exists (
      select from api.budgets where category_id = new.id and currency = new.budget_currency and month is null
    )
    and (old.monthly_budget is not null
      or exists (select from api.past_budgets where category_id = new.id and currency = new.budget_currency)) then
    perform private.store_past_budget(new.id, new.budget_currency, private.this_month(), null);
  end if;
end
$$;
comment on function private.store_former_budget(api.categories, api.categories) is
  'Stores the previous monthly budget of a category when it changes.';
grant execute on function private.check_category_family(api.categories, api.categories),
  private.store_former_budget(api.categories, api.categories) to authenticated;

create or replace function private.categories_after_row() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if (old.parent_id, old.kind) is distinct from (new.parent_id, new.kind) then
    perform private.check_category_family(old, new);
  end if;
  if tg_op = 'UPDATE' and current_user = 'authenticated'
    and (old.monthly_budget, old.budget_currency) is distinct from (new.monthly_budget, new.budget_currency) then
    perform private.store_former_budget(old, new);
  end if;
  return null;
end
$$;
comment on function private.categories_after_row() is
  'Checks the family of a category after its statement, which may have stored the parent too, and stores a former '
  'budget.';

create trigger "1_before_row" before insert or update or delete on api.categories
  for each row execute function private.categories_before_row();
create trigger "2_after_row" after insert or update on api.categories
  for each row execute function private.categories_after_row();
create trigger "3_record_creation" after insert on api.categories
  referencing new table as new_rows
  for each statement execute function private.record_creation();
create trigger "3_record_change" after update on api.categories
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.record_change();
create trigger "3_record_deletion" after delete on api.categories
  referencing old table as old_rows
  for each statement execute function private.record_deletion();
