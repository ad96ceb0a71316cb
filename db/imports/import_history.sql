-- after: transactions/tables
-- The bank's values of transactions, beside the values that a user has set.
--
-- An import applies newer values of the bank, unless a user has edited the row. A transaction has the bank's values
-- until a user changes one. From then on private.bank_values stores them for the comparison. private.import_updates
-- stores the changes of each import, for its deletion. If an import recognizes a transaction that a user entered,
-- this table also stores the bank's values of it. private.bank_versions stores all that the bank has said of a
-- transaction which has other values now, because another format of the account's file may say it again.

create or replace function private.bank_values(
  p_amount numeric, p_name text, p_status text, p_transaction_date timestamptz, p_booked_on date, p_reference_no text,
  p_description text, p_metadata jsonb
) returns jsonb
  language sql immutable
  return jsonb_build_object(
    'amount', p_amount, 'name', p_name, 'status', p_status, 'day',
    coalesce(p_booked_on::timestamp, p_transaction_date at time zone 'UTC'),
    'transaction_date', p_transaction_date at time zone 'UTC', 'booked_on', p_booked_on,
    'reference_no', p_reference_no, 'description', p_description, 'metadata', p_metadata);
comment on function private.bank_values(numeric, text, text, timestamptz, date, text, text, jsonb) is
  'The values of a transaction that a bank defines. The day is the booking day, or the moment.';

create or replace function private.core_values(p_values jsonb) returns jsonb
  language sql immutable
  return p_values - array['transaction_date', 'booked_on', 'reference_no', 'description', 'metadata'];
comment on function private.core_values(jsonb) is
  'Amount, name, status and day of a bank''s values. After a user''s edit of one of these, imports no longer update '
  'the transaction.';

create or replace function private.bank_history(p_transaction_ids uuid[])
  returns table (id uuid, is_edited boolean, is_matched boolean, said jsonb, earlier jsonb[], matched_account_id uuid)
  language sql stable security definer set search_path = '' set enable_seqscan = off
begin atomic
  select t.id, v.transaction_id is not null or matched.said is not null, matched.said is not null,
    coalesce(matched.said, v.said),
    array(
      select coalesce(u.said, u.before)
      -- offset 0: the planner would else read all changes of each import of the tenant
      from (select * from private.import_updates where transaction_id = t.id offset 0) u
      join api.imports i on i.id = u.import_id
      join api.transactions x on x.id = u.transaction_id and x.tenant = i.tenant
      -- before a match the values were the user's
      where (u.said is null) = (matched.said is null)),
    matched.account_id
  from unnest(p_transaction_ids) as t (id)
  left join private.bank_values v on v.transaction_id = t.id
  left join lateral (
    select u.said, i.account_id
    from (select * from private.import_updates where transaction_id = t.id offset 0) u
    join api.imports i on i.id = u.import_id
    join api.transactions x on x.id = u.transaction_id and x.tenant = i.tenant
    where u.said is not null
    order by i.created_at desc, i.id
    limit 1
  ) as matched on true;
end;
comment on function private.bank_history(uuid[]) is
  'The history of imported transactions: whether a user has edited it or entered it before its import, the bank''s '
  'values if so, the bank''s earlier values, and the account of the import that matched it.';

-- Runs with the definer's rights, because callers have no access to private.import_updates. The import is of the
-- caller's context. A transaction that it has updated may be deleted by now, and another tenant may have its id.
create or replace function private.revert_import_updates(old api.imports) returns void
  language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
declare
  changed bigint;
begin
  select count(*) into changed
  from private.import_updates u join api.transactions t on t.id = u.transaction_id
  where u.import_id = old.id and t.tenant = old.tenant and (
    -- an import that only linked a transfer has changed no values
    (u.said is not null or u.before <> u.after)
      and private.core_values(
        private.bank_values(t.amount, t.name, t.status, t.transaction_date, t.booked_on, null, null, null)
      ) <> private.core_values(u.after)
    or u.identity_after ? 'external_id'
      and (t.source, t.external_id) is distinct from (u.identity_after ->> 'source', u.identity_after ->> 'external_id')
    or not private.line_items_fit((select sum(l.amount) from api.line_items l where l.transaction_id = t.id),
      (u.before ->> 'amount')::numeric)
  );
  if changed > 0 then
    raise sqlstate 'PT409' using
      message = format('%s updated by this import %s changed since',
        case changed when 1 then '1 transaction' else changed || ' transactions' end,
        case changed when 1 then 'has' else 'have' end),
      hint = 'Nothing was deleted. Delete any later import first, or undo the changes to the amount, name, '
        'status, date or splits.';
  end if;
  update api.transactions t
    set source = case when u.identity_before ? 'external_id' then u.identity_before ->> 'source' else t.source end,
      external_id = case when u.identity_before ? 'external_id' then u.identity_before ->> 'external_id'
        else t.external_id end,
      amount = (u.before ->> 'amount')::numeric, name = u.before ->> 'name', status = u.before ->> 'status',
      transaction_date = (u.before ->> 'transaction_date')::timestamp at time zone 'UTC',
      booked_on = (u.before ->> 'booked_on')::date,
      -- a user's own values stay
      reference_no = case
        when t.reference_no is not distinct from u.after ->> 'reference_no' then u.before ->> 'reference_no'
        else t.reference_no
      end,
      description = case
        when t.description is not distinct from u.after ->> 'description' then u.before ->> 'description'
        else t.description
      end,
      metadata = case
        when t.metadata is not distinct from nullif(u.after -> 'metadata', 'null')
          then nullif(u.before -> 'metadata', 'null')
        else t.metadata
      end
    from private.import_updates u
    where u.import_id = old.id and u.transaction_id = t.id and t.tenant = old.tenant
      and (u.said is not null or u.before <> u.after);
  update private.bank_values v set said = v.said || private.changed_values(u.after, u.before)
    from private.import_updates u join api.transactions t on t.id = u.transaction_id
    where u.import_id = old.id and u.transaction_id = v.transaction_id and t.tenant = old.tenant;
  update private.import_updates u set taken_back_at = now()
    from api.transactions t
    where u.import_id = old.id and u.was_untouched
      and t.id = u.transaction_id and t.tenant = old.tenant;
  perform private.revert_import_balance(old);
end
$$;
comment on function private.revert_import_updates(api.imports) is
  'Restores the values of the transactions that an import has updated, and the balance that it has replaced. Raises '
  '409 if one of the transactions was changed since.';

create or replace function private.is_untouched(
  p_transaction_id uuid, p_created_at timestamptz, p_updated_at timestamptz
) returns boolean
  language sql stable security definer set search_path = ''
begin atomic
  select p_updated_at = p_created_at
    or exists (
      select from private.import_updates u where u.transaction_id = p_transaction_id and u.taken_back_at = p_updated_at
    );
end;
comment on function private.is_untouched(uuid, timestamptz, timestamptz) is
  'Whether a transaction is as it was created: never changed, or last changed by the deletion of an import that had '
  'updated it.';

create or replace function private.changed_values(p_before jsonb, p_after jsonb) returns jsonb
  language sql immutable
  return (
    select coalesce(jsonb_object_agg(key, value), '{}')
    from jsonb_each(p_after)
    where value is distinct from p_before -> key
  );
comment on function private.changed_values(jsonb, jsonb) is
  'The bank''s values after a change that differ from those before it.';

create or replace function private.store_unknown_bank_values(p_transaction_id uuid, p_tenant text) returns void
  language sql volatile security definer set search_path = ''
begin atomic
  insert into private.bank_values (transaction_id, tenant) values (p_transaction_id, p_tenant) on conflict do nothing;
end;
comment on function private.store_unknown_bank_values(uuid, text) is
  'Notes that the bank''s values of an edited row that an undo restores are unknown.';

create or replace function private.store_bank_values(old api.transactions, new api.transactions) returns void
  language plpgsql security definer set search_path = ''
as $$
declare
  import constant uuid := nullif(current_setting('private.import', true), '')::uuid;
  before constant jsonb := private.bank_values(
    old.amount, old.name, old.status, old.transaction_date, old.booked_on, old.reference_no, old.description,
    old.metadata);
  after constant jsonb := private.bank_values(
    new.amount, new.name, new.status, new.transaction_date, new.booked_on, new.reference_no, new.description,
    new.metadata);
begin
  if before = after then
    return;
  end if;
  insert into private.bank_versions (tenant, account_id, amount, day, name, transaction_id, external_id)
    select old.tenant, a.id, s.amount, s.day::date, s.name, old.id, old.external_id
    from jsonb_to_record(
      coalesce((select v.said from private.bank_values v where v.transaction_id = old.id), before)
    ) as s (amount numeric, day timestamp, name text)
    cross join lateral (
      select coalesce((select i.account_id from api.imports i where i.id = old.import_id), old.account_id) as id
    ) a
    where a.id is not null and old.external_id is not null
    on conflict do nothing;
  if import is null then
    insert into private.bank_values (tenant, transaction_id, said) values (old.tenant, old.id, before)
      on conflict do nothing;
  else
    insert into private.import_updates (tenant, transaction_id, import_id, before, after, was_untouched)
      values (old.tenant, old.id, import, before, after, private.is_untouched(old.id, old.created_at, old.updated_at));
    update private.bank_values set said = said || private.changed_values(before, after) where transaction_id = old.id;
  end if;
end
$$;
comment on function private.store_bank_values(api.transactions, api.transactions) is
  'Stores the bank''s values of an imported transaction when a user changes one of them, and the changes of an import.';
grant execute on function private.store_unknown_bank_values(uuid, text),
  private.store_bank_values(api.transactions, api.transactions), private.revert_import_updates(api.imports)
  to authenticated;

create or replace function private.store_bank_versions(p_account_id uuid, p_rows jsonb[]) returns void
  language sql volatile security definer set search_path = '' set enable_nestloop = off
begin atomic
  insert into private.bank_versions (tenant, account_id, amount, day, name, transaction_id, external_id)
    select t.tenant, p_account_id, j.amount,
      coalesce(j.booked_on, j.transaction_date::date, t.booked_on, t.transaction_date::date),
      coalesce(j.said ->> 'name', j.name), t.id,
      case j.verdict when 'matched' then j.external_id else t.external_id end
    from unnest(p_rows) as m (line)
    cross join jsonb_to_record(m.line) as j (
      verdict text, transaction_id uuid, external_id text, amount numeric, name text, transaction_date timestamptz,
      booked_on date, said jsonb)
    join api.transactions t on t.id = j.transaction_id and t.tenant = private.context_tenant()
    where j.verdict = 'matched' or t.external_id is not null
    on conflict do nothing;
  update private.deleted_bank_rows d set versions = d.versions || v.version
    from unnest(p_rows) as m (line)
    cross join jsonb_to_record(m.line) as j (verdict text, source text, external_id text, amount numeric, name text,
      transaction_date timestamptz, booked_on date)
    cross join lateral (
      select jsonb_build_object('name', j.name, 'amount', j.amount,
        'day', coalesce(j.booked_on, j.transaction_date::date)) as version
    ) v
    where j.verdict = 'deleted' and d.account_id = p_account_id and d.source = j.source
      and d.external_id = j.external_id
      and d.tenant = private.context_tenant() and v.version <> all (d.versions);
end;
comment on function private.store_bank_versions(uuid, jsonb[]) is
  'Stores what a file of this account says of transactions that have or had other values, or were deleted. Each '
  'element is a row of classify_import() with the verdict updated, changed, matched or deleted.';

create or replace function private.is_of_other_import(
  p_import_id uuid, p_user_id text, p_organization_id text
) returns boolean
  -- without a SET clause, so that the planner can inline it into the statement
  language sql stable
begin atomic
  select exists (
    select from api.imports i where i.id = p_import_id and i.tenant <> private.tenant_of(p_user_id, p_organization_id)
  );
end;
comment on function private.is_of_other_import(uuid, text, text) is
  'Whether an import belongs to another tenant than this owner pair.';

create or replace function private.forget_deleted_imports(p_ids uuid[], p_tenants text[]) returns void
  language sql volatile security definer set search_path = ''
begin atomic
  delete from private.import_updates u using unnest(p_ids, p_tenants) as gone (id, tenant)
    where u.transaction_id = gone.id and not exists (select from api.transactions t where t.id = gone.id)
      and not exists (select from api.imports i where i.id = u.import_id and i.tenant <> gone.tenant);
  delete from private.bank_versions v
    where v.transaction_id = any (p_ids) and not exists (select from api.transactions t where t.id = v.transaction_id);
  delete from private.deleted_bank_rows d
    where d.import_id = any (p_ids) and not exists (select from api.imports i where i.id = d.import_id);
  delete from private.import_balances b
    where b.import_id = any (p_ids) and not exists (select from api.imports i where i.id = b.import_id);
end;
comment on function private.forget_deleted_imports(uuid[], text[]) is
  'Deletes the stored changes of deleted transactions, and the keys and balances of deleted imports, once the '
  'activity of the deletion is deleted, because an undo is then impossible. p_tenants are the tenants of p_ids.';

grant execute on function private.bank_values(numeric, text, text, timestamptz, date, text, text, jsonb),
  private.core_values(jsonb), private.bank_history(uuid[]), private.store_bank_versions(uuid, jsonb[]),
  private.is_untouched(uuid, timestamptz, timestamptz) to authenticated;
