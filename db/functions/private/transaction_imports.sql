-- What api.import_transactions() is made of. read_import() says what is wrong with a row by itself, judge_import() compares the
-- rows with each other and with what is stored; neither writes. A dry run and the import judge by the same two, so what a
-- dry run calls new can be stored.
--
-- A row without an external_id is known by a fingerprint: its account, day, amount, currency and name, and which of the same
-- of this file it is, so that two coffees of one day are two, and the same two in the next file.

create or replace function private.read_import(p_rows jsonb, p_account_currency text)
  returns table (
    row_number integer, problem text, name text, amount numeric, day text, transaction_date timestamptz, currency text, external_id text,
    category_id text, reference_no text, description text, status text, metadata jsonb)
  language sql stable
begin atomic
  with sent as materialized (
    -- a row whose form is wrong is read no further: what is not a text may print at any length
    select at::integer as row_number, form, case when form is null then line end as line
    from jsonb_array_elements(p_rows) with ordinality as l (line, at)
    cross join lateral (
      select case
        when jsonb_typeof(line) <> 'object' then 'the row is not an object'
        -- a few names are enough: a row may have a hundred thousand
        when line - array['name', 'amount', 'transaction_date', 'currency', 'external_id', 'category_id', 'reference_no', 'description', 'status', 'metadata'] <> '{}'
          then 'a row has name, amount, transaction_date, currency, external_id, category_id, reference_no, description, status and metadata, and not '
            || (select string_agg(left(key, 40), ', ') from (select key from jsonb_object_keys(
              line - array['name', 'amount', 'transaction_date', 'currency', 'external_id', 'category_id', 'reference_no', 'description', 'status', 'metadata']) as key
              limit 5) as others)
        when jsonb_path_exists(line - array['amount', 'metadata'], '$.* ? (@ != null && @.type() != "string")')
          then (select string_agg(key, ', ') from jsonb_each(line - array['amount', 'metadata']) where jsonb_typeof(value) not in ('null', 'string')) || ' is not a text'
      end as form
    ) f
  ), fields as materialized (
    select s.row_number, s.form, line ->> 'name' as name, line -> 'amount' as given_amount, line ->> 'transaction_date' as given_date,
      case jsonb_typeof(line -> 'amount')
        when 'number' then (line -> 'amount')::numeric
        when 'string' then case when line ->> 'amount' ~ '^[-+]?[0-9]{1,40}([.][0-9]{1,40})?$' then (line ->> 'amount')::numeric end
      end as exact,
      private.moment(line ->> 'transaction_date') as moment, lower(line ->> 'currency') as given_currency,
      coalesce(lower(line ->> 'currency'), p_account_currency, 'usd') as currency, line ->> 'external_id' as external_id, line ->> 'category_id' as category_id,
      line ->> 'reference_no' as reference_no, line ->> 'description' as description, line ->> 'status' as status, nullif(line -> 'metadata', 'null') as metadata
    from sent s
  )
  select f.row_number,
    coalesce(f.form, nullif(concat_ws('; ',
      case
        when coalesce(f.name, '') = '' then 'name is missing'
        when char_length(f.name) > 255 then 'name is longer than 255 characters'
      end,
      case
        when coalesce(f.given_amount, 'null') = 'null' then 'amount is missing'
        when f.exact is null then format('amount%s is not a number: write 12.50', case jsonb_typeof(f.given_amount) when 'string' then format(' "%s"', left(f.given_amount #>> '{}', 40)) end)
        when abs(round(f.exact, 2)) >= 1e12 then 'amount is too large: it stays below 1,000,000,000,000'
        when private.currency_decimals(f.currency) = 0 and f.exact <> trunc(f.exact) then format('an amount of %s has no decimals', f.currency)
        when private.currency_decimals(f.currency) > 2 and f.exact <> round(f.exact, 2) then format('an amount of %s is stored with two decimals', f.currency)
      end,
      case when f.given_date is not null and f.moment is null then format('transaction_date "%s" is not a date: write 2025-01-31, from 1900 to 2199', left(f.given_date, 40)) end,
      case
        when f.currency not in (select private.known_currencies()) then format('currency "%s" is not known: write the three letters of ISO 4217, such as eur', left(f.currency, 40))
        when f.currency <> p_account_currency then format('currency %s is not the account''s, which is %s', f.currency, p_account_currency)
      end,
      case when char_length(f.external_id) not between 1 and 255 then 'external_id has 1 to 255 characters' end,
      case when char_length(f.reference_no) > 255 then 'reference_no is longer than 255 characters' end,
      case when char_length(f.description) > 5000 then 'description is longer than 5000 characters' end,
      case when f.status not in ('paid', 'pending', 'failed') then format('status "%s" is not paid, pending or failed', left(f.status, 40)) end,
      case
        when not private.plain_numbers(f.metadata) then 'a number in metadata is not below 1e30 with up to 50 decimal places'
        when octet_length(f.metadata::text) > 16384 then 'metadata is larger than 16 KiB'
        when jsonb_path_exists(f.metadata, '$.**{17}') then 'metadata has more than 16 levels'
      end), '')),
    f.name, case when abs(round(f.exact, 2)) < 1e12 then round(f.exact, 2) end, left(f.given_date, 10), f.moment, f.given_currency, f.external_id,
    f.category_id, f.reference_no, f.description, f.status, f.metadata
  from fields f;
end;
comment on function private.read_import(jsonb, text) is
  'The rows of a file as values, null for what one does not say, and what is wrong with a row by itself. The currency is the account''s, which another must not be.';

create or replace function private.judge_import(p_rows jsonb, p_source text, p_account_id uuid, p_account_currency text)
  returns table (
    row_number integer, verdict text, reason text, transaction_id uuid, name text, amount numeric, transaction_date timestamptz, currency text,
    external_id text, category_id uuid, reference_no text, description text, status text, metadata jsonb)
  language sql stable set search_path = '' set enable_seqscan = off set enable_sort = off
begin atomic
  with known_by as (
    select r.*,
      coalesce(r.external_id, 'row:' || left(encode(sha256(convert_to(jsonb_build_array(
        p_account_id, r.day, r.amount, coalesce(r.currency, p_account_currency, 'usd'), r.name,
        row_number() over (partition by r.external_id is null, r.day, r.amount, coalesce(r.currency, p_account_currency, 'usd'), r.name order by r.row_number))::text, 'UTF8')), 'hex'), 32)) as key,
      case when lower(r.category_id) in (
        select c.id::text from api.categories c where private.same_tenant(c.user_id, c.organization_id, (select public.uid()), (select public.org_id()))
      ) then r.category_id::uuid end as filed
    from private.read_import(p_rows, p_account_currency) r
  ), numbered as (
    select k.*, first_value(k.row_number) over (partition by k.key order by k.row_number) as first
    from known_by k
  ), checked as materialized (
    select n.*,
      nullif(concat_ws('; ', n.problem,
        case when n.category_id is not null and n.filed is null then format('category_id "%s" is not a category of this context', left(n.category_id, 40)) end,
        case when n.first < n.row_number then format('external_id "%s" is that of row %s too', left(n.key, 40), n.first) end), '') as refusal
    from numbered n
  )
  select c.row_number,
    case
      when c.refusal is not null then 'invalid'
      when known.id is null then 'new'
      when known.differences = '' then 'duplicate'
      else 'changed'
    end,
    coalesce(c.refusal, 'stored with another ' || nullif(known.differences, '')), coalesce(known.id, case when c.refusal is null then gen_random_uuid() end),
    c.name, c.amount, coalesce(c.transaction_date, now()), coalesce(c.currency, p_account_currency, 'usd'), c.key, c.filed, c.reference_no, c.description,
    coalesce(c.status, 'paid'), c.metadata
  from checked c
  -- one look-up a row, as recognize_import() has it
  left join lateral (
    select t.id, concat_ws(', ',
      case when t.name <> c.name then 'name' end,
      case when t.amount <> c.amount then 'amount' end,
      case when t.transaction_date <> c.transaction_date then 'transaction_date' end,
      case when t.currency <> c.currency then 'currency' end,
      case when t.status <> c.status then 'status' end,
      case when t.account_id is distinct from coalesce(p_account_id, t.account_id) then 'account_id' end,
      case when t.category_id is distinct from coalesce(c.filed, t.category_id) then 'category_id' end,
      case when t.reference_no is distinct from coalesce(c.reference_no, t.reference_no) then 'reference_no' end,
      case when t.description is distinct from coalesce(c.description, t.description) then 'description' end,
      case when t.metadata is distinct from coalesce(c.metadata, t.metadata) then 'metadata' end) as differences
    from (
      (
        select t.* from api.transactions t
        where t.organization_id = (select public.org_id()) and t.source = p_source and t.external_id >= c.key
        order by t.external_id limit 1
      )
      union all
      (
        select t.* from api.transactions t
        where (select public.org_id()) is null and t.organization_id is null and t.user_id = (select public.uid()) and t.source = p_source and t.external_id >= c.key
        order by t.external_id limit 1
      )
    ) t
    where c.refusal is null and t.external_id = c.key
  ) as known on true
  order by c.row_number;
end;
comment on function private.judge_import(jsonb, text, uuid, text) is
  'What becomes of each row of a file in the active context, with the values that a new one is stored with and the id it gets or has.';

-- Callers may not insert into imports, so that none can be there that is not what was imported. This is the one way, and
-- it makes a row of the caller's own context.
create or replace function private.begin_import(p_source text, p_account_id uuid, p_file_name text, p_row_count bigint) returns uuid
  language plpgsql volatile security definer set search_path = ''
as $$
declare
  begun uuid;
begin
  if public.org_id() is not null and not private.can('imports', 'create') then
    perform private.deny('imports');
  end if;
  insert into api.imports (source, account_id, file_name, row_count) values (p_source, p_account_id, p_file_name, p_row_count) returning id into begun;
  return begun;
end
$$;
comment on function private.begin_import(text, uuid, text, bigint) is 'Stores an import of the caller''s active context, and answers its id.';

-- Only the request that makes an import gives transactions its id. A row that is sent back as it was read has one already.
-- The definer's rights spare each row the planning of the row rules.
create or replace function private.keep_import() returns trigger
  language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
begin
  if tg_op = 'INSERT' then
    if exists (select from api.imports where id = new.import_id and xmin = pg_current_xact_id()::xid)
      or new.import_id = (select import_id from api.transactions where id = new.id) then
      return new;
    end if;
  end if;
  perform private.invalid('import_id cannot be set or changed', 'Leave it out, or send it as it was read. /rpc/import_transactions sets it.');
  return null;
end
$$;
comment on function private.keep_import() is 'Refuses a caller who gives a transaction an import.';

-- The deletions run with the caller's rights, under the row rules of transactions.
create or replace function private.take_import_back() returns trigger
  language plpgsql set search_path = '' set enable_seqscan = off
as $$
declare
  changed bigint;
begin
  select count(*) into changed
  from api.transactions t
  where t.import_id = old.id and (
    t.updated_at <> t.created_at
    or exists (select from api.line_items l where l.transaction_id = t.id)
    or exists (select from api.transaction_tags g where g.transaction_id = t.id)
  );
  if changed > 0 then
    raise sqlstate 'PT409' using
      message = format('%s of the import''s transactions %s been changed since', changed, case changed when 1 then 'has' else 'have' end),
      hint = 'Nothing was deleted. Changed is what was edited, also if it was edited back, or has line items or tags. Delete the transactions themselves instead.';
  end if;
  delete from api.transactions where import_id = old.id;
  return old;
end
$$;
comment on function private.take_import_back() is 'Deletes an import''s transactions with it; 409 when one of them was changed since.';

grant execute on function private.read_import(jsonb, text), private.judge_import(jsonb, text, uuid, text), private.begin_import(text, uuid, text, bigint)
  to authenticated;
