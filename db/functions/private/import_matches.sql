-- Rows of a file with a new id. Their transaction was deleted by a user, or has another id.
--
-- former_rows() looks for a transaction that had the id before and for a deleted transaction. resolve_import_rows() then looks for the same
-- row from another format of the account's file and for a transaction that a user entered. Each transaction is used once.
-- These functions have the definer's rights, because row security would keep the planner from the indexes by amount. Each reads only the
-- active context.

create or replace function private.words_of(p_text text) returns text[]
  language sql immutable parallel safe
  return array(select distinct word from regexp_split_to_table(lower(p_text), '[[:space:][:punct:]]+') as word where word <> '' order by word);
comment on function private.words_of(text) is 'The different words of a text, in lower case and in order.';

create or replace function private.common_share(p_words text[], p_others text[]) returns numeric
  language sql immutable parallel safe
  return coalesce((select count(*) filter (where word = any (p_others))::numeric / nullif(count(*), 0) from unnest(p_words) as word), 0);
comment on function private.common_share(text[], text[]) is 'The share of the words that are also among the others, from 0 to 1.';

-- The transactions of one account and id have keys with the same first 20 characters, but for the first one, which has the id itself.
create or replace function private.key_ranges(p_id_key text, p_account_key text) returns table (prefix text, lowest text, highest text)
  language sql immutable
begin atomic
  values (p_id_key, p_id_key, p_id_key)
  union all
  select p_account_key, p_account_key || repeat('0', 16), p_account_key || repeat('f', 16) where p_account_key is not null;
end;
comment on function private.key_ranges(text, text) is 'The ranges of an index that contain all transactions of an id, also those of another account that has the id itself.';

-- A bank may use an id again, so a row is compared with all that the bank has said of an entry. A correction keeps the name and is up to five
-- days away, or it keeps the amount and the day. What the bank only announces may change for a month in all but half of the name.
--
-- Each row of p_rows has row_number, key, account_key, content_key, name, amount and day. Each of p_entries has entry, external_id and versions,
-- which are values of private.bank_values(). All comparisons are joins by equal values, because thousands of transactions may have one id.
create or replace function private.entries_of_rows(p_rows json, p_entries json)
  returns table (row_number integer, entry text, has_id boolean, has_content_key boolean, is_same boolean)
  language sql stable set search_path = '' set enable_nestloop = off set enable_mergejoin = off
begin atomic
  with rows as materialized (
    select r.*, private.words_of(r.name) as words
    from json_to_recordset(p_rows) as r (row_number integer, key text, account_key text, content_key text, name text, amount numeric, day date)
  ), keyed as materialized (
    select r.key as any_key, r.* from rows r
    union all
    select r.account_key, r.* from rows r where r.account_key is not null
  ), entries as materialized (
    select e.*, k.any_key
    from json_to_recordset(p_entries) as e (entry text, external_id text, versions jsonb)
    cross join lateral (select case when e.external_id like 'row:%' then left(e.external_id, 20) else e.external_id end as any_key) k
  ), versions as materialized (
    select e.entry, k.any_key, s.amount, s.day, private.words_of(s.name) as words, s.status = 'pending' as is_pending,
      count(*) filter (where s.status = 'pending') over (partition by k.any_key) as pending
    from entries e
    cross join lateral (select e.any_key union select e.external_id) as k (any_key)
    cross join lateral jsonb_array_elements(e.versions) as v (said)
    cross join lateral jsonb_to_record(v.said) as s (name text, amount numeric, day date, status text)
  ), pairs as (
    select r.row_number, e.entry, true as has_id, e.external_id = r.content_key as has_content_key, false as is_same from rows r join entries e on e.external_id = r.key
    union all
    select r.row_number, e.entry, false, true, false from rows r join entries e on e.external_id = r.content_key
    union all
    select r.row_number, v.entry, false, false, true from keyed r join versions v on v.any_key = r.any_key and v.amount = r.amount and v.day = r.day
    union all
    select r.row_number, v.entry, false, false, true
    from keyed r join versions v on v.any_key = r.any_key and v.words = r.words
    where v.amount * r.amount >= 0 and (abs(v.day - r.day) <= 5) is not false
    union all
    select r.row_number, v.entry, false, false, true
    from keyed r join versions v on v.any_key = r.any_key
    -- an id of more pending transactions identifies none
    where v.is_pending and v.pending <= 20 and v.amount * r.amount >= 0 and (abs(v.day - r.day) <= 31) is not false
      and greatest(private.common_share(r.words, v.words), private.common_share(v.words, r.words)) >= 0.5
  )
  select p.row_number, p.entry, bool_or(p.has_id), bool_or(p.has_content_key), bool_or(p.is_same) from pairs p group by p.row_number, p.entry;
end;
comment on function private.entries_of_rows(json, json) is
  'The entries with the id of a row, or with a key of it. has_content_key: the entry has the row''s content too. is_same: the row is the entry or a correction of it.';

-- With a range and its order the planner can only use the index that ends in amount and transaction_date. With another index it would compare
-- each row with all rows of the tenant. Without a SET clause the function becomes part of the statement of its caller.
create or replace function private.rows_of_amount(p_amount numeric, p_day date, p_days integer) returns setof api.transactions
  language sql stable
begin atomic
  select t.*
  from (
    (
      select t.* from api.transactions t
      where (select public.org_id()) is null and t.organization_id is null and t.user_id = (select public.uid())
        and t.amount >= p_amount and t.amount <= p_amount
        and t.transaction_date >= (p_day - p_days - 2)::timestamp at time zone 'UTC' and t.transaction_date < (p_day + p_days + 3)::timestamp at time zone 'UTC'
      order by t.amount, t.transaction_date
    )
    union all
    (
      select t.* from api.transactions t
      where t.organization_id = (select public.org_id()) and t.amount >= p_amount and t.amount <= p_amount
        and t.transaction_date >= (p_day - p_days - 2)::timestamp at time zone 'UTC' and t.transaction_date < (p_day + p_days + 3)::timestamp at time zone 'UTC'
      order by t.amount, t.transaction_date
    )
  ) t
  where t.status <> 'failed' and abs(coalesce(t.booked_on, t.transaction_date::date) - p_day) <= p_days;
end;
comment on function private.rows_of_amount(numeric, date, integer) is
  'The transactions of the active context with this amount, up to some days from a day.';

create or replace function private.match_of_entered(p_transaction_id uuid, p_external_id text) returns table (entered jsonb, said jsonb, after jsonb)
  language sql stable
begin atomic
  select first.before, last.said, last.after
  from private.import_updates first
  join api.imports f on f.id = first.import_id
  join private.import_updates last on last.transaction_id = first.transaction_id
  join api.imports l on l.id = last.import_id and private.same_tenant(l.user_id, l.organization_id, f.user_id, f.organization_id)
  where first.transaction_id = p_transaction_id and last.said is not null and last.identity_after ->> 'external_id' = p_external_id
    and first.identity_after ? 'external_id' and (first.identity_before ->> 'external_id' is null or first.identity_before ->> 'source' = 'subscription')
    and private.same_tenant(f.user_id, f.organization_id, (select public.uid()), (select public.org_id()))
  order by f.created_at desc, l.created_at desc, f.id, l.id
  limit 1;
end;
comment on function private.match_of_entered(uuid, text) is
  'What a user had entered as a transaction that imports have matched, and what the bank said of the row that has it now.';

-- The order of two files must not decide which row of the bank gets a transaction that a user entered. So an earlier match is open again
-- for a row that is as near, and then for the rows that compete with the bank's row of that match.
create or replace function private.matches_near(p_key text, p_amount numeric, p_day date, p_source text, p_account_id uuid)
  returns table (transaction_id uuid, external_id text, currency text, entered jsonb, said jsonb)
  language sql stable
begin atomic
  select t.id, t.external_id, t.currency, m.entered, m.said
  from private.rows_of_amount(p_amount, p_day, 10) t
  cross join lateral private.match_of_entered(t.id, t.external_id) m
  where t.source = p_source and t.account_id = p_account_id and t.external_id <> p_key and (m.entered ->> 'amount')::numeric = t.amount
    -- a user's later edit keeps the match
    and private.core_values(private.bank_values(t.amount, t.name, t.status, t.transaction_date, t.booked_on, null, null, null)) = private.core_values(m.after)
    and not private.has_closed_days()
    and abs((m.entered ->> 'day')::date - p_day) <= least(5, abs((m.entered ->> 'day')::date - (m.said ->> 'day')::date));
end;
comment on function private.matches_near(text, numeric, date, text, uuid) is
  'The transactions that a user entered and an earlier import matched, if a row with another key is at least as near to the day that the user entered.';

create or replace function private.open_matches(p_rows json, p_source text, p_account_id uuid)
  returns table (transaction_id uuid, external_id text, currency text, entered jsonb, said jsonb)
  language sql stable security definer set search_path = '' set enable_seqscan = off set enable_sort = off
begin atomic
  with recursive rows as materialized (
    select * from json_to_recordset(p_rows) as r (key text, amount numeric, day date)
  ), open as (
    select m.* from rows r cross join lateral private.matches_near(r.key, r.amount, r.day, p_source, p_account_id) m
    union
    select m.*
    from open o cross join lateral private.matches_near(o.external_id, (o.said ->> 'amount')::numeric, (o.said ->> 'day')::date, p_source, p_account_id) m
  )
  select o.* from open o;
end;
comment on function private.open_matches(json, text, uuid) is
  'The earlier matches of entered transactions that rows of a file may change: the transaction, its key, what the user had entered, and the bank''s row that it is now. Each row of p_rows has key, amount and day.';


-- Each row of p_rows has row_number, key, name, amount, day, currency, description and status.
create or replace function private.match_candidates(p_rows json, p_source text, p_account_id uuid, p_excluded uuid[])
  returns table (
    row_number integer, is_same boolean, is_closed boolean, transaction_id uuid, number bigint, distance integer, similarity numeric, created_at timestamptz, reason text)
  language sql stable security definer set search_path = '' set enable_seqscan = off set enable_sort = off
begin atomic
  with rows as materialized (
    select r.*
    from json_to_recordset(p_rows) as r (row_number integer, key text, name text, amount numeric, day date, currency text, description text, status text)
    where r.status <> 'failed'
  ), open as materialized (
    select o.* from private.open_matches((select json_agg(r) from rows r where r.status <> 'pending'), p_source, p_account_id) o
  ), candidates as materialized (
    select r.amount as row_amount, r.day as row_day, o.transaction_id as id, e.name, e.description, o.currency, e.status, null::text as source, null::text as external_id,
      t.created_at, e.day, false as is_closed, (o.said ->> 'day')::date as held_by
    from (select distinct r.amount, r.day from rows r) as r
    join open o on (o.entered ->> 'amount')::numeric = r.amount and abs((o.entered ->> 'day')::date - r.day) <= 5
    join api.transactions t on t.id = o.transaction_id
    cross join lateral jsonb_to_record(o.entered) as e (name text, description text, status text, day date)
    union all
    select g.amount as row_amount, g.day as row_day, t.*
    from (select r.amount, r.day, bool_or(r.key like 'row:%') as has_content_key, bool_or(r.status = 'pending') as is_announced from rows r group by r.amount, r.day) as g
    cross join lateral (
      select t.id, t.name, t.description, t.currency, t.status, t.source, t.external_id, t.created_at, coalesce(t.booked_on, t.transaction_date::date) as day,
        (coalesce(t.booked_on, t.transaction_date::date) <= (select private.closed_until(p_account_id, public.uid(), public.org_id()))) is true as is_closed, null::date as held_by
      from private.rows_of_amount(g.amount, g.day, 5) t
      where t.account_id is not distinct from p_account_id and (t.external_id is null or t.source <> p_source or t.status = 'pending' or t.external_id like 'row:%' or g.has_content_key or g.is_announced)
        and not exists (select from unnest(p_excluded) as x (id) where x.id = t.id) and not exists (select from open o where o.transaction_id = t.id)
      order by abs(coalesce(t.booked_on, t.transaction_date::date) - g.day), t.created_at, t.id
      -- bounds the pairs of a file with thousands of equal rows
      limit 200
    ) as t
  ), histories as materialized (
    select h.id, h.said from private.bank_history(array(select c.id from candidates c where c.external_id is not null)) as h
  ), described as materialized (
    select distinct on (c.id) c.id, private.words_of(concat_ws(' ', c.name, h.said ->> 'name')) as words,
      private.words_of(concat_ws(' ', c.name, h.said ->> 'name', c.description)) as all_words
    from candidates c left join histories h on h.id = c.id
    order by c.id
  ), sent as materialized (
    select r.*, private.words_of(r.name) as words, private.words_of(concat_ws(' ', r.name, r.description)) as all_words
    from rows r
    where exists (select from candidates c where c.row_amount = r.amount and c.row_day = r.day)
  ), pairs as (
    select r.row_number, c.*, abs(c.day - r.day) as distance, r.status as row_status, r.currency as row_currency,
      greatest(private.common_share(r.words, d.all_words), private.common_share(d.words, r.all_words)) as similarity,
      -- A row without an id is recognized by its content. Its key contains the account, and no longer fits after a restore, or if the row had
      -- no account. The bank may also have given the id in only one of two files, or to several transactions.
      c.source = p_source and 'row:' in (left(c.external_id, 4), left(r.key, 4)) and c.day = r.day and r.words <@ d.words as has_former_key,
      c.external_id is not null and c.source <> 'subscription' and c.status <> 'pending' as is_of_bank
    from sent r
    join candidates c on c.row_amount = r.amount and c.row_day = r.day
    join described d on d.id = c.id
  )
  select p.row_number, p.is_of_bank, p.is_closed, p.id, dense_rank() over (order by p.id), p.distance, p.similarity, p.created_at,
    case
      when p.is_closed and not p.is_of_bank then format('perhaps "%s" of a closed day', left(p.name, 100))
      when p.is_of_bank then format('imported from %s as "%s"', p.source, left(p.name, 100))
      else format('%s as "%s" on %s',
        case when p.source = 'subscription' then 'recorded from a subscription' when p.external_id is null then 'entered' else 'announced by the bank' end,
        left(p.name, 100), p.day) || case when p.held_by is null then '' else format('; the row of %s, which had it, is matched anew', p.held_by) end
    end
  from pairs p
  where p.currency = p.row_currency
    and case
      -- another format has other ids, but the same day and a similar text
      when p.is_of_bank then p_account_id is not null and p.similarity >= 0.5
        and (p.distance = 0 and (p.source <> p_source or p.has_former_key)
          -- an older file announces a row that is booked by now
          or p.source = p_source and p.row_status = 'pending' and p.day >= p.row_day)
      -- a row that the bank has announced becomes booked, perhaps under another id and with more words
      when p.source = p_source and p.external_id is not null then p.row_status <> 'pending' and p.similarity > 0 or p.has_former_key
      else true
    end;
end;
comment on function private.match_candidates(json, text, uuid, uuid[]) is
  'The pairs of rows of a file and transactions of the same account and amount, up to five days apart. is_same: the transaction is the same row from another source.';

create or replace function private.match_import_rows(p_rows json, p_source text, p_account_id uuid, p_excluded uuid[])
  returns table (row_number integer, verdict text, transaction_id uuid, reason text)
  language plpgsql stable security definer set search_path = ''
as $$
declare
  pair record;
  is_resolved boolean[];
  is_used boolean[];
begin
  for pair in
    select c.*
    from private.match_candidates(p_rows, p_source, p_account_id, p_excluded) c
    join json_to_recordset(p_rows) as r (row_number integer, key text, day date) on r.row_number = c.row_number
    -- the place in the file comes late, because the order of the files makes no difference
    order by c.is_same desc, c.is_closed, c.distance, c.similarity desc, r.day, r.row_number, c.created_at, c.transaction_id
  loop
    continue when is_resolved[pair.row_number] or is_used[pair.number];
    is_resolved[pair.row_number] := true;
    is_used[pair.number] := true;
    row_number := pair.row_number;
    -- a duplicate changes nothing, so its day may be closed
    verdict := case when pair.is_same then 'duplicate' when pair.is_closed then 'new' else 'matched' end;
    transaction_id := case when verdict <> 'new' then pair.transaction_id end;
    reason := pair.reason;
    return next;
  end loop;
end
$$;
comment on function private.match_import_rows(json, text, uuid, uuid[]) is
  'The rows of a file that are a transaction of another source or one that a user entered. The nearest day comes first, then the most similar name. Each transaction is used once. A row that is perhaps a transaction of a closed day is new, and the reason names it.';

create or replace function private.deleted_in_another_format(p_rows json, p_source text, p_account_id uuid, p_keys text[]) returns table (row_number integer)
  language sql stable security definer set search_path = ''
begin atomic
  with pairs as (
    -- each deleted transaction is one of the equal rows of a day
    select r.row_number, row_number() over (partition by d.source, d.external_id order by r.row_number) as of_deleted,
      row_number() over (partition by r.row_number order by d.source, d.external_id) as of_row
    from json_to_recordset(p_rows) as r (row_number integer, key text, name text, amount numeric, day date)
    join private.deleted_bank_rows d on d.account_id = p_account_id and d.amount = r.amount and d.day = r.day
      -- in another file of the same source one of the two has no id
      and (d.source <> p_source or 'row:' in (left(d.external_id, 4), left(r.key, 4)) and d.external_id <> all (p_keys))
    where private.same_tenant(d.user_id, d.organization_id, public.uid(), public.org_id())
      and exists (select from api.imports i where i.id = d.import_id)
      and not exists (
        select from api.transactions t
        where t.source = d.source and t.external_id = d.external_id and private.same_tenant(t.user_id, t.organization_id, d.user_id, d.organization_id))
      and greatest(private.common_share(private.words_of(r.name), private.words_of(d.name)), private.common_share(private.words_of(d.name), private.words_of(r.name))) >= 0.5
  )
  select p.row_number from pairs p where p.of_deleted = p.of_row order by p.row_number;
end;
comment on function private.deleted_in_another_format(json, text, uuid, text[]) is
  'The rows of a file that a user has deleted after another file of this account brought them: of the same amount and day, and with half of the words. p_keys are the keys of all rows of the file.';

-- Each row of p_rows has row_number, key, account_key, content_key, name, amount and day.
create or replace function private.former_rows(p_rows json, p_source text, p_account_id uuid)
  returns table (row_number integer, verdict text, transaction_id uuid, is_taken boolean, is_taken_here boolean)
  language sql stable security definer set search_path = '' set enable_seqscan = off
begin atomic
  with ranges as materialized (
    select distinct k.* from json_to_recordset(p_rows) as r (key text, account_key text) cross join lateral private.key_ranges(r.key, r.account_key) k
  ), renamed as materialized (
    select u.identity_before ->> 'external_id' as external_id, t.id as transaction_id, u.before, i.created_at, p_account_id is null or i.account_id is null or i.account_id = p_account_id as is_of_account,
      private.bank_values(t.amount, t.name, t.status, t.transaction_date, t.booked_on, t.reference_no, t.description, t.metadata) as values
    from ranges k
    join private.import_updates u on u.identity_before ->> 'external_id' >= k.lowest and u.identity_before ->> 'external_id' <= k.highest
      and starts_with(u.identity_before ->> 'external_id', k.prefix) and u.identity_before ->> 'source' = p_source
    join api.imports i on i.id = u.import_id and private.same_tenant(i.user_id, i.organization_id, (select public.uid()), (select public.org_id()))
    join api.transactions t on t.id = u.transaction_id and private.same_tenant(t.user_id, t.organization_id, i.user_id, i.organization_id)
  ), formers as materialized (
    select row_number() over () as entry, f.*
    from (
      -- only the present values can still be those of a pending transaction
      select n.external_id, 'duplicate' as verdict, n.transaction_id, n.created_at, n.is_of_account,
        array[n.before - 'status', coalesce(h.said, n.values)] || array(select e.said - 'status' from unnest(h.earlier) as e (said)) as versions
      from renamed n
      join private.bank_history(array(select distinct n.transaction_id from renamed n)) h on h.id = n.transaction_id
      union all
      select d.external_id, 'deleted' as verdict, null::uuid as transaction_id, i.created_at,
        p_account_id is null or d.account_id is null or p_account_id in (d.account_id, i.account_id) as is_of_account, d.versions
      from ranges k
      cross join lateral (
        select d.* from private.deleted_bank_rows d
          where d.organization_id = (select public.org_id()) and d.source = p_source and d.external_id >= k.lowest and d.external_id <= k.highest
        union all
        select d.* from private.deleted_bank_rows d
          where (select public.org_id()) is null and d.user_id = (select public.uid()) and d.source = p_source and d.external_id >= k.lowest and d.external_id <= k.highest
      ) d
      join api.imports i on i.id = d.import_id
      where starts_with(d.external_id, k.prefix)
    ) f
  ), offered as (
    select o.row_number, o.has_id, f.verdict, f.transaction_id, f.created_at, f.is_of_account, o.has_content_key or o.is_same as is_same
    from private.entries_of_rows(p_rows, (select json_agg(json_build_object('entry', f.entry, 'external_id', f.external_id, 'versions', f.versions)) from formers f)) o
    join formers f on f.entry = o.entry::bigint
  )
  select distinct on (f.row_number) f.row_number, case when f.is_same and f.is_of_account then f.verdict end, case when f.is_same and f.is_of_account then f.transaction_id end,
    bool_or(f.has_id and not (f.is_same and f.is_of_account)) over of_row, bool_or(f.has_id and f.is_of_account and not f.is_same) over of_row
  from offered f
  window of_row as (partition by f.row_number)
  order by f.row_number, f.is_same and f.is_of_account desc, f.verdict = 'duplicate' desc, f.created_at desc;
end;
comment on function private.former_rows(json, text, uuid) is
  'The rows of a file that are a transaction which had their id before, or a deleted one. is_taken: another transaction had the id, perhaps of another account.';

create or replace function private.resolve_import_rows(
  p_rows json, p_source text, p_account_id uuid, p_known uuid[], p_keys text[], p_match boolean, p_again boolean
) returns table (row_number integer, verdict text, transaction_id uuid, reason text)
  language plpgsql stable security definer set search_path = '' set enable_seqscan = off
as $$
declare
  resolved integer[] := '{}';
  used uuid[] := p_known;
  deleted integer[] := '{}';
  -- of rows that are new, by their number
  reasons text[];
begin
  if p_rows is null then
    return;
  end if;
  for row_number, verdict, transaction_id in
    select r.row_number, r.former, r.former_id
    from json_to_recordset(p_rows) as r (row_number integer, former text, former_id uuid)
    where r.former is not null
    order by r.row_number
  loop
    if verdict = 'deleted' then
      deleted := deleted || row_number;
      continue when p_again;
      reason := 'imported before and deleted by a user: p_again imports it again';
    else
      used := used || transaction_id;
      reason := 'known under another id of the bank';
    end if;
    resolved := resolved || row_number;
    return next;
  end loop;
  if p_match then
    for row_number, verdict, transaction_id, reason in
      select m.* from private.match_import_rows(private.rows_without(p_rows, resolved), p_source, p_account_id, used) m
    loop
      if verdict = 'new' then
        reasons[row_number] := reason;
        continue;
      end if;
      resolved := resolved || row_number;
      used := used || transaction_id;
      return next;
    end loop;
  end if;
  if p_match and p_account_id is not null then
    for row_number in select d.row_number from private.deleted_in_another_format(
        private.rows_without(p_rows, resolved || deleted), p_source, p_account_id, p_keys) d loop
      deleted := deleted || row_number;
      if not p_again then
        resolved := resolved || row_number;
        verdict := 'deleted';
        transaction_id := null;
        reason := 'imported from another file and deleted by a user: p_again imports it again';
        return next;
      end if;
    end loop;
  end if;
  foreach row_number in array deleted loop
    reasons[row_number] := concat_ws('; ', reasons[row_number], 'imported before and deleted by a user');
  end loop;
  verdict := 'new';
  transaction_id := null;
  for row_number, reason in
    select n.number, n.reason from (select generate_subscripts(reasons, 1) as number, unnest(reasons) as reason) n
    where n.reason is not null and not exists (select from unnest(resolved) as d (number) where d.number = n.number)
  loop
    return next;
  end loop;
end
$$;
comment on function private.resolve_import_rows(json, text, uuid, uuid[], text[], boolean, boolean) is
  'The verdicts of rows that no transaction has the id of, where they are not simply new. p_known are the transactions of the other rows of the file, p_keys the keys of all its rows.';

create or replace function private.rows_without(p_rows json, p_numbers integer[]) returns json
  language sql immutable
  return (select coalesce(json_agg(line), '[]') from json_array_elements(p_rows) as line
    where not exists (select from unnest(p_numbers) as n (number) where n.number = (line ->> 'row_number')::integer));
comment on function private.rows_without(json, integer[]) is 'The rows of a file without those of these numbers.';

-- Runs after the new rows are stored. The triggers of a caller's change do not fire: an import carries nothing to the other half of a
-- transfer, and stores the bank's values itself.
create or replace function private.store_import_matches(p_import_id uuid, p_matches jsonb[]) returns void
  language plpgsql security definer set search_path = ''
as $$
begin
  if public.org_id() is not null and not private.can('transactions', 'update') then
    perform private.deny('transactions');
  end if;
  with targets as materialized (
    select t.id, t.created_at, t.updated_at, j.verdict, j.transfer_id, t.transfer_id as former_transfer_id,
      private.bank_values(t.amount, t.name, t.status, t.transaction_date, t.booked_on, t.reference_no, t.description, t.metadata) as before,
      jsonb_build_object('source', t.source, 'external_id', t.external_id) as identity,
      n.*, j.said || jsonb_build_object('day', coalesce(n.booked_on::timestamp, n.transaction_date at time zone 'UTC'),
        'transaction_date', n.transaction_date at time zone 'UTC', 'booked_on', n.booked_on) as said
    from unnest(p_matches) as m (row)
    cross join jsonb_to_record(m.row) as j (
      verdict text, transaction_id uuid, transfer_id uuid, source text, external_id text, status text, reference_no text, description text, metadata jsonb,
      transaction_date timestamptz, booked_on date, has_date boolean, said jsonb)
    join api.transactions t on t.id = j.transaction_id and private.same_tenant(t.user_id, t.organization_id, public.uid(), public.org_id())
    cross join lateral (
      -- the values of the bank's row that had the transaction before go with it
      select case when t.reference_no is distinct from m.said ->> 'reference_no' then t.reference_no else m.entered ->> 'reference_no' end as reference_no,
        case when t.description is distinct from m.said ->> 'description' then t.description else m.entered ->> 'description' end as description,
        case when coalesce(t.metadata, 'null') is distinct from m.said -> 'metadata' then t.metadata else nullif(m.entered -> 'metadata', 'null') end as metadata
      from (select 1) as one left join lateral private.match_of_entered(t.id, t.external_id) m on true
    ) o
    cross join lateral (
      select case j.verdict when 'matched' then j.source else t.source end as source,
        case j.verdict when 'matched' then j.external_id else t.external_id end as external_id,
        case j.verdict when 'matched' then j.status else t.status end as status,
        case when j.verdict = 'matched' and j.has_date then j.transaction_date else t.transaction_date end as transaction_date,
        case when j.verdict = 'matched' and j.has_date then j.booked_on else t.booked_on end as booked_on,
        -- a user's own values stay
        case j.verdict when 'matched' then coalesce(o.reference_no, j.reference_no) else t.reference_no end as reference_no,
        case j.verdict when 'matched' then coalesce(o.description, j.description) else t.description end as description,
        case j.verdict when 'matched' then coalesce(o.metadata, nullif(j.metadata, 'null')) else t.metadata end as metadata
    ) n
    where j.verdict in ('matched', 'transfer')
  ), remembered as (
    insert into private.import_updates (transaction_id, import_id, before, after, was_untouched, identity_before, identity_after, said)
    select g.id, p_import_id, g.before,
      private.bank_values((g.before ->> 'amount')::numeric, g.before ->> 'name', g.status, g.transaction_date, g.booked_on, g.reference_no, g.description, g.metadata),
      private.is_untouched(g.id, g.created_at, g.updated_at),
      case g.verdict when 'matched' then g.identity else jsonb_build_object('transfer_id', g.former_transfer_id) end,
      case g.verdict when 'matched' then jsonb_build_object('source', g.source, 'external_id', g.external_id) else jsonb_build_object('transfer_id', g.transfer_id) end,
      case g.verdict when 'matched' then g.said end
    from targets g
  )
  update api.transactions t
    set source = g.source, external_id = g.external_id, status = g.status, transaction_date = g.transaction_date, booked_on = g.booked_on,
      reference_no = g.reference_no, description = g.description, metadata = g.metadata,
      transfer_id = case g.verdict when 'transfer' then g.transfer_id else t.transfer_id end
    from targets g where t.id = g.id;
  -- a later update of a row that keeps a user's values
  update private.import_updates u set said = m.row -> 'said'
    from unnest(p_matches) as m (row)
    where m.row ->> 'verdict' = 'updated' and u.import_id = p_import_id and u.transaction_id = (m.row ->> 'transaction_id')::uuid;
end
$$;
comment on function private.store_import_matches(uuid, jsonb[]) is
  'Gives the transactions that an import has matched the values of the bank, and links the other halves of transfers. Each element is a row of judge_import().';

create or replace function private.unlink_import_transfers(p_import_id uuid) returns void
  language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
begin
  update api.transactions t set transfer_id = (u.identity_before ->> 'transfer_id')::uuid
    from private.import_updates u join api.imports i on i.id = u.import_id
    where u.import_id = p_import_id and t.id = u.transaction_id and t.transfer_id = (u.identity_after ->> 'transfer_id')::uuid
      and private.same_tenant(t.user_id, t.organization_id, i.user_id, i.organization_id)
      and private.may_write('transactions', 'UPDATE', t.user_id, t.organization_id);
end
$$;
comment on function private.unlink_import_transfers(uuid) is
  'Gives the halves that an import has linked to its own transactions their former transfer_id, before these are deleted.';

create or replace function private.note_deleted_rows() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if public.uid() is not null and coalesce(current_setting('private.reverted_import', true), '') = '' then
    insert into private.deleted_bank_rows (user_id, organization_id, source, external_id, import_id, account_id, amount, day, name, versions)
      select case when g.organization_id is null then g.user_id end, g.organization_id, k.source, k.external_id, k.import_id,
        g.account_id, g.amount, coalesce(g.booked_on, g.transaction_date::date), g.name,
        -- only what the bank said last can still be pending
        coalesce(
          (
            select array[v.said, private.bank_values(g.amount, g.name, g.status, g.transaction_date, g.booked_on, null, null, null) - 'status']
            from private.bank_values v where v.transaction_id = g.id
          ), array[private.bank_values(g.amount, g.name, g.status, g.transaction_date, g.booked_on, null, null, null)])
          || array(
            select e.said - 'status'
            from private.import_updates u
            join api.imports i on i.id = u.import_id and private.same_tenant(i.user_id, i.organization_id, g.user_id, g.organization_id)
            cross join lateral (values (u.before), (u.said)) as e (said)
            where u.transaction_id = g.id and e.said is not null)
      from (
        select g.id, g.source, g.external_id, g.import_id
        from gone g
        where g.import_id is not null
        union all
        select g.id, v.ids ->> 'source', v.ids ->> 'external_id', u.import_id
        from gone g
        join private.import_updates u on u.transaction_id = g.id and u.identity_after ? 'external_id'
        join api.imports i on i.id = u.import_id and private.same_tenant(i.user_id, i.organization_id, g.user_id, g.organization_id)
        cross join lateral (values (u.identity_before), (u.identity_after)) as v (ids)
        where v.ids ->> 'source' <> 'subscription'
      ) k
      join gone g on g.id = k.id
      where k.external_id is not null
      on conflict do nothing;
  end if;
  return null;
end
$$;
comment on function private.note_deleted_rows() is
  'Stores the keys of imported transactions that a user deletes, and what another format would say of them. The key counts while its import exists and the transaction does not, so an undo needs no step of its own.';

grant execute on function private.words_of(text), private.common_share(text[], text[]), private.rows_of_amount(numeric, date, integer), private.open_matches(json, text, uuid),
  private.key_ranges(text, text), private.entries_of_rows(json, json), private.former_rows(json, text, uuid),
  private.resolve_import_rows(json, text, uuid, uuid[], text[], boolean, boolean), private.store_import_matches(uuid, jsonb[]),
  private.unlink_import_transfers(uuid) to authenticated;
