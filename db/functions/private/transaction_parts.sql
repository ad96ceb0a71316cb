-- Line items and tag associations have no owner pair: they belong to whomever their transaction belongs to.

create or replace function private.check_transaction() returns trigger
  language plpgsql set search_path = ''
as $$
declare
  ours record;
begin
  if current_user <> 'authenticated' then
    return new;
  end if;
  if tg_op = 'INSERT' and tg_table_name = 'line_items' then
    perform private.refuse_hidden_row(tg_table_name, (to_jsonb(new) ->> 'id')::uuid);
  end if;
  -- row security applies here: a transaction that the caller does not see is not found
  select user_id, organization_id into ours from api.transactions where id = new.transaction_id;
  if not found or tg_op = 'UPDATE' and not exists (
    select from api.transactions t
    where t.id = old.transaction_id and private.same_tenant(t.user_id, t.organization_id, ours.user_id, ours.organization_id)
  ) then
    perform private.refuse_reference(tg_table_name, 'transaction_id', 'transactions');
  end if;
  return new;
end
$$;
comment on function private.check_transaction() is 'Refuses a transaction_id that the caller does not see, and a move to another tenant''s transaction.';

create or replace function private.check_line_item_category() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if not exists (
    select from api.categories c join api.transactions t on private.same_tenant(c.user_id, c.organization_id, t.user_id, t.organization_id)
    where c.id = new.category_id and t.id = new.transaction_id
  ) then
    perform private.refuse_reference(tg_table_name, 'category_id', 'categories');
  end if;
  return null;
end
$$;
comment on function private.check_line_item_category() is 'Refuses a category of another tenant than the transaction''s.';

create or replace function private.check_tag() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if not exists (
    select from api.tags g join api.transactions t on private.same_tenant(g.user_id, g.organization_id, t.user_id, t.organization_id)
    where g.id = new.tag_id and t.id = new.transaction_id
  ) then
    perform private.refuse_reference(tg_table_name, 'tag_id', 'tags');
  end if;
  return null;
end
$$;
comment on function private.check_tag() is 'Refuses a tag of another tenant than the transaction''s.';

create or replace function private.require_part_delete() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if current_user = 'authenticated'
    and (select organization_id from api.transactions where id = old.transaction_id) is not null
    and not private.can(tg_table_name, 'delete') then
    perform private.deny(tg_table_name);
  end if;
  return old;
end
$$;
comment on function private.require_part_delete() is 'Refuses a role without the right to delete a part of an organization''s transaction.';
