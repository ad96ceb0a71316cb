-- after: core

create or replace function api.delete_category(p_category_id uuid, p_replacement_id uuid default null) returns jsonb
  language plpgsql volatile set search_path = ''
as $$
declare
  category record;
  replacement record;
  transactions bigint;
  subscriptions bigint;
  line_items bigint;
begin
  select id, organization_id, tenant into category from api.categories where id = p_category_id;
  if not found then
    raise sqlstate 'PT404' using message = 'category not found',
      hint = 'p_category_id must be the ID of a category you can access.';
  end if;
  if category.organization_id is not null and not private.can('categories', 'delete') then
    perform private.deny('categories');
  end if;
  if p_replacement_id = p_category_id then
    perform private.invalid('a category can''t replace itself',
      'p_replacement_id must be the ID of another category in the same workspace. Omit it to leave the rows without '
      'a category.');
  end if;
  if p_replacement_id is not null then
    select id, parent_id into replacement from api.categories c
      where c.id = p_replacement_id and c.tenant = category.tenant;
    if not found then
      raise sqlstate 'PT404' using message = 'replacement category not found',
        hint = 'p_replacement_id must be the ID of another category in the same workspace. Omit it to leave the rows '
          'without a category.';
    end if;
    if replacement.parent_id = p_category_id then
      update api.categories set parent_id = null where id = p_replacement_id;
      replacement.parent_id := null;
    end if;
    update api.categories set parent_id = coalesce(replacement.parent_id, p_replacement_id)
    where parent_id = p_category_id;
  end if;
  update api.transactions set category_id = p_replacement_id where category_id = p_category_id;
  get diagnostics transactions = row_count;
  update api.subscriptions set category_id = p_replacement_id where category_id = p_category_id;
  get diagnostics subscriptions = row_count;
  update api.line_items set category_id = p_replacement_id where category_id = p_category_id;
  get diagnostics line_items = row_count;
  -- without a replacement the foreign key clears the action, and the trigger deactivates a rule without any other
  update api.rules set set_category_id = p_replacement_id
  where set_category_id = p_category_id and p_replacement_id is not null;
  delete from api.categories where id = p_category_id;
  return jsonb_build_object(
    'category_id', p_category_id, 'replacement_id', p_replacement_id,
    'transactions', transactions, 'subscriptions', subscriptions, 'line_items', line_items);
end
$$;
comment on function api.delete_category(uuid, uuid) is
  E'Deletes a category safely\n\n'
  'Moves all rows of `p_category_id` to `p_replacement_id`, a category of the same context, or leaves them without '
  'a category if you leave that out. Its subcategories move below the replacement, or below the parent of that; a '
  'replacement that is one of them takes its place. Without a replacement they stay without a parent. Then deletes '
  'the category with its budgets. Either all of it happens or nothing.\n\n'
  'Returns {`category_id`, `replacement_id`, `transactions`, `subscriptions`, `line_items`}; the last three are the '
  'numbers of moved rows. 404 if you do not see one of the two categories. 403 if your role may not delete.';
grant execute on function api.delete_category(uuid, uuid) to authenticated;
