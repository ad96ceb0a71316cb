-- A row refers to rows of its own tenant. A foreign key only asks whether the other row exists, so the triggers here and in
-- transaction_parts.sql ask whose it is. They refuse another tenant's row in the words in which the foreign key refuses an
-- unknown id, so that nobody learns which ids exist. They come before the foreign key's own trigger (db/rules/_refusals.sql),
-- so that both have the hint.

create or replace function private.refuse_reference(p_table text, p_column text, p_referenced text) returns void
  language plpgsql set search_path = ''
as $$
begin
  -- PostgreSQL's own words; it leaves the value out for a caller who may not see every row
  raise foreign_key_violation using
    message = format('insert or update on table "%s" violates foreign key constraint "%s_%s_fkey"', p_table, p_table, p_column),
    detail = format('Key is not present in table "%s".', p_referenced),
    hint = private.what_fits(format('api.%I', p_table)::regclass, p_column),
    table = p_table, schema = 'api', constraint = format('%s_%s_fkey', p_table, p_column);
end
$$;
comment on function private.refuse_reference(text, text, text) is 'Raises 23503 (HTTP 409) as the foreign key does.';
grant execute on function private.refuse_reference(text, text, text) to authenticated;

create or replace function private.check_category() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if not exists (
    select from api.categories c
    where c.id = new.category_id and private.same_tenant(c.user_id, c.organization_id, new.user_id, new.organization_id)
  ) then
    perform private.refuse_reference(tg_table_name, 'category_id', 'categories');
  end if;
  return null;
end
$$;
comment on function private.check_category() is 'Refuses a category of another tenant than the row''s.';

-- Where the category is part of a unique key, the key would be asked first, and tell that another tenant's category has such a
-- row. Of a row that the row rules will refuse nothing is said here.
create or replace function private.check_category_of_key() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if (new.organization_id is null and new.user_id = private.personal_id() or new.organization_id = public.org_id() and private.can(tg_table_name, 'create')) and not exists (
    select from api.categories c
    where c.id = new.category_id and private.same_tenant(c.user_id, c.organization_id, new.user_id, new.organization_id)
  ) then
    perform private.refuse_reference(tg_table_name, 'category_id', 'categories');
  end if;
  return new;
end
$$;
comment on function private.check_category_of_key() is 'Refuses a category of another tenant than the row''s before the row''s key is asked for.';
