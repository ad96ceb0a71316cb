-- after: accounts/closed_days, imports/former_rows
-- Rows of a file with a new id. Their transaction was deleted by a user, or has another id.
--
-- former_rows() of db/imports/former_rows.sql looks for a transaction that had the id before and for a deleted one.
-- resolve_import_rows() then looks for the same row from another format of the account's file and for a transaction
-- that a user entered. Each transaction is used once. These functions have the definer's rights, because row security
-- would keep the planner from the indexes by amount. Each reads only the active context.

-- With a range and its order the planner can only use the index that ends in amount and transaction_date. With
-- another index it would compare each row with all rows of the tenant. Without a SET clause the function becomes part
-- of the statement of its caller.
create or replace function private.rows_of_amount(
  p_amount numeric, p_day date, p_days integer
) returns setof api.transactions
  language sql stable
begin atomic
  select t.*
  from (
    select t.* from api.transactions t
    where t.tenant = (select private.context_tenant()) and t.amount >= p_amount and t.amount <= p_amount
      and t.transaction_date >= (p_day - p_days - 2)::timestamp at time zone 'UTC'
      and t.transaction_date < (p_day + p_days + 3)::timestamp at time zone 'UTC'
    order by t.amount, t.transaction_date
    -- further conditions stay outside, because they would allow another index
    offset 0
  ) t
  where t.status <> 'failed' and abs(coalesce(t.booked_on, t.transaction_date::date) - p_day) <= p_days;
end;
comment on function private.rows_of_amount(numeric, date, integer) is
  'The transactions of the active context with this amount, up to some days from a day.';

create or replace function private.match_of_entered(
  p_transaction_id uuid, p_external_id text
) returns table (entered jsonb, said jsonb, after jsonb)
  language sql stable
begin atomic
  select first.before
    || jsonb_build_object('is_recorded', coalesce(first.identity_before ->> 'source' = 'subscription', false)),
    last.said, last.after
  -- offset 0: the planner would else read all changes of each import of the tenant
  from (select * from private.import_updates where transaction_id = p_transaction_id offset 0) first
  join api.imports f on f.id = first.import_id
  cross join (select * from private.import_updates where transaction_id = p_transaction_id offset 0) last
  join api.imports l on l.id = last.import_id and l.tenant = f.tenant
  where last.said is not null
    and last.identity_after ->> 'external_id' = p_external_id
    and first.identity_after ? 'external_id'
      and (first.identity_before ->> 'external_id' is null or first.identity_before ->> 'source' = 'subscription')
    and f.tenant = (select private.context_tenant())
  order by f.created_at desc, l.created_at desc, f.id, l.id
  limit 1;
end;
comment on function private.match_of_entered(uuid, text) is
  'What a user had entered, or a subscription recorded, as a transaction that imports have matched, and what the '
  'bank said of the row that has it now.';

create or replace function private.has_title(p_entered jsonb, p_name text, p_description text) returns boolean
  language sql immutable parallel safe
  return (p_entered ->> 'is_recorded')::boolean
    and private.words_of(p_entered ->> 'name') && private.words_of(concat_ws(' ', p_name, p_description));
comment on function private.has_title(jsonb, text, text) is
  'Whether a subscription recorded the transaction, and a row of the bank has a word of its title.';

-- The order of two files must not decide which row of the bank gets a transaction that a user entered. So an earlier
-- match is open again for a row that is as near, and then for the rows that compete with the bank's row of that
-- match. A word of a subscription's title counts more than the day, as in bank_row_of().
create or replace function private.matches_near(
  p_key text, p_name text, p_description text, p_amount numeric, p_day date, p_source text, p_account_id uuid
)
  returns table (transaction_id uuid, external_id text, currency text, entered jsonb, said jsonb)
  language sql stable
begin atomic
  select t.id, t.external_id, t.currency, m.entered, m.said
  from private.rows_of_amount(p_amount, p_day, 10) t
  cross join lateral private.match_of_entered(t.id, t.external_id) m
  where t.source = p_source and t.account_id = p_account_id and t.external_id <> p_key
    and (m.entered ->> 'amount')::numeric = t.amount
    -- a user's later edit keeps the match
    and private.core_values(
      private.bank_values(t.amount, t.name, t.status, t.transaction_date, t.booked_on, null, null, null)
    ) = private.core_values(m.after)
    and not private.has_closed_days()
    and abs((m.entered ->> 'day')::date - p_day) <= 5
    and (not private.has_title(m.entered, p_name, p_description), abs((m.entered ->> 'day')::date - p_day))
      <= (not private.has_title(m.entered, m.said ->> 'name', m.said ->> 'description'),
        coalesce(abs((m.entered ->> 'day')::date - (m.said ->> 'day')::date), 5));
end;
comment on function private.matches_near(text, text, text, numeric, date, text, uuid) is
  'The transactions that a user entered and an earlier import matched, if a row with another key is at least as '
  'near to the day that the user entered.';

create or replace function private.open_matches(p_rows json, p_source text, p_account_id uuid)
  returns table (transaction_id uuid, external_id text, currency text, entered jsonb, said jsonb)
  language sql stable security definer set search_path = '' set enable_seqscan = off set enable_sort = off
begin atomic
  with recursive rows as materialized (
    select * from json_to_recordset(p_rows) as r (key text, name text, description text, amount numeric, day date)
  ), open as (
    select m.*
    from rows r
    cross join lateral private.matches_near(r.key, r.name, r.description, r.amount, r.day, p_source, p_account_id) m
    union
    select m.*
    from open o
    cross join lateral private.matches_near(
      o.external_id, o.said ->> 'name', o.said ->> 'description', (o.said ->> 'amount')::numeric,
      (o.said ->> 'day')::date, p_source, p_account_id) m
  )
  select o.* from open o;
end;
comment on function private.open_matches(json, text, uuid) is
  'The earlier matches of entered transactions that rows of a file may change: the transaction, its key, what the '
  'user had entered, and the bank''s row that it is now. Each row of p_rows has key, name, description, amount and '
  'day.';


-- Each row of p_rows has row_number, key, name, amount, day, currency, description and status.
-- Over 80 lines, because it is one statement: its parts share common table expressions.
create or replace function private.match_candidates(p_rows json, p_source text, p_account_id uuid, p_excluded uuid[])
  returns table (
    row_number integer, is_same boolean, is_former boolean, is_closed boolean, transaction_id uuid, number bigint,
    distance integer, similarity numeric, created_at timestamptz, reason text)
  language sql stable security definer set search_path = '' set enable_seqscan = off set enable_sort = off
begin atomic
  with rows as materialized (
    select r.*
    from json_to_recordset(p_rows) as r (row_number integer, key text, name text, amount numeric, day date,
      currency text, description text, status text)
    where r.status <> 'failed'
  ), open as materialized (
    select o.*
    from private.open_matches((select json_agg(r) from rows r where r.status <> 'pending'), p_source, p_account_id) o
  ), candidates as materialized (
    select r.amount as row_amount, r.day as row_day, o.transaction_id as id, e.name, e.description, o.currency,
      e.status, null::text as source, null::text as external_id,
      t.created_at, e.day, false as is_closed, (o.said ->> 'day')::date as held_by, false as is_former, e.is_recorded
    from (select distinct r.amount, r.day from rows r) as r
    join open o on (o.entered ->> 'amount')::numeric = r.amount and abs((o.entered ->> 'day')::date - r.day) <= 5
    join api.transactions t on t.id = o.transaction_id
    cross join lateral jsonb_to_record(o.entered) as e (name text, description text, status text, day date,
      is_recorded boolean)
    union all
    select g.amount as row_amount, g.day as row_day, t.*
    from (
      select r.amount, r.day, bool_or(r.key like 'row:%') as has_content_key,
        bool_or(r.status = 'pending') as is_announced
      from rows r
      group by r.amount, r.day
    ) as g
    cross join lateral (
      select t.id, t.name, t.description, t.currency, t.status, t.source, t.external_id, t.created_at,
        coalesce(t.booked_on, t.transaction_date::date) as day,
        (
          private.closing_day(t.booked_on, t.transaction_date) <= (
            select private.closed_until(p_account_id, public.uid(), public.org_id())
          )
        ) is true as is_closed,
        null::date as held_by, false as is_former, t.source = 'subscription' as is_recorded
      from private.rows_of_amount(g.amount, g.day, 5) t
      -- a user may have moved an imported transaction to another account since
      where (
        t.account_id is not distinct from p_account_id
        or exists (select from api.imports i where i.id = t.import_id and i.account_id = p_account_id))
        and (
          t.external_id is null
          or t.source <> p_source
          or t.status = 'pending'
          or t.external_id like 'row:%'
          or g.has_content_key
          or g.is_announced)
        and not exists (select from unnest(p_excluded) as x (id) where x.id = t.id)
          and not exists (select from open o where o.transaction_id = t.id)
      order by abs(coalesce(t.booked_on, t.transaction_date::date) - g.day), t.created_at, t.id
      -- bounds the pairs of a file with thousands of equal rows
      limit 200
    ) as t
    union all
    select g.amount as row_amount, g.day as row_day, t.*
    from (select distinct r.amount, r.day from rows r) as g
    cross join lateral (
      select t.id, v.name, t.description, t.currency, t.status, t.source, t.external_id, t.created_at, v.day,
        false as is_closed, null::date as held_by, true as is_former, false as is_recorded
      from (
        -- the range and its order leave the planner only the index by account, amount and day, as in rows_of_amount()
        select v.* from private.bank_versions v
        where v.account_id = p_account_id and v.amount = g.amount and v.day >= g.day and v.day <= g.day
        order by v.day
        limit 200
      ) v
      -- otherwise the planner could begin with all transactions of the tenant
      cross join lateral (select t.* from api.transactions t where t.id = v.transaction_id offset 0) t
      where t.tenant = (select private.context_tenant()) and v.external_id = t.external_id
        and not exists (select from unnest(p_excluded) as x (id) where x.id = t.id)
          and not exists (select from open o where o.transaction_id = t.id)
    ) as t
  ), histories as materialized (
    select h.id, h.said
    from private.bank_history(array(select c.id from candidates c where c.external_id is not null)) as h
  ), described as materialized (
    select distinct on (t.key) t.key, private.words_of(concat_ws(' ', c.name, h.said ->> 'name')) as words,
      private.words_of(concat_ws(' ', c.name, h.said ->> 'name', c.description)) as all_words
    from candidates c
    left join histories h on h.id = c.id
    cross join lateral (select concat_ws(' ', c.id, c.name) as key) t
    order by t.key
  ), offered as materialized (
    -- joined first, and by one value: for a join of few rows the planner would compare each row with each text
    select c.*, d.words, d.all_words from candidates c join described d on d.key = concat_ws(' ', c.id, c.name)
  ), sent as materialized (
    select r.*, private.words_of(r.name) as words, private.words_of(concat_ws(' ', r.name, r.description)) as all_words
    from rows r
    where exists (select from candidates c where c.row_amount = r.amount and c.row_day = r.day)
  ), pairs as (
    select r.row_number, c.*, abs(c.day - r.day) as distance, r.status as row_status, r.currency as row_currency,
      greatest(private.common_share(r.words, c.all_words), private.common_share(c.words, r.all_words)) as similarity,
      -- A row without an id is recognized by its content. Its key contains the account, and no longer fits after a
      -- restore, or if the row had no account. The bank may also have given the id in only one of two files, or to
      -- several transactions.
      c.source = p_source and 'row:' in (left(c.external_id, 4), left(r.key, 4)) and c.day = r.day
      and r.words <@ c.words as has_former_key,
      c.external_id is not null and c.source <> 'subscription'
      and (c.status <> 'pending' or c.is_former or r.status = 'pending' and c.source <> p_source) as is_of_bank
    from sent r
    join offered c on c.row_amount = r.amount and c.row_day = r.day
  )
  -- a row with a word of the subscription's title comes before a nearer one without, as in bank_row_of()
  select p.row_number, p.is_of_bank, p.is_former, p.is_closed, p.id, dense_rank() over (order by p.id),
    p.distance - case when p.is_recorded and p.similarity > 0 then 10 else 0 end, p.similarity, p.created_at,
    case
      when p.is_closed and not p.is_of_bank then format('may be "%s", which is in a closed period', left(p.name, 100))
      when p.is_of_bank then format('imported from %s as "%s"', p.source, left(p.name, 100))
      else format('%s as "%s" on %s',
        case
          when p.source = 'subscription' then 'recorded from a recurring item'
          when p.external_id is null then 'entered'
          else 'pending at the bank'
        end,
        left(p.name, 100),
        p.day)
          || case when p.held_by is null then ''
            else format('; the row from %s that was matched to this transaction will be matched again', p.held_by) end
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
      when p.source = p_source and p.external_id is not null
        then p.row_status <> 'pending' and p.similarity > 0 or p.has_former_key
      else true
    end;
end;
comment on function private.match_candidates(json, text, uuid, uuid[]) is
  'The pairs of rows of a file and transactions of the same account and amount, up to five days apart. is_same: the '
  'transaction is the same row from another source. is_former: the bank has said these values of a transaction that '
  'has others now. distance: the days, less 10 for a word of the title of the subscription that recorded the '
  'transaction.';

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
    select c.*, bool_or(c.is_former and not c.has_present) over (partition by c.number) as is_needed
    from (
      select m.*, bool_or(not m.is_former) over (partition by m.row_number) as has_present
      from private.match_candidates(p_rows, p_source, p_account_id, p_excluded) m
    ) c
    join json_to_recordset(p_rows) as r (row_number integer, key text, day date) on r.row_number = c.row_number
    -- Among equal transactions, one whose former values no other row has comes first. The place in the file comes
    -- late, because the order of the files makes no difference.
    order by c.is_same desc, c.is_former, c.is_closed, is_needed, c.distance, c.similarity desc, r.day, r.row_number,
      c.created_at, c.transaction_id
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
  'The rows of a file that are a transaction of another source or one that a user entered. The nearest day comes '
  'first, then the most similar name. Each transaction is used once. A row that is perhaps a transaction of a '
  'closed day is new, and the reason names it.';

create or replace function private.deleted_in_another_format(
  p_rows json, p_source text, p_account_id uuid, p_keys text[]
) returns table (row_number integer)
  language plpgsql stable security definer set search_path = '' set enable_seqscan = off set enable_sort = off
as $$
declare
  versions json;
  pair record;
  is_resolved boolean[];
  is_used boolean[];
begin
  select json_agg(
    json_build_object('source', d.source, 'external_id', d.external_id, 'is_former', u.place > 1, 'name', v.name,
      'amount', v.amount, 'day', v.day::date)
  ) into versions
    from (
      select d.*
      from private.deleted_bank_rows d
      where d.account_id = p_account_id and d.tenant = private.context_tenant()
        and exists (select from api.imports i where i.id = d.import_id)
        -- with the range and its order the planner can only use the index, as in recognize_import()
        and d.external_id is distinct from (
          select t.external_id from api.transactions t
          where t.tenant = d.tenant and t.source = d.source and t.external_id >= d.external_id
          order by t.external_id
          limit 1)
      offset 0
    ) d
    cross join lateral unnest(
      array_prepend(jsonb_build_object('name', d.name, 'amount', d.amount, 'day', d.day), d.versions)
    ) with ordinality as u (version, place)
    cross join lateral jsonb_to_record(u.version) as v (name text, amount numeric, day timestamp);
  -- The rows and the versions are read from JSON, so the planner expects many of both, and compares them by a hash of
  -- amount and day.
  for pair in
    with rows as materialized (
      select * from json_to_recordset(p_rows) as r (row_number integer, key text, name text, amount numeric, day date)
    ), versions as materialized (
      select v.source, v.external_id, v.name, v.amount, v.day, bool_and(v.is_former) as is_former
      from json_to_recordset(versions) as v (source text, external_id text, is_former boolean, name text,
        amount numeric, day date)
      group by v.source, v.external_id, v.name, v.amount, v.day
    ), sent as materialized (
      select r.*, private.words_of(r.name) as words
      from rows r
      where (r.amount, r.day) in (select v.amount, v.day from versions v)
    ), said as materialized (
      select v.*, private.words_of(v.name) as words
      from versions v
      where (v.amount, v.day) in (select r.amount, r.day from rows r)
    )
    select r.row_number as of_row, dense_rank() over (order by v.source, v.external_id) as number
    from sent r
    join said v on v.amount = r.amount and v.day = r.day
      -- in another file of the same source one of the two has no id
      and (v.source <> p_source or 'row:' in (left(v.external_id, 4), left(r.key, 4)) and v.external_id <> all (p_keys))
    where greatest(private.common_share(r.words, v.words), private.common_share(v.words, r.words)) >= 0.5
    order by v.is_former, r.row_number, v.source, v.external_id
  loop
    -- each deleted transaction is one of the equal rows of a day
    continue when is_resolved[pair.of_row] or is_used[pair.number];
    is_resolved[pair.of_row] := true;
    is_used[pair.number] := true;
    row_number := pair.of_row;
    return next;
  end loop;
end
$$;
comment on function private.deleted_in_another_format(json, text, uuid, text[]) is
  'The rows of a file that a user has deleted after another file of this account brought them: of an amount and a '
  'day that the bank has said, and with half of the words. p_keys are the keys of all rows of the file.';

create or replace function private.resolve_import_rows(
  p_rows json, p_source text, p_account_id uuid, p_known uuid[], p_keys text[], p_match boolean, p_again boolean
) returns table (row_number integer, verdict text, transaction_id uuid, reason text)
  language plpgsql stable security definer set search_path = '' set enable_seqscan = off
as $$
declare
  resolved integer[] := '{}'::integer[];
  used uuid[] := p_known;
  deleted integer[] := '{}'::integer[];
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
      reason := 'previously imported and deleted by a user: set p_again to import it again';
    else
      used := used || transaction_id;
      reason := 'already imported under a different bank ID';
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
        reason := 'previously imported from another file and deleted by a user: set p_again to import it again';
        return next;
      end if;
    end loop;
  end if;
  foreach row_number in array deleted loop
    reasons[row_number] := concat_ws('; ', reasons[row_number], 'previously imported and deleted by a user');
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
  'The verdicts of rows that no transaction has the id of, where they are not simply new. p_known are the '
  'transactions of the other rows of the file, p_keys the keys of all its rows.';

create or replace function private.rows_without(p_rows json, p_numbers integer[]) returns json
  language sql immutable
  return (select coalesce(json_agg(line), '[]') from json_array_elements(p_rows) as line
    where not exists (select from unnest(p_numbers) as n (number) where n.number = (line ->> 'row_number')::integer));
comment on function private.rows_without(json, integer[]) is 'The rows of a file without those of these numbers.';

-- Runs after the new rows are stored. The triggers of a caller's change do not fire: an import carries nothing to the
-- other half of a transfer, and stores the bank's values itself.
create or replace function private.store_import_matches(p_import_id uuid, p_matches jsonb[]) returns void
  language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
begin
  if public.org_id() is not null and not private.can('transactions', 'update') then
    perform private.deny('transactions');
  end if;
  with targets as materialized (
    select t.id, t.created_at, t.updated_at, j.verdict, j.transfer_id, t.transfer_id as former_transfer_id,
      private.bank_values(t.amount, t.name, t.status, t.transaction_date, t.booked_on, t.reference_no, t.description,
        t.metadata) as before,
      jsonb_build_object('source', t.source, 'external_id', t.external_id) as identity,
      n.*, j.said || jsonb_build_object('day', coalesce(n.booked_on::timestamp, n.transaction_date at time zone 'UTC'),
        'transaction_date', n.transaction_date at time zone 'UTC', 'booked_on', n.booked_on) as said
    from unnest(p_matches) as m (row)
    cross join jsonb_to_record(m.row) as j (
      verdict text, transaction_id uuid, transfer_id uuid, source text, external_id text, status text,
      reference_no text, description text, metadata jsonb,
      transaction_date timestamptz, booked_on date, has_date boolean, said jsonb)
    -- one by one: the planner expects few rows of a tenant, and would compare all of them with each match
    cross join lateral (
      select * from api.transactions where id = j.transaction_id and tenant = private.context_tenant() offset 0
    ) t
    cross join lateral (
      -- the values of the bank's row that had the transaction before go with it
      select case when t.reference_no is distinct from m.said ->> 'reference_no' then t.reference_no
        else m.entered ->> 'reference_no' end as reference_no,
        case when t.description is distinct from m.said ->> 'description' then t.description
          else m.entered ->> 'description' end as description,
        case when coalesce(t.metadata, 'null') is distinct from m.said -> 'metadata' then t.metadata
          else nullif(m.entered -> 'metadata', 'null') end as metadata
      from (select 1) as one left join lateral private.match_of_entered(t.id, t.external_id) m on true
    ) o
    cross join lateral (
      select case j.verdict when 'matched' then j.source else t.source end as source,
        case j.verdict when 'matched' then j.external_id else t.external_id end as external_id,
        case j.verdict when 'matched' then j.status else t.status end as status,
        case when j.verdict = 'matched' and j.has_date then j.transaction_date
          else t.transaction_date end as transaction_date,
        case when j.verdict = 'matched' and j.has_date then j.booked_on else t.booked_on end as booked_on,
        -- a user's own values stay
        case j.verdict
          when 'matched' then coalesce(o.reference_no, j.reference_no)
          else t.reference_no
        end as reference_no,
        case j.verdict when 'matched' then coalesce(o.description, j.description) else t.description end as description,
        case j.verdict
          when 'matched' then coalesce(o.metadata, nullif(j.metadata, 'null'))
          else t.metadata
        end as metadata
    ) n
    where j.verdict in ('matched', 'transfer')
  ), remembered as (
    insert into private.import_updates (tenant, transaction_id, import_id, before, after, was_untouched,
      identity_before, identity_after, said)
    select private.context_tenant(), g.id, p_import_id, g.before,
      private.bank_values((g.before ->> 'amount')::numeric, g.before ->> 'name', g.status, g.transaction_date,
        g.booked_on, g.reference_no, g.description, g.metadata),
      private.is_untouched(g.id, g.created_at, g.updated_at),
      case g.verdict when 'matched' then g.identity else jsonb_build_object('transfer_id', g.former_transfer_id) end,
      case g.verdict
        when 'matched' then jsonb_build_object('source', g.source, 'external_id', g.external_id)
        else jsonb_build_object('transfer_id', g.transfer_id)
      end,
      case g.verdict when 'matched' then g.said end
    from targets g
  )
  update api.transactions t
    set source = g.source, external_id = g.external_id, status = g.status, transaction_date = g.transaction_date,
      booked_on = g.booked_on,
      reference_no = g.reference_no, description = g.description, metadata = g.metadata,
      transfer_id = case g.verdict when 'transfer' then g.transfer_id else t.transfer_id end
    from targets g where t.id = g.id;
  -- a later update of a row that keeps a user's values
  update private.import_updates u set said = m.row -> 'said'
    from unnest(p_matches) as m (row)
    where m.row ->> 'verdict' = 'updated' and u.import_id = p_import_id
      and u.transaction_id = (m.row ->> 'transaction_id')::uuid;
end
$$;
comment on function private.store_import_matches(uuid, jsonb[]) is
  'Gives the transactions that an import has matched the values of the bank, and links the other halves of '
  'transfers. Each element is a row of classify_import().';

create or replace function private.unlink_import_transfers(p_import_id uuid) returns void
  language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
begin
  update api.transactions t set transfer_id = (u.identity_before ->> 'transfer_id')::uuid
    from private.import_updates u join api.imports i on i.id = u.import_id
    where u.import_id = p_import_id and t.id = u.transaction_id
      and t.transfer_id = (u.identity_after ->> 'transfer_id')::uuid
      and t.tenant = i.tenant
      and private.may_write('transactions', 'UPDATE', t.tenant);
end
$$;
comment on function private.unlink_import_transfers(uuid) is
  'Gives the halves that an import has linked to its own transactions their former transfer_id, before these are '
  'deleted.';

grant execute on function private.rows_of_amount(numeric, date, integer), private.open_matches(json, text, uuid),
  private.resolve_import_rows(json, text, uuid, uuid[], text[], boolean, boolean),
  private.store_import_matches(uuid, jsonb[]), private.unlink_import_transfers(uuid) to authenticated;
