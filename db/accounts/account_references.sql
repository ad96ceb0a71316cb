-- after: core
-- Rows that name an account belong to its tenant, and a transaction has its currency. So a balance is a single sum.

create or replace function private.currency_of_account(
  p_account_id uuid, p_user_id text, p_organization_id text
) returns text
  language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select a.currency from api.accounts a
    where a.id = p_account_id and a.tenant = private.tenant_of(p_user_id, p_organization_id)
      -- Row security later refuses a row outside the caller's tenants. This check reveals nothing about the accounts
      -- of such a tenant.
      and (public.uid() is null or case
        when p_organization_id is null then private.personal_id() is not null
        else p_organization_id = public.org_id()
      end)
  );
end
$$;
comment on function private.currency_of_account(uuid, text, text) is
  'The currency of an account in the row''s tenant. Null if the account is of another tenant, or the caller has no '
  'access to the tenant.';
grant execute on function private.currency_of_account(uuid, text, text) to authenticated;

create or replace function private.check_account(
  p_table text, p_operation text, p_tenant text, p_account_id uuid, p_currency text, p_column text default 'account_id'
) returns void
  language plpgsql security definer set search_path = ''
as $$
declare
  kept_in text;
begin
  select currency into kept_in from api.accounts where tenant = p_tenant and id = p_account_id;
  if not found then
    perform private.reject_missing(p_table, p_operation, p_tenant, p_column, 'accounts');
  elsif p_currency <> kept_in and private.may_write(p_table, p_operation, p_tenant) then
    perform private.invalid(
      format('the account is in %s, but the %s is in %s', upper(kept_in),
        case p_table when 'subscriptions' then 'recurring item' else rtrim(p_table, 's') end, upper(p_currency)),
      case
        when p_column = 'to_account_id' then
          'Recurring transfers need two accounts in the same currency, because exchange rates aren''t known in advance.'
        when p_table = 'transactions' then
          'Omit currency or send the account''s currency. To move money between currencies, use /rpc/create_transfer.'
        else 'Send the account''s currency. A recurring item doesn''t inherit it.'
      end);
  end if;
end
$$;
comment on function private.check_account(text, text, text, uuid, text, text) is
  'Raises 409 for an account of another tenant than the row''s, as the foreign key does, and 400 for an account of '
  'another currency. A null currency is not compared.';
grant execute on function private.check_account(text, text, text, uuid, text, text) to authenticated;
