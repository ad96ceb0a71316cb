-- after: accounts/tables
-- Closed days: accounts.closed_until closes the days of one account, api.closings those of a context. Nothing of a
-- closed day may change: no transaction and none of its line items may be added, changed or deleted, and no opening
-- balance. Tags and attachments stay free, because they move no money.
--
-- The rule applies to every row that a request writes, also by functions, foreign keys and other triggers. So an
-- import, an undo, a bulk update, the other half of a transfer and the deletion of a category need no check of their
-- own. The owner of the database and the auth service have no claims and are exempt.

create or replace function private.closed_until(p_account_id uuid, p_user_id text, p_organization_id text) returns date
  language sql stable set search_path = ''
begin atomic
  select greatest(
    (select a.closed_until from api.accounts a where a.id = p_account_id),
    (select max(c.closed_until) from api.closings c
      where c.tenant = private.tenant_of(p_user_id, p_organization_id)))::date;
end;
comment on function private.closed_until(uuid, text, text) is
  'The last closed day of transactions with this account, which may be null, and this owner pair. Null if no day is '
  'closed.';

-- A caller chooses the time zone of a request, and could otherwise move a moment out of a closed day.
create or replace function private.closing_day(p_booked_on date, p_moment timestamptz) returns date
  language sql stable
  return coalesce(p_booked_on, least((p_moment at time zone 'UTC')::date, p_moment::date));
comment on function private.closing_day(date, timestamptz) is
  'The day that decides whether a transaction is closed: its booking day, otherwise the earlier one of its day in '
  'UTC and its day in the request''s time zone.';

create or replace function private.note_closed_days() returns boolean
  language plpgsql stable security definer set search_path = ''
as $$
begin
  -- a request writes only to its user's personal context and to the active organization
  return public.uid() is not null and set_config('private.has_closed_days', (
    exists (select from api.closings c where c.tenant in ('u:' || public.uid(), 'o:' || public.org_id()))
    or exists (
      select from api.accounts a
      where a.closed_until is not null and a.tenant in ('u:' || public.uid(), 'o:' || public.org_id())
    ))::text, true)::boolean;
end
$$;
comment on function private.note_closed_days() is
  'Whether the caller''s contexts have a closed day. False without a caller. Notes the answer in a setting.';

-- Each written row asks, so a setting keeps the answer until the request ends. Meanwhile no other request can close
-- days, because this one holds the lock of its tenants.
create or replace function private.has_closed_days() returns boolean
  -- without a SET clause, so that the planner can inline it
  language sql stable
  return coalesce(nullif(current_setting('private.has_closed_days', true), '')::boolean, private.note_closed_days());
comment on function private.has_closed_days() is
  'Whether the caller''s contexts have a closed day. False without a caller.';

create or replace function private.reject_closed(p_until date, p_detail text default null) returns void
  language plpgsql set search_path = ''
as $$
begin
  raise sqlstate 'PT409' using
    message = format('the period through %s is closed', to_char(p_until, 'YYYY-MM-DD')),
    detail = coalesce(p_detail, ''),
    hint = 'Nothing was saved. Use a later date, or reopen the period first: change closed_until of the account, or '
      'change or delete the row in closings.';
end
$$;
comment on function private.reject_closed(date, text) is 'Refuses a change of a closed day: 409.';

-- Columns that move no money. Foreign keys clear some of them, and the deletion of a subscription must not fail for it.
create or replace function private.columns_of_open_rows() returns text[]
  language sql immutable parallel safe
  return array['updated_at', 'user_id', 'import_id', 'subscription_id', 'due_on'];
comment on function private.columns_of_open_rows() is 'The columns of transactions that may change on a closed day.';

create or replace function private.last_closed_day(p_row api.transactions) returns date
  language sql stable set search_path = ''
begin atomic
  select c.until
  from (select private.closed_until((p_row).account_id, (p_row).user_id, (p_row).organization_id) as until) c
  where private.closing_day((p_row).booked_on, (p_row).transaction_date) <= c.until;
end;
comment on function private.last_closed_day(api.transactions) is
  'The last closed day of the account or context of a transaction, if the transaction is of a closed day; otherwise '
  'null.';

create or replace function private.require_open_transaction(
  p_operation text, old api.transactions, new api.transactions
) returns void
  language plpgsql security definer set search_path = ''
as $$
declare
  until date;
begin
  if to_jsonb(old) - private.columns_of_open_rows() is distinct from to_jsonb(new) - private.columns_of_open_rows() then
    until := greatest(private.last_closed_day(old), private.last_closed_day(new));
  end if;
  -- an upsert of an existing row is checked as an update, and a policy refuses a caller without the right
  if until is not null and (new is null or private.may_write('transactions', p_operation, new.tenant))
    and (p_operation <> 'INSERT' or not exists (select from api.transactions where id = new.id)) then
    perform private.reject_closed(until,
      case p_operation when 'UPDATE' then format('Transaction ID: %s', new.id) end);
  end if;
end
$$;
comment on function private.require_open_transaction(text, api.transactions, api.transactions) is
  'Refuses a change of a transaction that is of a closed day before or after it. A created or deleted transaction has '
  'only one of the two rows. p_operation is tg_op of the trigger.';

create or replace function private.require_open_days(p_transaction_ids uuid[]) returns void
  language plpgsql set search_path = '' set enable_seqscan = off
as $$
declare
  closed record;
begin
  -- the line items of a deleted transaction are deleted with it, and are not found here
  select w.id, k.until into closed
    from (
      select t.account_id, t.user_id, t.organization_id, min(d.day) as first_day,
        (array_agg(t.id order by d.day))[1] as id
      from unnest(p_transaction_ids) as touched (id)
      join api.transactions t on t.id = touched.id
      cross join lateral (select private.closing_day(t.booked_on, t.transaction_date) as day) d
      -- one look-up for each account, and not for each transaction
      group by 1, 2, 3 offset 0
    ) w
    cross join lateral (select private.closed_until(w.account_id, w.user_id, w.organization_id) as until) k
    where w.first_day <= k.until
    limit 1;
  if found then
    perform private.reject_closed(closed.until, format('Transaction ID: %s', closed.id));
  end if;
end
$$;
comment on function private.require_open_days(uuid[]) is
  'Refuses a change that would change figures of closed days, if one of the transactions is of such a day.';

-- An account that is deleted takes its closed_until along, so its transactions are checked before.
create or replace function private.keep_closed_account(
  p_operation text, p_old api.accounts, p_new api.accounts
) returns void
  language plpgsql set search_path = ''
as $$
declare
  -- an upsert of an existing row is checked as an update
  is_upsert constant boolean := p_operation = 'INSERT' and exists (select from api.accounts a where a.id = p_new.id);
  until date;
begin
  if is_upsert or not private.has_closed_days() then
    return;
  end if;
  until := private.closed_until(
    p_old.id,
    coalesce(p_old.user_id, p_new.user_id),
    coalesce(p_old.organization_id, p_new.organization_id));
  -- the opening balance is of opened_on, or of before all days
  if p_operation = 'DELETE' and exists (
      select from api.transactions t
      where t.account_id = p_old.id and private.closing_day(t.booked_on, t.transaction_date) <= until
    )
    or (p_old.balance, p_old.opened_on, p_old.currency)
      is distinct from (p_new.balance, p_new.opened_on, p_new.currency)
      and (p_old.balance <> 0 and coalesce(p_old.opened_on, '-infinity') <= until
        or p_new.balance <> 0 and coalesce(p_new.opened_on, '-infinity') <= until) then
    perform private.reject_closed(until, case p_operation
      when 'DELETE' then 'The account has transactions or an opening balance in this period.'
      else 'The date of an opening balance is opened_on. If that is null, it comes before all other dates.'
    end);
  end if;
end
$$;
comment on function private.keep_closed_account(text, api.accounts, api.accounts) is
  'Refuses a changed opening balance of a closed day, and the deletion of an account with transactions or an '
  'opening balance of a closed day.';

grant execute on function private.closed_until(uuid, text, text), private.closing_day(date, timestamptz),
  private.has_closed_days(), private.reject_closed(date, text),
  private.keep_closed_account(text, api.accounts, api.accounts), private.require_open_days(uuid[]),
  private.require_open_transaction(text, api.transactions, api.transactions), private.note_closed_days()
  to authenticated;
