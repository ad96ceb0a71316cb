-- What belongs to an account is of the account's tenant, and a transaction of the account's currency, so that a balance is one sum.

create or replace function private.take_currency() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  new.currency := coalesce(
    (
      select a.currency from api.accounts a
      where a.id = new.account_id and private.same_tenant(a.user_id, a.organization_id, new.user_id, new.organization_id)
        -- row security refuses a row that the caller does not reach later, and until then nothing may tell of its accounts
        and (public.uid() is null or case when new.organization_id is null then private.personal_id() is not null else new.organization_id = public.org_id() end)
    ), 'usd');
  return new;
end
$$;
comment on function private.take_currency() is 'Gives a transaction that names no currency its account''s, or usd when it is not found.';

-- by itself, because most transactions are of no account, and a look-up with the definer's rights would cost them a fifth
create or replace function private.take_usd() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  new.currency := 'usd';
  return new;
end
$$;
comment on function private.take_usd() is 'Gives a transaction that names neither currency nor account the currency usd.';

create or replace function private.check_account() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  kept_in text;
begin
  select a.currency into kept_in from api.accounts a
    where a.id = new.account_id and private.same_tenant(a.user_id, a.organization_id, new.user_id, new.organization_id);
  if not found then
    perform private.refuse_reference(tg_table_name, 'account_id', 'accounts');
  end if;
  -- an import has no currency that could be asked for
  if tg_table_name = 'transactions' then
    if new.currency <> kept_in then
      perform private.invalid(
        format('the account is of %s, the transaction of %s', kept_in, new.currency),
        'Leave currency out or send the account''s; /rpc/create_transfer moves money between currencies.');
    end if;
  elsif tg_table_name = 'subscriptions' then
    -- what it records would be refused
    if new.currency <> kept_in then
      perform private.invalid(format('the account is of %s, the subscription of %s', kept_in, new.currency), 'Send the account''s currency; a subscription does not take it by itself.');
    end if;
  end if;
  return null;
end
$$;
comment on function private.check_account() is
  'Refuses an account of another tenant than the row''s: 409 as the foreign key does; and for a transaction or a subscription of another currency than the account''s: 400.';

create or replace function private.keep_currency_of_account() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if exists (select from api.transactions t where t.account_id = new.id) then
    perform private.invalid(
      format('the account has transactions in %s', old.currency),
      'The currency of an account can change as long as it has no transaction and no subscription. Create another account.');
  end if;
  -- what they record would be refused
  if exists (select from api.subscriptions s where s.account_id = new.id) then
    perform private.invalid(
      format('the account has subscriptions in %s', old.currency),
      'Change account_id and currency of its subscriptions first, or create another account.');
  end if;
  return null;
end
$$;
comment on function private.keep_currency_of_account() is 'Refuses another currency for an account that has transactions or subscriptions: 400.';
