-- after: imports/tables
-- The balance that a file states. An import stores it in api.balances with the caller's rights, and its deletion
-- takes it back.
--
-- An undo needs nothing of this: it reverts the row of api.balances like any other row of its request.

create or replace function private.read_stated_balance(
  p_balance numeric, p_balance_on text, p_currency text
) returns date
  language plpgsql stable set search_path = ''
as $$
begin
  if p_balance is null and p_balance_on is null then
    return null;
  end if;
  if p_balance is null or p_balance_on is null then
    perform private.invalid('p_balance and p_balance_on must be sent together',
      'Send the balance and its date, or neither.');
  end if;
  if p_currency is null then
    perform private.invalid('p_balance needs p_account_id', 'A balance belongs to an account.');
  end if;
  if p_balance = 'NaN' or abs(p_balance) >= 999999999999.995 then
    perform private.invalid(
      format('p_balance is not a valid balance: %s', left(p_balance::text, 40)),
      'Must be a number between -1,000,000,000,000 and 1,000,000,000,000 with up to 2 decimal places.');
  end if;
  if not private.fits_cents(p_balance, p_currency)
    or private.currency_decimals(p_currency) = 0 and p_balance <> trunc(p_balance) then
    perform private.reject_value('api.balances', 'balances_balance_fits_currency');
  end if;
  return coalesce(private.whole_day(p_balance_on), private.to_moment(p_balance_on, 'p_balance_on', false)::date);
end
$$;
comment on function private.read_stated_balance(numeric, text, text) is
  'The day of a balance that a file states; null if it states none. p_currency is the account''s. Raises 400 for a '
  'balance that cannot be stored.';

-- Runs with the definer's rights, because callers have no access to private.import_balances. It stores only a row of
-- this request's import.
create or replace function private.note_import_balance(
  p_import_id uuid, p_balance_id uuid, p_replaced jsonb
) returns void
  language sql volatile security definer set search_path = ''
begin atomic
  insert into private.import_balances (import_id, balance_id, replaced, balance, tenant)
    select i.id, b.id, p_replaced, b.balance, i.tenant
    from api.imports i
    join api.balances b on b.id = p_balance_id and b.tenant = i.tenant
    where i.id = p_import_id and i.id::text = current_setting('private.import', true);
end;
comment on function private.note_import_balance(uuid, uuid, jsonb) is
  'Notes the balance that an import has stored, and the balance and source that it replaced.';

create or replace function private.store_stated_balance(
  p_import_id uuid, p_account_id uuid, p_balance numeric, p_day date
) returns void
  language plpgsql volatile set search_path = ''
as $$
declare
  former api.balances;
  stored uuid;
begin
  select * into former from api.balances b where b.account_id = p_account_id and b.on_date = p_day;
  insert into api.balances as b (account_id, on_date, balance, source)
    values (p_account_id, p_day, p_balance, 'statement')
    on conflict (account_id, on_date) do update set balance = excluded.balance, source = excluded.source
      where (b.balance, b.source) <> (excluded.balance, excluded.source)
    returning id into stored;
  if stored is not null and p_import_id is not null then
    perform private.note_import_balance(p_import_id, stored,
      case when former.id is not null then jsonb_build_object('balance', former.balance, 'source', former.source) end);
  end if;
end
$$;
comment on function private.store_stated_balance(uuid, uuid, numeric, date) is
  'Stores the balance that a file states, in place of another one of that day. p_import_id is null if the file has '
  'no row to store.';

-- Runs with the definer's rights, as revert_import_updates() does. A balance that was changed since stays.
create or replace function private.revert_import_balance(p_import api.imports) returns void
  language sql volatile security definer set search_path = ''
begin atomic
  delete from api.balances b
    using private.import_balances n
    where n.import_id = p_import.id and n.replaced is null and b.id = n.balance_id
      and (b.balance, b.source) = (n.balance, 'statement')
      and b.tenant = p_import.tenant;
  update api.balances b
    set balance = (n.replaced ->> 'balance')::numeric, source = n.replaced ->> 'source'
    from private.import_balances n
    where n.import_id = p_import.id and n.replaced is not null and b.id = n.balance_id
      and (b.balance, b.source) = (n.balance, 'statement')
      and b.tenant = p_import.tenant;
end;
comment on function private.revert_import_balance(api.imports) is
  'Deletes the balance that a deleted import has stored, or restores the one that it replaced.';

grant execute on function private.read_stated_balance(numeric, text, text),
  private.note_import_balance(uuid, uuid, jsonb),
  private.store_stated_balance(uuid, uuid, numeric, date) to authenticated;
