-- after: imports/import_history
-- Rows of a file whose id a transaction had before, or whose transaction a user has deleted.

create or replace function private.words_of(p_text text) returns text[]
  language sql immutable parallel safe
  return array(
    select distinct word
    from regexp_split_to_table(private.folded(p_text), '[[:space:][:punct:]]+') as word
    where word <> ''
    order by word
  );
comment on function private.words_of(text) is
  'The different words of a text, folded and in order. Only words of this function may be compared with each other.';

create or replace function private.common_share(p_words text[], p_others text[]) returns numeric
  language sql immutable parallel safe
  return coalesce(
    (select count(*) filter (where word = any (p_others))::numeric / nullif(count(*), 0) from unnest(p_words) as word),
    0);
comment on function private.common_share(text[], text[]) is
  'The share of the words that are also among the others, from 0 to 1.';

-- The transactions of one account and id have keys with the same first 20 characters, but for the first one, which
-- has the id itself.
create or replace function private.key_ranges(p_id_key text, p_account_key text) returns table (
  prefix text, lowest text, highest text
)
  language sql immutable
begin atomic
  values (p_id_key, p_id_key, p_id_key)
  union all
  select p_account_key, p_account_key || repeat('0', 16), p_account_key || repeat('f', 16)
  where p_account_key is not null;
end;
comment on function private.key_ranges(text, text) is
  'The ranges of an index that contain all transactions of an id, also those of another account that has the id '
  'itself.';

-- A bank may use an id again, so a row is compared with all that the bank has said of an entry. A correction keeps
-- the name and is up to five days away, or it keeps the amount and the day. What the bank only announces may change
-- for a month in all but half of the name.
--
-- Each row of p_rows has row_number, key, account_key, content_key, name, amount and day. Each of p_entries has
-- entry, external_id and versions, which are values of private.bank_values(). All comparisons are joins by equal
-- values, because thousands of transactions may have one id.
create or replace function private.entries_of_rows(p_rows json, p_entries json)
  returns table (row_number integer, entry text, has_id boolean, has_content_key boolean, is_same boolean)
  language sql stable set search_path = '' set enable_nestloop = off set enable_mergejoin = off
begin atomic
  with rows as materialized (
    select r.*, private.words_of(r.name) as words
    from json_to_recordset(p_rows) as r (row_number integer, key text, account_key text, content_key text, name text,
      amount numeric, day date)
  ), keyed as materialized (
    select r.key as any_key, r.* from rows r
    union all
    select r.account_key, r.* from rows r where r.account_key is not null
  ), entries as materialized (
    select e.*, k.any_key
    from json_to_recordset(p_entries) as e (entry text, external_id text, versions jsonb)
    cross join lateral (
      select case when e.external_id like 'row:%' then left(e.external_id, 20) else e.external_id end as any_key
    ) k
  ), versions as materialized (
    select e.entry, k.any_key, s.amount, s.day, private.words_of(s.name) as words, s.status = 'pending' as is_pending,
      count(*) filter (where s.status = 'pending') over (partition by k.any_key) as pending
    from entries e
    cross join lateral (select e.any_key union select e.external_id) as k (any_key)
    cross join lateral jsonb_array_elements(e.versions) as v (said)
    cross join lateral jsonb_to_record(v.said) as s (name text, amount numeric, day date, status text)
  ), pairs as (
    select r.row_number, e.entry, true as has_id, e.external_id = r.content_key as has_content_key, false as is_same
    from rows r
    join entries e on e.external_id = r.key
    union all
    select r.row_number, e.entry, false, true, false from rows r join entries e on e.external_id = r.content_key
    union all
    select r.row_number, v.entry, false, false, true
    from keyed r
    join versions v on v.any_key = r.any_key and v.amount = r.amount and v.day = r.day
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
  select p.row_number, p.entry, bool_or(p.has_id), bool_or(p.has_content_key), bool_or(p.is_same)
  from pairs p
  group by p.row_number, p.entry;
end;
comment on function private.entries_of_rows(json, json) is
  'The entries with the id of a row, or with a key of it. has_content_key: the entry has the row''s content too. '
  'is_same: the row is the entry or a correction of it.';

-- Each row of p_rows has row_number, key, account_key, content_key, name, amount and day.
create or replace function private.former_rows(p_rows json, p_source text, p_account_id uuid)
  returns table (row_number integer, verdict text, transaction_id uuid, is_taken boolean, is_taken_here boolean)
  language sql stable security definer set search_path = '' set enable_seqscan = off
begin atomic
  with ranges as materialized (
    select distinct k.*
    from json_to_recordset(p_rows) as r (key text, account_key text)
    cross join lateral private.key_ranges(r.key, r.account_key) k
  ), renamed as materialized (
    select u.identity_before ->> 'external_id' as external_id, t.id as transaction_id, u.before, i.created_at,
      p_account_id is null or i.account_id is null or i.account_id = p_account_id as is_of_account,
      private.bank_values(t.amount, t.name, t.status, t.transaction_date, t.booked_on, t.reference_no, t.description,
        t.metadata) as values
    from ranges k
    join private.import_updates u on u.identity_before ->> 'external_id' >= k.lowest
      and u.identity_before ->> 'external_id' <= k.highest
      and starts_with(u.identity_before ->> 'external_id', k.prefix) and u.identity_before ->> 'source' = p_source
    join api.imports i on i.id = u.import_id and i.tenant = (select private.context_tenant())
    join api.transactions t on t.id = u.transaction_id and t.tenant = i.tenant
  ), formers as materialized (
    select row_number() over () as entry, f.*
    from (
      -- only the present values can still be those of a pending transaction
      select n.external_id, 'duplicate' as verdict, n.transaction_id, n.created_at, n.is_of_account,
        array[n.before - 'status', coalesce(h.said, n.values)]
          || array(select e.said - 'status' from unnest(h.earlier) as e (said)) as versions
      from renamed n
      join private.bank_history(array(select distinct n.transaction_id from renamed n)) h on h.id = n.transaction_id
      union all
      select d.external_id, 'deleted' as verdict, null::uuid as transaction_id, i.created_at,
        p_account_id is null or d.account_id is null or p_account_id in (d.account_id, i.account_id) as is_of_account,
        d.versions
      from ranges k
      cross join lateral (
        select d.* from private.deleted_bank_rows d
        where d.tenant = (select private.context_tenant()) and d.source = p_source
          and d.external_id >= k.lowest and d.external_id <= k.highest
      ) d
      join api.imports i on i.id = d.import_id
      where starts_with(d.external_id, k.prefix)
    ) f
  ), offered as (
    select o.row_number, o.has_id, f.verdict, f.transaction_id, f.created_at, f.is_of_account,
      o.has_content_key or o.is_same as is_same
    from private.entries_of_rows(p_rows,
      (
        select json_agg(json_build_object('entry', f.entry, 'external_id', f.external_id, 'versions', f.versions))
        from formers f
      )) o
    join formers f on f.entry = o.entry::bigint
  )
  select distinct on (f.row_number) f.row_number, case when f.is_same and f.is_of_account then f.verdict end,
    case when f.is_same and f.is_of_account then f.transaction_id end,
    bool_or(f.has_id and not (f.is_same and f.is_of_account)) over of_row,
    bool_or(f.has_id and f.is_of_account and not f.is_same) over of_row
  from offered f
  window of_row as (partition by f.row_number)
  order by f.row_number, f.is_same and f.is_of_account desc, f.verdict = 'duplicate' desc, f.created_at desc;
end;
comment on function private.former_rows(json, text, uuid) is
  'The rows of a file that are a transaction which had their id before, or a deleted one. is_taken: another '
  'transaction had the id, perhaps of another account.';

grant execute on function private.words_of(text), private.common_share(text[], text[]), private.key_ranges(text, text),
  private.entries_of_rows(json, json), private.former_rows(json, text, uuid) to authenticated;
