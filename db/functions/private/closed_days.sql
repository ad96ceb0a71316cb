-- Closed days: accounts.closed_until closes the days of one account, api.closings those of a context. Nothing of a closed day may change:
-- no transaction and none of its line items may be added, changed or deleted, and no opening balance. Tags and attachments stay free,
-- because they move no money.
--
-- The rule applies to every statement of a request, also to those of functions, foreign keys and other triggers. So an import, an undo, a
-- bulk update, the other half of a transfer and the deletion of a category need no check of their own. The owner of the database and the
-- auth service have no claims and are exempt. Triggers check once for each statement, because a check of each row would slow imports.

create or replace function private.closed_until(p_account_id uuid, p_user_id text, p_organization_id text) returns date
  language sql stable set search_path = ''
begin atomic
  select greatest(
    (select a.closed_until from api.accounts a where a.id = p_account_id),
    case
      when p_organization_id is null then (select max(c.closed_until) from api.closings c where c.user_id = p_user_id and c.organization_id is null)
      else (select max(c.closed_until) from api.closings c where c.organization_id = p_organization_id)
    end)::date;
end;
comment on function private.closed_until(uuid, text, text) is
  'The last closed day of transactions with this account, which may be null, and this owner pair. Null if no day is closed.';

create or replace function private.has_closed_days() returns boolean
  language sql stable set search_path = ''
begin atomic
  -- a request writes only to its user's personal context and to the active organization
  select public.uid() is not null and (
    exists (select from api.closings c where c.user_id = public.uid() and c.organization_id is null or c.organization_id = public.org_id())
    or exists (select from api.accounts a where a.closed_until is not null and (a.user_id = public.uid() and a.organization_id is null or a.organization_id = public.org_id())));
end;
comment on function private.has_closed_days() is 'Whether the caller''s contexts have a closed day. False without a caller.';

create or replace function private.refuse_closed(p_until date, p_detail text default null) returns void
  language plpgsql set search_path = ''
as $$
begin
  raise sqlstate 'PT409' using
    message = format('the days until %s are closed', to_char(p_until, 'YYYY-MM-DD')), detail = coalesce(p_detail, ''),
    hint = 'Nothing was stored. Use a later day. Or open the days first: change closed_until of the account, or change or delete the row of closings.';
end
$$;
comment on function private.refuse_closed(date, text) is 'Refuses a change of a closed day: 409.';

-- Columns that move no money. Foreign keys clear some of them, and the deletion of a subscription must not fail for it.
create or replace function private.columns_of_open_rows() returns text[]
  language sql immutable parallel safe
  return array['updated_at', 'user_id', 'import_id', 'subscription_id', 'due_on'];
comment on function private.columns_of_open_rows() is 'The columns of transactions that may change on a closed day.';

create or replace function private.refuse_closed_transactions() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  until date;
begin
  if private.has_closed_days() then
    select k.until into until
      from (
        select w.first_day, private.closed_until(w.account_id, w.user_id, w.organization_id) as until
        from (select account_id, user_id, organization_id, min(coalesce(booked_on, transaction_date::date)) as first_day from written group by 1, 2, 3 offset 0) w
      ) k
      where k.first_day <= k.until
      limit 1;
    if found then
      perform private.refuse_closed(until);
    end if;
  end if;
  return null;
end
$$;
comment on function private.refuse_closed_transactions() is 'Refuses the creation and the deletion of transactions of closed days.';

create or replace function private.refuse_closed_change() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  closed_days jsonb;
  closed record;
begin
  if not private.has_closed_days() then
    return null;
  end if;
  -- one look-up for each account, and not for each row
  select jsonb_object_agg(k.key, k.until) into closed_days
    from (
      select jsonb_build_array(w.account_id, w.user_id, w.organization_id)::text as key, w.first_day,
        private.closed_until(w.account_id, w.user_id, w.organization_id) as until
      from (
        select account_id, user_id, organization_id, min(coalesce(booked_on, transaction_date::date)) as first_day
        from (select * from old_rows union all select * from new_rows) r
        group by 1, 2, 3 offset 0
      ) w
    ) k
    where k.first_day <= k.until;
  if closed_days is null then
    return null;
  end if;
  select n.id, greatest(c.old_until, c.new_until) as until into closed
    -- a full join cannot become a nested loop, which would compare each row with every other row
    from old_rows o full join new_rows n on n.id = o.id
    cross join lateral (
      select case when coalesce(o.booked_on, o.transaction_date::date) <= k.old_until then k.old_until end as old_until,
        case when coalesce(n.booked_on, n.transaction_date::date) <= k.new_until then k.new_until end as new_until
      from (
        select (closed_days ->> jsonb_build_array(o.account_id, o.user_id, o.organization_id)::text)::date as old_until,
          (closed_days ->> jsonb_build_array(n.account_id, n.user_id, n.organization_id)::text)::date as new_until
      ) k
    ) c
    where num_nonnulls(c.old_until, c.new_until) > 0 and to_jsonb(o) - private.columns_of_open_rows() <> to_jsonb(n) - private.columns_of_open_rows()
    limit 1;
  if found then
    perform private.refuse_closed(closed.until, format('The transaction is %s.', closed.id));
  end if;
  return null;
end
$$;
comment on function private.refuse_closed_change() is 'Refuses a change of transactions that are of a closed day before or after it.';

create or replace function private.require_open_days(p_transaction_ids uuid[]) returns void
  language plpgsql set search_path = '' set enable_seqscan = off
as $$
declare
  closed record;
begin
  -- the line items of a deleted transaction are deleted with it, and are not found here
  select w.id, k.until into closed
    from (
      select t.account_id, t.user_id, t.organization_id, min(d.day) as first_day, (array_agg(t.id order by d.day))[1] as id
      from unnest(p_transaction_ids) as touched (id)
      join api.transactions t on t.id = touched.id
      cross join lateral (select coalesce(t.booked_on, t.transaction_date::date) as day) d
      -- one look-up for each account, and not for each transaction
      group by 1, 2, 3 offset 0
    ) w
    cross join lateral (select private.closed_until(w.account_id, w.user_id, w.organization_id) as until) k
    where w.first_day <= k.until
    limit 1;
  if found then
    perform private.refuse_closed(closed.until, format('The transaction is %s.', closed.id));
  end if;
end
$$;
comment on function private.require_open_days(uuid[]) is 'Refuses a change that would change figures of closed days, if one of the transactions is of such a day.';

create or replace function private.refuse_closed_items() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if private.has_closed_days() then
    perform private.require_open_days(array(select distinct transaction_id from written));
  end if;
  return null;
end
$$;
comment on function private.refuse_closed_items() is 'Refuses the creation and the deletion of line items of transactions of closed days.';

create or replace function private.refuse_closed_item_change() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if private.has_closed_days() then
    perform private.require_open_days(array(
      select distinct transaction_id from ((table old_rows except table new_rows) union all (table new_rows except table old_rows)) as changed));
  end if;
  return null;
end
$$;
comment on function private.refuse_closed_item_change() is 'Refuses changed line items of transactions of closed days.';

-- An account that is deleted takes its closed_until along, so its transactions are checked before.
create or replace function private.keep_closed_account(p_operation text, p_old api.accounts, p_new api.accounts) returns void
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
  until := private.closed_until(p_old.id, coalesce(p_old.user_id, p_new.user_id), coalesce(p_old.organization_id, p_new.organization_id));
  -- the opening balance is of opened_on, or of before all days
  if p_operation = 'DELETE' and exists (select from api.transactions t where t.account_id = p_old.id and coalesce(t.booked_on, t.transaction_date::date) <= until)
    or (p_old.balance, p_old.opened_on, p_old.currency) is distinct from (p_new.balance, p_new.opened_on, p_new.currency)
      and (p_old.balance <> 0 and coalesce(p_old.opened_on, '-infinity') <= until or p_new.balance <> 0 and coalesce(p_new.opened_on, '-infinity') <= until) then
    perform private.refuse_closed(until, case p_operation when 'DELETE' then 'The account has transactions or an opening balance of these days.'
      else 'An opening balance is of opened_on, or of before all days if that is null.' end);
  end if;
end
$$;
comment on function private.keep_closed_account(text, api.accounts, api.accounts) is
  'Refuses a changed opening balance of a closed day, and the deletion of an account with transactions or an opening balance of a closed day.';

grant execute on function private.closed_until(uuid, text, text), private.has_closed_days(), private.refuse_closed(date, text),
  private.keep_closed_account(text, api.accounts, api.accounts), private.require_open_days(uuid[]) to authenticated;
