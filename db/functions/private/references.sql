-- A row may only refer to rows of its own tenant. A foreign key only checks that the row exists, so these functions and
-- transaction_parts.sql check the owner. For another tenant's row they raise the same error as the foreign key for an unknown id, so that
-- callers cannot find out which ids exist. The names of the triggers begin with a digit. So they run before the foreign key's own
-- trigger, RI_ConstraintTrigger_c_…, which raises an error without a hint.

create or replace function private.refuse_reference(p_table text, p_column text, p_referenced text) returns void
  language plpgsql set search_path = ''
as $$
begin
  -- PostgreSQL's own message; it omits the value for a caller who may not see every row
  raise foreign_key_violation using
    message = format('insert or update on table "%s" violates foreign key constraint "%s_%s_fkey"', p_table, p_table, p_column),
    detail = format('Key is not present in table "%s".', p_referenced),
    hint = private.describe_columns(format('api.%I', p_table)::regclass, p_column),
    table = p_table, schema = 'api', constraint = format('%s_%s_fkey', p_table, p_column);
end
$$;
comment on function private.refuse_reference(text, text, text) is 'Raises 23503 (HTTP 409) with the message of the foreign key.';
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

-- Only rows that the policies accept are checked, so that the error for a forbidden row reveals nothing about its references.
create or replace function private.may_write(p_table text, p_operation text, p_user_id text, p_organization_id text) returns boolean
  language sql stable
  return p_organization_id is null and p_user_id = private.personal_id()
    or p_organization_id = public.org_id() and private.can(p_table, case p_operation when 'INSERT' then 'create' else 'update' end);
comment on function private.may_write(text, text, text, text) is
  'Whether the policies let the caller write a row with this owner pair. p_operation is tg_op of the trigger.';
grant execute on function private.check_category(text, uuid, text, text), private.may_write(text, text, text, text) to authenticated;
