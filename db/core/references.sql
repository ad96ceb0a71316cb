-- after: core/tenants
-- A row may only refer to rows of its own tenant. The foreign keys contain the tenant. PostgreSQL's own error has no
-- hint and names the values of the key, so before_row() looks first. It refuses only rows that the policies accept, so
-- that the error for a forbidden row reveals nothing about its references. The policy or the foreign key refuses the
-- others.

create or replace function private.reject_reference(p_table text, p_column text, p_referenced text) returns void
  language plpgsql set search_path = ''
as $$
begin
  -- PostgreSQL's own message; it omits the value for a caller who may not see every row
  raise foreign_key_violation using
    message = format('insert or update on table "%s" violates foreign key constraint "%s_%s_fkey"',
      p_table, p_table, p_column),
    detail = format('Key is not present in table "%s".', p_referenced),
    hint = private.describe_columns(format('api.%I', p_table)::regclass, p_column),
    table = p_table, schema = 'api', constraint = format('%s_%s_fkey', p_table, p_column);
end
$$;
comment on function private.reject_reference(text, text, text) is
  'Raises 23503 (HTTP 409) with the message of the foreign key.';
grant execute on function private.reject_reference(text, text, text) to authenticated;

create or replace function private.may_write(p_table text, p_operation text, p_tenant text) returns boolean
  language sql stable
  -- the owner of the database and the auth service have no claims
  return public.uid() is null or p_tenant = private.personal_tenant()
    or p_tenant = private.team_tenant(p_table, case p_operation when 'INSERT' then 'create' else 'update' end);
comment on function private.may_write(text, text, text) is
  'Whether the policies let the caller write a row of this tenant. p_operation is tg_op of the trigger.';

create or replace function private.reject_missing(
  p_table text, p_operation text, p_tenant text, p_column text, p_referenced text
) returns void
  language plpgsql set search_path = ''
as $$
begin
  if private.may_write(p_table, p_operation, p_tenant) then
    perform private.reject_reference(p_table, p_column, p_referenced);
  end if;
end
$$;
comment on function private.reject_missing(text, text, text, text, text) is
  'Refuses a reference to a row that the tenant does not have, if the caller may write the row.';

create or replace function private.check_category(
  p_table text, p_operation text, p_tenant text, p_category_id uuid, p_column text default 'category_id'
) returns void
  language plpgsql security definer set search_path = ''
as $$
begin
  if not exists (select from api.categories where tenant = p_tenant and id = p_category_id) then
    perform private.reject_missing(p_table, p_operation, p_tenant, p_column, 'categories');
  end if;
end
$$;
comment on function private.check_category(text, text, text, uuid, text) is
  'Refuses a category of another tenant than the row''s.';
grant execute on function private.may_write(text, text, text), private.reject_missing(text, text, text, text, text),
  private.check_category(text, text, text, uuid, text) to authenticated;
