-- after: imports/import_transfers, imports/read_import, rules/import_rules, transactions
-- The parts of api.import_transactions(). read_import() checks each row by itself. classify_import() compares the rows
-- with each other and with the stored transactions. Neither writes. A dry run and the import call the same two
-- functions, so a row that a dry run calls new can be stored.
--
-- A row without an external_id is identified by a fingerprint: its account, day, amount, currency and name, and its
-- number among equal rows of the file. So two coffees on one day are two rows, and the next file has the same two.
-- import_matches.sql resolves the rows that no transaction has the id of.
--
-- A bank may use an id again, and another account may have the same id. The transaction that has the id already keeps
-- it. The other one is stored under a key of its account, id and content, so that later files find it by the id too.

create or replace function private.short_hash(p_values jsonb) returns text
  language sql immutable
  return left(encode(sha256(convert_to(p_values::text, 'UTF8')), 'hex'), 32);
comment on function private.short_hash(jsonb) is 'Half of the SHA-256 of these values, in hexadecimal digits.';

-- Over 80 lines, because it is one statement: its parts share common table expressions.
create or replace function private.classify_import(
  p_rows jsonb, p_source text, p_account_id uuid, p_account_currency text, p_match boolean, p_link_transfers boolean,
  p_again boolean
) returns table (
    row_number integer, verdict text, reason text, transaction_id uuid, name text, amount numeric,
    transaction_date timestamptz, booked_on date, currency text,
    external_id text, category_id uuid, reference_no text, description text, status text, metadata jsonb,
    new_id uuid, transfer_id uuid, source text, has_date boolean, said jsonb, is_closed boolean)
  language sql stable set search_path = '' set enable_seqscan = off set enable_sort = off
begin atomic
  with known_by as (
    select r.*, n.currency as stored_currency,
      -- the transactions of one account and id have keys with the same 20 characters
      case when r.external_id is null
        then 'row:' || private.short_hash(jsonb_build_array(p_account_id, r.day, r.amount, n.currency, r.name,
          row_number() over (partition by r.external_id is null, r.day, r.amount, n.currency,
            r.name order by r.row_number)))
        else 'row:' || left(private.short_hash(jsonb_build_array(p_account_id, r.external_id)), 16)
          || left(private.short_hash(jsonb_build_array(r.day, r.amount, n.currency, r.name)), 16)
      end as content_key,
      coalesce(r.booked_on, r.transaction_date::date) as file_day,
      case when lower(r.category_id) in (
        select c.id::text from api.categories c where c.tenant = (select private.context_tenant())
      ) then r.category_id::uuid end as filed
    from private.read_import(p_rows, p_account_currency) r
    -- amounts of a file without a currency have the account's currency, or the default of a new row
    cross join lateral (select coalesce(r.currency, p_account_currency, 'usd') as currency) n
  ), sent as materialized (
    select k.*, coalesce(k.external_id, k.content_key) as id_key,
      case when k.external_id is not null then left(k.content_key, 20) end as account_key,
      nullif(concat_ws('; ', k.problem,
        case
          when k.category_id is not null and k.filed is null
            then format('category_id "%s" is not a category in this workspace', left(k.category_id, 40))
        end),
        '') as problems
    from known_by k
  ), held as materialized (
    select t.candidate
    from (
      select distinct k.*
      from sent c
      cross join lateral private.key_ranges(c.id_key, c.account_key) k
      where c.problems is null
    ) k
    -- with the range and its order the planner can only use the index, as in recognize_import()
    cross join lateral (
      select t as candidate from api.transactions t
      where t.tenant = (select private.context_tenant()) and t.source = p_source
        and t.external_id >= k.lowest and t.external_id <= k.highest
      order by t.external_id
    ) t
    where starts_with((t.candidate).external_id, k.prefix)
  ), open as materialized (
    -- The bank's row of an open match is a row of this file, under another key, because an undo may not give one key
    -- to two transactions.
    select o.*,
      case when o.external_id like 'row:%' then left(o.external_id, 20)
        else 'row:' || left(private.short_hash(jsonb_build_array(p_account_id, o.external_id)), 16) end
      || left(private.short_hash(jsonb_build_array(o.transaction_id)), 16) as moved_key
    from private.open_matches(
      (
        select json_agg(
          json_build_object('key', s.id_key, 'name', s.name, 'description', s.description, 'amount', s.amount,
            'day', s.file_day))
        from sent s
        -- a row that is only announced takes no booked row's place
        where p_match and p_account_id is not null and s.problems is null and s.file_day is not null
          and (s.status = 'pending') is not true
          -- not in, because the planner expects one transaction here, and would compare each row with each
          and s.id_key not in (select (h.candidate).external_id from held h)
            and s.content_key not in (select (h.candidate).external_id from held h)
      ), p_source, p_account_id) o
  ), checked as materialized (
    select s.*, o.transaction_id as former_match, o.moved_key
    from sent s left join open o on o.external_id in (s.id_key, s.content_key) and s.problems is null
    union all
    -- with names, because PostgreSQL prints a null without one differently after a restore
    select jsonb_array_length(p_rows) + (row_number() over (order by o.transaction_id))::integer, null::text as problem,
      r.name, r.amount, r.day::text,
      r.transaction_date at time zone 'UTC', r.booked_on, null::text as currency, null::text as external_id,
      null::text as category_id, r.reference_no, r.description,
      r.status, nullif(r.metadata, 'null'), o.currency, o.external_id, r.day, null::uuid as filed, o.external_id,
      null::text as account_key, null::text as problems,
      o.transaction_id, o.moved_key
    from open o
    cross join lateral jsonb_to_record(o.said) as r (
      name text, amount numeric, day date, transaction_date timestamp, booked_on date, reference_no text,
      description text, status text, metadata jsonb)
    where not exists (select from sent s where s.problems is null and o.external_id in (s.id_key, s.content_key))
  ), candidates as materialized (
    select h.candidate from held h where not exists (select from open o where o.transaction_id = (h.candidate).id)
  ), histories as materialized (
    select c.candidate, h.*,
      private.bank_values(t.amount, t.name, t.status, t.transaction_date, t.booked_on, t.reference_no, t.description,
        t.metadata) as values,
      coalesce(t.booked_on, t.transaction_date::date) as day,
      -- a user may have moved the transaction to another account since
      p_account_id is null
      or t.account_id is null
      or t.account_id = p_account_id
      or h.matched_account_id is not distinct from p_account_id
        or (
          select i.account_id from api.imports i where i.id = t.import_id
        ) is not distinct from p_account_id as is_of_account
    from candidates c
    cross join lateral (select (c.candidate).*) t
    join private.bank_history(array(select (c.candidate).id from candidates c)) h on h.id = t.id
  ), offered as (
    select o.*, h.candidate, h.said, h.earlier, h.is_edited, h.is_matched, h.is_of_account, h.day,
      o.has_content_key or h.is_of_account and o.is_same as is_known
    from private.entries_of_rows(
      (
        select json_agg(json_build_object(
          'row_number', c.row_number, 'key', c.id_key, 'account_key', c.account_key, 'content_key', c.content_key,
          'name', c.name, 'amount', c.amount, 'day', c.file_day))
        from checked c where c.problems is null
      ), (
        -- a version before the booking is no longer announced
        select json_agg(json_build_object('entry', h.id, 'external_id', (h.candidate).external_id, 'versions',
          array[private.core_values(coalesce(h.said, h.values)), private.core_values(h.values) - 'status']
            || array(select private.core_values(e.said) - 'status' from unnest(h.earlier) as e (said))))
        from histories h
      )) o
    join histories h on h.id = o.entry::uuid
  ), recognized as (
    select distinct on (c.row_number) c.*, o.is_known, case when o.is_known then o.candidate end as known,
      o.said as candidate_said, o.earlier as candidate_earlier,
      o.is_edited as candidate_is_edited, o.is_matched as candidate_is_matched,
      coalesce(bool_or(o.has_id) over of_row, false) as is_taken,
      coalesce(bool_or(o.has_id and o.is_of_account) over of_row, false) as is_taken_here
    from checked c left join offered o on o.row_number = c.row_number
    window of_row as (partition by c.row_number)
    order by c.row_number, o.is_known desc nulls last,
      (o.candidate).name = c.name and (o.candidate).amount = c.amount and (o.day = c.file_day) is not false desc,
      o.has_content_key desc, abs(o.day - c.file_day), (o.candidate).created_at, (o.candidate).id
  ), found as (
    select r.*, k.id as known_id, k.import_id as known_import, k.status as known_status,
      k.transaction_date as known_date, k.booked_on as known_day,
      k.reference_no as known_reference_no, k.description as known_description, k.metadata as known_metadata,
      k.name as known_name,
      nullif(k.transfer_id, k.id) as known_transfer,
      private.bank_values(k.amount, k.name, k.status, k.transaction_date, k.booked_on, k.reference_no, k.description,
        k.metadata) as known_values,
      case when r.is_known then r.candidate_said end as said,
      case when r.is_known then r.candidate_earlier end as earlier,
      r.is_known and r.candidate_is_edited as is_edited,
      coalesce(r.is_known and r.candidate_is_matched, false) as is_matched,
      k.amount <> r.amount as has_amount,
      -- compared by the day if the file has one, because the day does not depend on the time zone
      coalesce(
        case when r.booked_on is null then k.transaction_date <> r.transaction_date
          else coalesce(k.booked_on, k.transaction_date::date) <> r.booked_on end,
        false
      ) as is_moved,
      coalesce(k.currency <> r.currency, false) as has_currency,
      coalesce(k.currency <> r.stored_currency, false) as is_of_other_currency,
      k.account_id is distinct from coalesce(p_account_id, k.account_id) as has_account,
      k.category_id is distinct from coalesce(r.filed, k.category_id) as is_refiled
    from recognized r cross join lateral (select (r.known).*) k
  ), compared_in_file as (
    select f.*,
      f.external_id is not null
        and row_number() over (partition by f.known_id is null, f.external_id order by f.row_number) > 1 as is_second,
      lag(f.row_number) over (partition by f.known_id order by f.row_number) as row_of_known,
      lag(f.row_number) over by_name as row_of_name, lag(f.file_day) over by_name as day_of_name,
      lag(f.row_number) over by_amount as row_of_amount
    from found f
    window by_name as (partition by f.known_id is null, f.external_id, private.words_of(f.name),
      f.amount < 0 order by f.file_day, f.row_number),
      by_amount as (partition by f.known_id is null, f.external_id, f.amount, f.file_day order by f.row_number)
  ), refused as materialized (
    select f.*, nullif(concat_ws('; ', f.problems,
      case
        when r.repeated is not null
          then format('row %s has the same external_id "%s"', r.repeated, left(f.external_id, 40))
      end),
      '') as refusal
    from compared_in_file f
    -- the same rule as for two files, in entries_of_rows()
    cross join lateral (
      select case
        when f.external_id is null then null
        when f.known_id is not null then f.row_of_known
        when f.row_of_name is not null and (f.file_day - f.day_of_name <= 5) is not false then f.row_of_name
        else f.row_of_amount
      end as repeated
    ) r
  ), booked as (
    -- A file without statuses contains booked rows. So it sets a pending row to paid, unless a user has set its status.
    select f.*,
      case
        -- a user entered the row, so its name is the user's
        when f.is_matched then private.core_values(f.said) - 'name' = private.core_values(f.known_values) - 'name'
        else f.known_import is not null
          and coalesce(
            not f.is_edited or own.has_name or private.core_values(f.said) = private.core_values(f.known_values), false)
      end as is_banks,
      coalesce(own.has_name, false) as has_own_name,
      not f.is_matched and normalize(f.known_name, nfc) <> normalize(f.name, nfc) as is_renamed,
      base.reference_no as base_reference_no, base.description as base_description, base.metadata as base_metadata,
      base.reference_no is distinct from coalesce(f.reference_no, base.reference_no) as has_reference_no,
      base.description is distinct from coalesce(f.description, base.description) as has_description,
      base.metadata is distinct from coalesce(f.metadata, base.metadata) as has_metadata,
      coalesce(f.status,
        case
          when f.known_status <> 'paid'
            and (f.known_import is not null and not f.is_edited or f.said ->> 'status' = f.known_status)
            then 'paid'
          else f.known_status
        end) as says_status
    from refused f
    cross join lateral (
      select case when f.is_matched then f.said ->> 'reference_no' else f.known_reference_no end as reference_no,
        case when f.is_matched then f.said ->> 'description' else f.known_description end as description,
        case when f.is_matched then nullif(f.said -> 'metadata', 'null') else f.known_metadata end as metadata
    ) base
    -- A pending transaction is booked under the name that a user has written. Otherwise it would stay pending for ever.
    cross join lateral (
      select f.known_status = 'pending' and not f.is_matched and f.said ->> 'name' <> f.known_name
        and private.core_values(f.said) - 'name' = private.core_values(f.known_values) - 'name' as has_name
    ) own
  ), compared as (
    select b.*,
      concat_ws(', ',
        case when b.is_renamed then 'name' end, case when b.has_amount then 'amount' end,
        case when b.is_moved then 'transaction_date' end,
        case when b.has_currency then 'currency' end, case when b.says_status <> b.known_status then 'status' end,
        case when b.has_account then 'account_id' end,
        case when b.is_refiled then 'category_id' end, case when b.has_reference_no then 'reference_no' end,
        case when b.has_description then 'description' end,
        case when b.has_metadata then 'metadata' end) as differences,
      -- a user's own values stay
      b.has_reference_no
      and (b.said is null or b.said ->> 'reference_no' is not distinct from b.known_reference_no) as takes_reference_no,
      b.has_description
      and (b.said is null or b.said ->> 'description' is not distinct from b.known_description) as takes_description,
      b.has_metadata
      and (
        b.said is null or b.said -> 'metadata' is not distinct from coalesce(b.known_metadata, 'null')
      ) as takes_metadata,
      b.is_renamed and not b.has_own_name
      or b.has_amount
      or b.is_moved
      or b.says_status <> b.known_status as is_essential,
      private.bank_values(
        b.amount, b.name, b.says_status, case when b.is_moved then b.transaction_date else b.known_date end,
        case when b.is_moved then b.booked_on else b.known_day end,
        coalesce(b.reference_no, b.base_reference_no), coalesce(b.description, b.base_description),
        coalesce(b.metadata, b.base_metadata)) as says
    from booked b
  ), decided as materialized (
    select c.*,
      case
        when c.has_amount then (select sum(l.amount) from api.line_items l where l.transaction_id = c.known_id)
      end as itemized,
      c.is_banks and not c.is_of_other_currency and not c.has_account
        -- without an id other rows may look the same, so only the change from pending to paid identifies the row
        and (
          c.is_essential
          or c.external_id is not null and (c.takes_reference_no or c.takes_description or c.takes_metadata))
        -- the other half of a transfer is another bank's
        and not (c.has_amount and c.known_transfer is not null)
        -- a booked row does not become pending again, and earlier values of the bank come from an older file
        and not (c.says_status = 'pending' and c.known_status <> 'pending')
        and not exists (
          select from unnest(c.earlier) as e (said)
          where private.core_values(e.said) = private.core_values(c.says)
            and (
              c.is_essential
              or e.said - array['day', 'transaction_date',
                'booked_on'] = c.says - array['day', 'transaction_date', 'booked_on'])
        ) as is_later
    from compared c
  ), former as materialized (
    select f.*
    from private.former_rows(
      (
        select json_agg(
          json_build_object('row_number', d.row_number, 'key', d.id_key, 'account_key', d.account_key,
            'content_key', d.content_key, 'name', d.name,
          'amount', d.amount, 'day', d.file_day))
        from decided d
        where d.known_id is null and d.refusal is null and d.moved_key is null
      ), p_source, p_account_id) f
  ), keyed as materialized (
    select d.*, f.verdict as former, f.transaction_id as former_id,
      d.known_id is null and (d.is_taken_here or d.is_second or f.is_taken_here is true) as is_used_again,
      case when d.known_id is null and (d.is_taken or d.is_second or f.is_taken is true) then d.content_key
        else coalesce(d.moved_key, d.id_key) end as key
    from decided d left join former f on f.row_number = d.row_number
  ), resolved as materialized (
    select r.*
    from private.resolve_import_rows(
      (
        select json_agg(json_build_object(
          'row_number', k.row_number, 'key', k.key, 'name', k.name, 'amount', k.amount, 'currency', k.stored_currency,
          'day', coalesce(k.file_day, current_date), 'description', k.description, 'status', coalesce(k.status, 'paid'),
          'former', k.former, 'former_id', k.former_id))
        from keyed k
        where k.known_id is null and k.refusal is null
      ),
      p_source, p_account_id, array(select k.known_id from keyed k where k.known_id is not null),
      array(select k.key from keyed k), p_match, p_again) r
  ), placed as materialized (
    -- an open match that stays as it was changes nothing
    select k.*, case when r.transaction_id = k.former_match then 'duplicate' else r.verdict end as resolved,
      r.transaction_id as resolved_id,
      case when r.transaction_id = k.former_match then null else r.reason end as resolved_reason,
      k.known_id is null and k.refusal is null and coalesce(r.verdict, 'new') = 'new' as is_new
    from keyed k left join resolved r on r.row_number = k.row_number
  ), pairs as materialized (
    select t.*
    from private.transfer_candidates(
      (
        select json_agg(json_build_object(
          'row_number', p.row_number, 'name', p.name, 'amount', p.amount, 'currency', p.stored_currency, 'day',
          coalesce(p.file_day, current_date),
          'description', p.description, 'status', coalesce(p.status, 'paid'), 'metadata', p.metadata))
        from placed p
        where p_link_transfers and p_account_id is not null and p.is_new
      ), p_account_id, array(select coalesce(p.known_id, p.resolved_id)
        from placed p
        where coalesce(p.known_id, p.resolved_id) is not null)) t
  ), marked as materialized (
    -- the rules of the user prove a transfer too
    select f.row_number
    from (
      select json_agg(json_build_object(
        'row_number', p.row_number, 'verdict', 'new', 'name', p.name, 'amount', p.amount, 'transaction_date',
        coalesce(p.transaction_date, now()), 'booked_on', p.booked_on,
        'currency', p.stored_currency, 'source', p_source, 'external_id', p.key, 'category_id', p.filed, 'reference_no',
        p.reference_no,
        'description', p.description, 'status', coalesce(p.status, 'paid'), 'metadata', p.metadata)) as lines
      from placed p
      where p.row_number in (select t.row_number from pairs t where t.strength < 2)
    ) g
    cross join lateral private.file_import_rows(g.lines, p_account_id) f
    where g.lines is not null and f.is_transfer
  ), linked as materialized (
    select l.*
    from private.pair_transfers((
      select json_agg(
        to_jsonb(t)
          || case when t.row_number in (select m.row_number from marked m) and t.takes_mark then '{"strength": 2}'
            else '{}'::jsonb end)
      from pairs t)) l
  ), decided_on as materialized (
    select d.*, coalesce(l.transaction_id, d.resolved_id) as other_id,
      nullif(
        concat_ws('; ', l.reason, case when l.verdict is distinct from 'transfer' then d.resolved_reason end,
          case when d.is_used_again and d.is_new and l.verdict is distinct from 'transfer'
        then format(
          'the bank also gave the ID "%s" to another transaction, so this one is identified by its date, amount and '
          'name',
          left(d.external_id, 40)
        ) end),
          '') as other_reason,
      case
        when d.refusal is not null then 'invalid'
        when d.known_id is null then coalesce(l.verdict, d.resolved, 'new')
        when d.differences = '' then 'duplicate'
        when d.is_later and private.line_items_fit(d.itemized, d.amount) then 'updated'
        else 'changed'
      end as decision
    from placed d left join linked l on l.row_number = d.row_number
  ), closed_days as materialized (
    -- materialized, because it would otherwise be computed for each row
    select private.closed_until(p_account_id, (select public.uid()), (select public.org_id())) as until
  ), classified as materialized (
    -- storing the row would change a closed day
    select d.*, case when k.is_closed then 'invalid' else d.decision end as verdict,
      case when k.is_closed then 'the period through ' || k.until || ' is closed' end as closed
    from decided_on d
    cross join closed_days c
    cross join lateral (
      select c.until, d.decision in ('new', 'matched', 'transfer', 'updated') and coalesce(
        least(
          coalesce(private.closing_day(d.booked_on, d.transaction_date),
            case when d.known_id is null then private.closing_day(null, now()) end),
          private.closing_day(d.known_day, d.known_date)
        ) <= c.until,
        false) as is_closed
    ) k
  )
  select j.row_number, j.verdict,
    case
      when j.closed is not null then j.closed
      when j.refusal is not null then j.refusal
      when j.known_id is null then j.other_reason
      when j.differences = '' then null
      when j.verdict = 'updated' then 'the bank changed: ' || concat_ws(', ',
        case when j.is_renamed and not j.has_own_name then 'name' end, case when j.has_amount then 'amount' end,
        case when j.is_moved then 'transaction_date' end,
        case when j.says_status <> j.known_status then 'status' end,
        case when j.takes_reference_no then 'reference_no' end,
        case when j.takes_description then 'description' end, case when j.takes_metadata then 'metadata' end)
      else concat_ws('; ', 'saved with different values: ' || j.differences,
        case when j.is_later then format('its splits total %s', j.itemized) end,
        case when j.has_amount and j.known_transfer is not null then 'it is part of a transfer' end)
    end,
    case when j.refusal is null then coalesce(j.known_id, case when j.closed is null then j.other_id end) end,
    case when j.is_matched or j.has_own_name then j.known_name else j.name end, j.amount,
    case when j.known_id is null then coalesce(j.transaction_date, now()) when j.is_moved then j.transaction_date end,
    case when j.known_id is null or j.is_moved then j.booked_on end,
    j.stored_currency, j.key, j.filed,
    case when j.known_id is null or j.takes_reference_no then j.reference_no end,
    case when j.known_id is null or j.takes_description then j.description end,
    case when j.known_id is null then coalesce(j.status, 'paid') else j.says_status end,
    case when j.known_id is null or j.takes_metadata then j.metadata end,
    case when j.verdict in ('new', 'transfer') then gen_random_uuid() end,
    case when j.verdict = 'transfer' then gen_random_uuid() end,
    p_source, j.transaction_date is not null,
    case
      when j.verdict = 'matched'
        then private.bank_values(j.amount, j.name, coalesce(j.status, 'paid'), j.transaction_date, j.booked_on,
          j.reference_no, j.description, j.metadata)
      when j.is_matched then j.says
    end,
    j.closed is not null
  from classified j
  order by j.row_number;
end;
comment on function private.classify_import(jsonb, text, uuid, text, boolean, boolean, boolean) is
  'The verdict for each row of a file in the active context, with the values to store. new_id is the id of a row to '
  'store, transfer_id that of its transfer; said has the bank''s values of a transaction that keeps a user''s. For '
  'an existing transaction, transaction_date, reference_no, description and metadata are null unless they change.';

-- The planner expects one row for each tenant. In a nested loop it would compare each row of the tenant with each row
-- of the file.
create or replace function private.store_import_updates(p_updates jsonb[]) returns void
  language sql set search_path = '' set enable_nestloop = off
begin atomic
  update api.transactions t
    set name = j.name, amount = j.amount, status = j.status, reference_no = coalesce(j.reference_no, t.reference_no),
      description = coalesce(j.description, t.description), metadata = coalesce(j.metadata, t.metadata),
      transaction_date = coalesce(j.transaction_date, t.transaction_date),
      booked_on = case when j.transaction_date is null then t.booked_on else j.booked_on end
    from unnest(p_updates) as u (changes) cross join jsonb_to_record(u.changes) as j (
      transaction_id uuid, name text, amount numeric, status text, reference_no text, description text, metadata jsonb,
      transaction_date timestamptz, booked_on date)
    where t.id = j.transaction_id;
end;
comment on function private.store_import_updates(jsonb[]) is
  'Stores the new values of the bank, with the caller''s rights. Each element is a row of classify_import() with the '
  'verdict updated.';

-- Callers may not insert into imports, so that the table lists only real imports. This function is the only way. It
-- inserts an import into the caller's own context.
create or replace function private.begin_import(
  p_source text, p_account_id uuid, p_file_name text, p_row_count bigint
) returns uuid
  language plpgsql volatile security definer set search_path = ''
as $$
declare
  begun uuid;
begin
  if public.org_id() is not null and not private.can('imports', 'create') then
    perform private.deny('imports');
  end if;
  insert into api.imports (source, account_id, file_name, row_count)
  values (p_source, p_account_id, p_file_name, p_row_count)
  returning id into begun;
  -- store_bank_values() reads this setting; no request can set it
  perform set_config('private.import', begun::text, true);
  return begun;
end
$$;
comment on function private.begin_import(text, uuid, text, bigint) is
  'Stores an import of the caller''s active context and returns its id.';

-- runs with the definer's rights, so that PostgreSQL need not plan the row rules for each row
create or replace function private.is_of_import(p_transaction_id uuid, p_import_id uuid) returns boolean
  language sql stable security definer set search_path = '' set enable_seqscan = off
begin atomic
  -- only the request that makes an import assigns its id to transactions; a row that a client sends back unchanged
  -- has it already
  select coalesce(p_import_id::text = current_setting('private.import', true), false)
    or coalesce(p_import_id = (select import_id from api.transactions where id = p_transaction_id), false);
end;
comment on function private.is_of_import(uuid, uuid) is 'Whether the import_id of a transaction is valid.';

create or replace function private.recognize_import(new api.transactions) returns api.transactions
  language plpgsql security definer set search_path = '' set enable_seqscan = off set enable_sort = off
as $$
declare
  known record;
begin
  -- row security later refuses another tenant's row, so nothing is looked up for it
  if private.tenant_of(new.user_id, new.organization_id) not in ('u:' || public.uid(),
    coalesce('o:' || public.org_id(), '')) then
    return new;
  end if;
  -- a PUT and an upsert by id name their row; the external_id of another row is then an ordinary conflict
  if current_setting('request.method', true) = 'PUT' or exists (select from api.transactions where id = new.id) then
    return new;
  end if;
  -- The request holds the lock of the tenant, so it finds the rows of an import that ran at the same time. With the
  -- range and its order the planner can only use the index that ends in external_id. With another index it would
  -- compare the row with all rows of the tenant.
  select id, user_id, external_id into known from api.transactions
    where tenant = private.tenant_of(new.user_id, new.organization_id) and source = new.source
      and external_id >= new.external_id
    order by external_id limit 1;
  if known.external_id = new.external_id then
    new.id := known.id;
    -- the row keeps the member who imported it first
    new.user_id := known.user_id;
  end if;
  return new;
end
$$;
comment on function private.recognize_import(api.transactions) is
  'Gives an imported row the id of its earlier import, which it finds by (tenant, source, external_id). The '
  'conflict target of an upsert, id by default, does not contain these columns.';

-- The deletions run with the caller's rights, under the row rules of transactions.
create or replace function private.delete_import_transactions(p_import_id uuid) returns void
  language plpgsql set search_path = '' set enable_seqscan = off
as $$
declare
  changed bigint;
begin
  select count(*) into changed
  from api.transactions t
  where t.import_id = p_import_id and (
    not private.is_untouched(t.id, t.created_at, t.updated_at)
    or exists (select from api.line_items l where l.transaction_id = t.id)
    or exists (select from api.attachments a where a.transaction_id = t.id)
    or private.has_tags_of_user(t.id)
  );
  if changed > 0 then
    raise sqlstate 'PT409' using
      message = format('%s from this import %s changed since',
        case changed when 1 then '1 transaction' else changed || ' transactions' end,
        case changed when 1 then 'has' else 'have' end),
      hint = 'Nothing was deleted. A transaction also counts as changed if you edited and then reverted it, or if it '
        'has splits, tags or receipts. Delete the transactions individually instead.';
  end if;
  perform private.unlink_import_transfers(p_import_id);
  -- the next import of the file may store these rows again
  perform set_config('private.reverted_import', p_import_id::text, true);
  delete from api.transactions where import_id = p_import_id;
  perform set_config('private.reverted_import', '', true);
end
$$;
comment on function private.delete_import_transactions(uuid) is
  'Deletes the transactions of an import that is being deleted. Raises 409 if one of them was changed since.';

grant execute on function private.short_hash(jsonb),
  private.classify_import(jsonb, text, uuid, text, boolean, boolean, boolean), private.store_import_updates(jsonb[]),
  private.begin_import(text, uuid, text, bigint), private.is_of_import(uuid, uuid),
  private.recognize_import(api.transactions), private.delete_import_transactions(uuid) to authenticated;
