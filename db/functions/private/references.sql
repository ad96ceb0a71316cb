-- A row refers to rows of its own tenant. A foreign key only asks whether the other row exists, so the triggers here and in
-- transaction_parts.sql ask whose it is. They refuse another tenant's row in the words in which the foreign key refuses an
-- unknown id, so that nobody learns which ids exist. Their names begin with a digit, so they run before the foreign key's own
-- trigger, RI_ConstraintTrigger_c_…, which has no hint.

create or replace function private.refuse_reference(p_table text, p_column text, p_referenced text) returns void
  language plpgsql set search_path = ''
as $$
begin
  -- PostgreSQL's own words; it leaves the value out for a caller who may not see every row
  raise foreign_key_violation using
    message = format('insert or update on table "%s" violates foreign key constraint "%s_%s_fkey"', p_table, p_table, p_column),
    detail = format('Key is not present in table "%s".', p_referenced),
    hint = private.describe_columns(format('api.%I', p_table)::regclass, p_column),
    table = p_table, schema = 'api', constraint = format('%s_%s_fkey', p_table, p_column);
end
$$;
comment on function private.refuse_reference(text, text, text) is 'Raises 23503 (HTTP 409) as the foreign key does.';
grant execute on function private.refuse_reference(text, text, text) to authenticated;

create or replace function private.check_category(p_table text, p_category_id uuid, p_user_id text, p_organization_id text) returns void
  language plpgsql set search_path = ''
as $$
begin
  if not exists (
    select from api.categories c
    where c.id = p_category_id and private.same_tenant(c.user_id, c.organization_id, p_user_id, p_organization_id)
  ) then
    perform private.refuse_reference(p_table, 'category_id', 'categories');
  end if;
end
$$;
comment on function private.check_category(text, uuid, text, text) is 'Refuses a category of another tenant than the row''s.';

-- A row that the row rules will refuse is not checked, so that its refusal says nothing of its references.
create or replace function private.may_write(p_table text, p_operation text, p_user_id text, p_organization_id text) returns boolean
  language sql stable
  return p_organization_id is null and p_user_id = private.personal_id()
    or p_organization_id = public.org_id() and private.can(p_table, case p_operation when 'INSERT' then 'create' else 'update' end);
comment on function private.may_write(text, text, text, text) is 'Whether the policies let the caller write a row of this owner pair. The operation is a trigger''s.';
grant execute on function private.check_category(text, uuid, text, text), private.may_write(text, text, text, text) to authenticated;
