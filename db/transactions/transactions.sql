-- after: activity/activity_rows, imports/import_history
-- after: transactions/line_item_sums, transactions/pages, transfers/transfer_halves
-- Transactions: paid, pending and failed.

comment on table api.transactions is
$$Transactions: paid, pending or failed

You see your personal transactions and, while an organization is active, the organization's. `tenant=eq.o:<id>`, or
`tenant=eq.u:<your id>`, narrows a list to one of the two. With `order=transaction_date.desc,id&limit=50` the database
reads only the newest rows; with a further filter and an active organization only if the list is narrowed like this.

Imports can be repeated. A row with an `external_id` is identified by its context, `source` and `external_id`. Send
the same rows again with `Prefer: resolution=merge-duplicates` or `Prefer: resolution=ignore-duplicates` and
`on_conflict=id` (or leave it out): each stays one row, even if another member of the team sends it. Without a
resolution an existing row is 409.

The deletion of a transaction deletes its line items and tag associations. Embed with
`select=*,category:categories(id,name),line_items(*),tags(*)`.$$;
comment on column api.transactions.id is 'Identifier';
comment on column api.transactions.amount is
  'Amount, negative for an expense. Up to 2 decimal places; further ones are rounded half away from zero. In a '
  'currency with 3 decimals, such as `kwd`, a third is rejected; in one without decimals, such as `jpy`, it must be '
  'a whole number; below 1,000,000,000,000';
comment on column api.transactions.name is 'Title, 1 to 255 characters, not only blanks';
comment on column api.transactions.currency is
  'ISO 4217 code, such as `usd`, `eur` or `jpy`, stored in lower case. Default the account''s; without an account '
  '`usd`';
comment on column api.transactions.external_id is
  'Reference of an imported row, 1 to 255 characters; unique per workspace and source';
comment on column api.transactions.category_id is 'Id of a category in the same workspace';
comment on column api.transactions.reference_no is 'Reference or invoice number, up to 255 characters';
comment on column api.transactions.description is 'Up to 5000 characters';
comment on column api.transactions.status is '`paid`, `pending` or `failed`';
comment on column api.transactions.source is 'Origin of the row, 1 to 64 characters';
comment on column api.transactions.metadata is
  'Free JSON, up to 16 KiB and 16 levels; its numbers are below 1e30 and have up to 50 decimal places';
comment on column api.transactions.account_id is 'Id of an account in the same workspace and currency';
comment on column api.transactions.transfer_id is
  'The transfer: the same on both sides. Set by `/rpc/create_transfer`, or with both sides of a transfer in one '
  'request; cannot be changed. The transaction''s own `id` marks a transfer whose other side isn''t in any account: '
  'you may set and clear it';
comment on column api.transactions.subscription_id is
  'Id of a subscription in the same workspace: this transaction records its due day `due_on`. Set by '
  '`/rpc/record_subscription`. Set it yourself on a transaction that is already there, or clear it';
comment on column api.transactions.due_on is
  'The recorded due day of the subscription: a date between 1900 and 2199. It stays when the transaction is moved '
  'to another day';
comment on column api.transactions.import_id is 'The import that created it. Set by `/rpc/import_transactions`';
comment on column api.transactions.transaction_date is
  'Time of the transaction: a date or date-time between 1900 and 2199. A date is the first moment of that day in '
  'the request''s time zone, and sets `booked_on`. Default current time';
comment on column api.transactions.booked_on is
  'The bank''s booking day, the same for every member and time zone: a date that `transaction_date` falls on in '
  'some time zone. Set if `transaction_date` is sent as a whole day; null if it is a moment. Reports and budgets '
  'count by it';
comment on column api.transactions.user_id is 'Id of the user who created it. Filled from the JWT; cannot be changed';
comment on column api.transactions.organization_id is
  'The team it belongs to. Filled from the JWT when an organization is active; send null for a personal '
  'transaction; cannot be changed';
comment on column api.transactions.tenant is
  'The owner of the row: `o:` and the organization''s id, or `u:` and the user''s id for a personal row. Set by the '
  'service. `tenant=eq.…` lists one workspace';
comment on column api.transactions.created_at is 'Set by the service';
comment on column api.transactions.updated_at is 'Set by the service at each change';


-- A list of two tenants reads no row that is older than its page: pages.sql.
alter table api.transactions enable row level security;
create policy transactions_read on api.transactions for select to authenticated
  using (private.is_not_explained()
    and transaction_date >= (select private.oldest_of_page(private.rows_of_page('transactions')))
    and (tenant = (select private.personal_tenant()) or tenant = (select private.team_tenant('transactions', 'list'))));
create policy transactions_create on api.transactions for insert to authenticated
  with check (
    case
      when tenant = (select private.personal_tenant())
        or tenant = (select private.team_tenant('transactions', 'create')) then true
      else private.deny('transactions')
    end);
-- A member who may only list finds the row, so that the check answers 403 and the change is not silently missed.
create policy transactions_update on api.transactions for update to authenticated
  using (tenant = (select private.personal_tenant())
    or tenant = (select private.team_tenant('transactions', 'list')))
  with check (
    case
      when tenant = (select private.personal_tenant())
        or tenant = (select private.team_tenant('transactions', 'update')) then true
      else private.deny('transactions')
    end);
create policy transactions_delete on api.transactions for delete to authenticated
  using (tenant = (select private.personal_tenant())
    or tenant = (select private.team_tenant('transactions', 'list')));
insert into private.role_permissions (role, resource, action) select role, 'transactions', action from usual_rights;
grant select on api.transactions to anon;
grant select, insert, update, delete on api.transactions to authenticated;

-- A transaction that is sent with a whole day stores it in booked_on, and the first moment of the day in the
-- request's time zone in transaction_date. So a booking day is the same for every member, in any time zone. A caller
-- may send one or both columns: before_row() completes one from the other.
create or replace function private.note_sent_day() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  perform set_config('private.sent_day', concat_ws(' ', new.id, new.booked_on), true);
  return new;
end
$$;
comment on function private.note_sent_day() is 'Notes for transactions_before_row() that an update names booked_on.';

-- Over 80 lines, because it names each check of a column.
create or replace function private.transactions_before_row() returns trigger
  language plpgsql set search_path = ''
as $$
declare
  by_caller constant boolean := current_user = 'authenticated';
  day date;
  sent text[];
  broken text;
begin
  if private.count_exceeds_limit(tg_op) then
    perform private.reject_many_rows();
  end if;
  if tg_op = 'DELETE' then
    if by_caller and old.organization_id is not null and not private.can('transactions', 'delete') then
      perform private.deny('transactions');
    end if;
    if private.has_closed_days() then
      perform private.require_open_transaction(tg_op, old, null);
    end if;
    return old;
  end if;
  if tg_op = 'INSERT' then
    if by_caller then
      new.user_id := private.owner_of_new('transactions', new.id, new.user_id);
      new.created_at := now();
      new.updated_at := now();
    end if;
    new.tenant := private.tenant_of(new.user_id, new.organization_id);
    if by_caller and new.external_id is not null and new.import_id is null then
      -- api.import_transactions() has already looked up its rows
      new := private.recognize_import(new);
    end if;
    if new.currency is null then
      new.currency := coalesce(
        case
          when new.account_id is not null
            then private.currency_of_account(new.account_id, new.user_id, new.organization_id)
        end,
        'usd');
    end if;
    if by_caller and new.import_id is not null and not private.is_of_import(new.id, new.import_id) then
      perform private.invalid('import_id can''t be set or changed',
        'Omit it, or send it unchanged. Only /rpc/import_transactions sets it.');
    end if;
    day := private.marked_day(new.transaction_date);
    -- transaction_date equals now() only if the caller left it out
    if by_caller and (day is not null or new.booked_on is not null and new.transaction_date = now()) then
      if day is not null then
        if new.booked_on <> day then
          perform private.reject_row(tg_relid, tg_op, new, 'transactions_booked_on_is_day_of_date');
        end if;
        new.booked_on := day;
        -- an upsert passes only the sent columns to the update, so this setting passes the day
        perform set_config('private.whole_day', new.id || ' ' || day, true);
      end if;
      new.transaction_date := new.booked_on::timestamptz;
    end if;
  else
    if by_caller then
      if new.import_id is distinct from old.import_id then
        perform private.invalid('import_id can''t be set or changed',
          'Omit it, or send it unchanged. Only /rpc/import_transactions sets it.');
      end if;
      sent := string_to_array(current_setting('private.sent_day', true), ' ');
      if new.booked_on is distinct from old.booked_on and new.transaction_date = old.transaction_date
        and new.transaction_date::date <> new.booked_on then
        -- the caller sent only the day
        new.transaction_date := new.booked_on::timestamptz;
      elsif new.transaction_date <> old.transaction_date
        or current_setting('private.whole_day', true) like new.id || ' %' then
        day := coalesce(
          private.marked_day(new.transaction_date),
          substring(current_setting('private.whole_day', true) from new.id || ' (.*)')::date);
        if day is not null then
          if sent[1] = new.id::text and sent[2] <> day::text then
            perform private.reject_row(tg_relid, tg_op, new, 'transactions_booked_on_is_day_of_date');
          end if;
          new.booked_on := day;
          new.transaction_date := day::timestamptz;
        elsif new.transaction_date <> old.transaction_date and sent[1] is distinct from new.id::text then
          -- another moment is no longer the bank's booking day
          new.booked_on := null;
        end if;
      end if;
    end if;
    if by_caller and (old.id <> new.id or old.user_id is distinct from new.user_id
      or old.organization_id is distinct from new.organization_id) then
      perform private.deny('transactions');
    end if;
    -- the deletion of a user clears user_id, which is not an edit
    if new.user_id is not distinct from old.user_id then
      new.created_at := old.created_at;
      new.updated_at := private.edited_at(old.updated_at);
    end if;
  end if;
  new.tenant := private.tenant_of(new.user_id, new.organization_id);
  new.currency := lower(new.currency);
  if tg_op = 'INSERT' and by_caller and private.is_merge() then
    perform private.reject_repeated_row(new.id::text);
  end if;
  if abs(new.amount) >= 999999999999.995 and new.amount <> 'NaN' then
    perform private.reject_overflow(tg_relid, 'amount');
  end if;
  if scale(new.amount) > 2 and not private.fits_cents(new.amount, new.currency) and by_caller then
    perform private.reject_row(tg_relid, tg_op, new, 'transactions_amount_fits_currency');
  end if;
  new.amount := round(new.amount, 2);
  if by_caller then
    broken := case
      when new.id is null then 'id'
      when new.amount is null then 'amount'
      when new.name is null then 'name'
      when new.currency is null then 'currency'
      when new.status is null then 'status'
      when new.source is null then 'source'
      when new.transaction_date is null then 'transaction_date'
      when new.created_at is null then 'created_at'
      when new.updated_at is null then 'updated_at'
      when new.amount = 'NaN' then 'transactions_amount_is_number'
      when new.transaction_date < new.booked_on::timestamp at time zone 'UTC' - interval '14 hours'
        or new.transaction_date >= new.booked_on::timestamp at time zone 'UTC' + interval '36 hours'
          then 'transactions_booked_on_is_day_of_date'
      when new.currency !~ '^[a-z]{3}$' then 'transactions_currency_form'
      when new.transaction_date < '1900-01-01 00:00:00+00' or new.transaction_date >= '2200-01-01 00:00:00+00'
        then 'transactions_date_in_range'
      when char_length(new.description) > 5000 then 'transactions_description_length'
      when new.due_on < '1900-01-01' or new.due_on >= '2200-01-01' then 'transactions_due_on_in_range'
      when char_length(new.external_id) not between 1 and 255 then 'transactions_external_id_length'
      when new.user_id is null and new.organization_id is null then 'transactions_have_an_owner'
      when jsonb_path_exists(new.metadata, '$.**{17}') then 'transactions_metadata_depth'
      when not private.plain_numbers(new.metadata) then 'transactions_metadata_numbers'
      when octet_length(new.metadata::text) > 16384 then 'transactions_metadata_size'
      when not private.is_name(new.name, old.name) then 'transactions_name_length'
      when new.subscription_id is not null and new.due_on is null then 'transactions_recorded_day_is_complete'
      when char_length(new.reference_no) > 255 then 'transactions_reference_no_length'
      when char_length(new.source) not between 1 and 64 then 'transactions_source_length'
      when new.status not in ('paid', 'pending', 'failed') then 'transactions_status_known'
      when new.currency is distinct from old.currency and not private.is_currency(new.currency)
        then 'transactions_currency_known'
      when (new.amount, new.currency) is distinct from (old.amount, old.currency)
        and new.amount <> trunc(new.amount) and private.currency_decimals(new.currency) = 0
        then 'transactions_amount_fits_currency'
    end;
    if broken is not null then
      perform private.reject_row(tg_relid, tg_op, new, broken);
    end if;
  end if;
  if new.account_id is not null and (new.account_id, new.currency) is distinct from (old.account_id, old.currency) then
    perform private.check_account('transactions', tg_op, new.tenant, new.account_id, new.currency);
  end if;
  if new.category_id is not null and new.category_id is distinct from old.category_id then
    perform private.check_category('transactions', tg_op, new.tenant, new.category_id);
  end if;
  if new.subscription_id is not null and new.subscription_id is distinct from old.subscription_id and not exists (
    select from api.subscriptions s where s.tenant = new.tenant and s.id = new.subscription_id
  ) then
    perform private.reject_missing('transactions', tg_op, new.tenant, 'subscription_id', 'subscriptions');
  end if;
  if tg_op = 'UPDATE' then
    if by_caller and (old.import_id is not null or current_setting('private.import', true) <> '') then
      perform private.store_bank_values(old, new);
    end if;
    if by_caller and old.transfer_id is not null and new.transfer_id is null
      and private.may_write('transactions', tg_op, new.tenant) then
      perform private.check_transfer(tg_op, old, new);
    end if;
    if abs(new.amount) < abs(old.amount) or sign(new.amount) <> sign(old.amount) or new.currency <> old.currency then
      perform private.check_line_items_later(new.id);
    end if;
  elsif new.import_id is not null and new.updated_at <> new.created_at then
    -- only an undo stores a row with its former times
    perform private.store_unknown_bank_values(new.id, new.tenant);
  end if;
  if private.has_closed_days() then
    perform private.require_open_transaction(tg_op, old, new);
  end if;
  return new;
end
$$;
comment on function private.transactions_before_row() is
  'Fills in, preserves and checks the columns of a row of transactions, and stores the bank''s values of an imported '
  'row that a caller changes.';

create or replace function private.transactions_after_row() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if current_user = 'authenticated' then
    perform private.check_transfer(tg_op, old, new);
  end if;
  if tg_op = 'UPDATE' and old.transfer_id is distinct from new.transfer_id then
    perform private.reject_items_of_half(new.id);
  end if;
  return null;
end
$$;
comment on function private.transactions_after_row() is
  'Checks a half of a transfer after its statement, which may have written the other half too.';

create or replace function private.transactions_after_delete() returns trigger
  -- A connection keeps the plan of its first deletion, perhaps of one row. So each row is looked up by the indexes.
  language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
begin
  if public.uid() is not null and coalesce(current_setting('private.reverted_import', true), '') = '' then
    -- The keys of imported transactions that a user deletes, and what another format would say of them. A key counts
    -- while its import exists and the transaction does not, so an undo needs no step of its own.
    insert into private.deleted_bank_rows (
        user_id, organization_id, tenant, source, external_id, import_id, account_id, amount, day, name, versions)
      select case when g.organization_id is null then g.user_id end, g.organization_id, g.tenant, k.source,
        k.external_id, k.import_id, g.account_id, g.amount, coalesce(g.booked_on, g.transaction_date::date), g.name,
        -- only what the bank said last can still be pending
        coalesce((
            select array[v.said, own.said - 'status']
            from private.bank_values v where v.transaction_id = g.id and v.said is not null
          ), array[own.said])
          || array(
            select e.said - 'status'
            from private.import_updates u
            join api.imports i on i.id = u.import_id and i.tenant = g.tenant
            cross join lateral (values (u.before), (u.said)) as e (said)
            where u.transaction_id = g.id and e.said is not null)
          || array(
            select jsonb_build_object('name', v.name, 'amount', v.amount, 'day', v.day)
            from private.bank_versions v
            where v.transaction_id = g.id and v.external_id = k.external_id)
      from gone g
      cross join lateral (
        select private.bank_values(
          g.amount, g.name, g.status, g.transaction_date, g.booked_on, null, null, null) as said
      ) own
      cross join lateral (
        select g.source, g.external_id, g.import_id
        where g.import_id is not null
        union all
        select v.ids ->> 'source', v.ids ->> 'external_id', u.import_id
        from private.import_updates u
        join api.imports i on i.id = u.import_id and i.tenant = g.tenant
        cross join lateral (values (u.identity_before), (u.identity_after)) as v (ids)
        where u.transaction_id = g.id and u.identity_after ? 'external_id' and v.ids ->> 'source' <> 'subscription'
      ) k
      where k.external_id is not null
      on conflict do nothing;
  end if;
  -- the deletion of the other halves fires this trigger again, which then finds nothing to delete
  if exists (select from gone where transfer_id is not null) then
    delete from api.transactions t using gone where t.transfer_id = gone.transfer_id and t.tenant = gone.tenant;
  end if;
  delete from private.bank_values v using gone where v.transaction_id = gone.id;
  -- An undo may restore a deleted row. The deletion of its import then also restores the former values of that row.
  if public.uid() is null then
    delete from private.import_updates u using gone
      where u.transaction_id = gone.id
        and not private.is_of_other_import(u.import_id, gone.user_id, gone.organization_id);
    delete from private.bank_versions v using gone where v.transaction_id = gone.id;
  end if;
  return null;
end
$$;
comment on function private.transactions_after_delete() is
  'Stores the keys of deleted imported rows, and deletes the other halves of transfers and the stored import changes '
  'that no undo needs.';

create trigger "1_note_sent_day" before update of booked_on on api.transactions
  for each row
  when (current_user = 'authenticated')
  execute function private.note_sent_day();
create trigger "2_before_row" before insert or update or delete on api.transactions
  for each row execute function private.transactions_before_row();
create trigger "3_after_row" after insert or update on api.transactions
  for each row
  when (new.transfer_id is not null)
  execute function private.transactions_after_row();
create trigger "4_change_other_halves" after update on api.transactions
  referencing old table as old_rows new table as new_rows
  for each statement
  when (current_user = 'authenticated')
  execute function private.change_other_halves();
create trigger "4_after_delete" after delete on api.transactions
  referencing old table as gone
  for each statement execute function private.transactions_after_delete();
create trigger "5_record_creation" after insert on api.transactions
  referencing new table as new_rows
  for each statement execute function private.record_creation();
create trigger "5_record_change" after update on api.transactions
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.record_change();
create trigger "5_record_deletion" after delete on api.transactions
  referencing old table as old_rows
  for each statement execute function private.record_deletion();
