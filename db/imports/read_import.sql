-- after: rates/currencies, transactions/tables
-- The rows of a file as values, each by itself.

-- Over 80 lines, because each field of a row has its own checks and messages.
create or replace function private.read_import(p_rows jsonb, p_account_currency text)
  returns table (
    row_number integer, problem text, name text, amount numeric, day text, transaction_date timestamptz, booked_on date,
    currency text, external_id text, category_id text, reference_no text, description text, status text, metadata jsonb)
  language sql stable
begin atomic
  with sent as materialized (
    -- a row of the wrong form is not read further: a value that is no text may print at any length
    select at::integer as row_number, form, case when form is null then line end as line
    from jsonb_array_elements(p_rows) with ordinality as l (line, at)
    cross join lateral (
      select case
        when jsonb_typeof(line) <> 'object' then 'the row must be an object'
        -- five names are enough: a row may have a hundred thousand
        when line - array['name', 'amount', 'transaction_date', 'currency', 'external_id', 'category_id',
          'reference_no', 'description', 'status', 'metadata'] <> '{}'
          then 'unknown fields: '
            || (select string_agg(left(key, 40), ', ') from (select key from jsonb_object_keys(
              line - array['name', 'amount', 'transaction_date', 'currency', 'external_id', 'category_id',
                'reference_no', 'description', 'status', 'metadata']) as key
              limit 5) as others)
            || '. Valid fields are name, amount, transaction_date, currency, external_id, category_id, reference_no, '
            'description, status and metadata'
        when jsonb_path_exists(line - array['amount', 'metadata'], '$.* ? (@ != null && @.type() != "string")')
          then (
            select string_agg(key, ', ')
            from jsonb_each(line - array['amount', 'metadata'])
            where jsonb_typeof(value) not in ('null', 'string')
          )
            || ' must be text'
      end as form
    ) f
  ), fields as materialized (
    select s.row_number, s.form, line ->> 'name' as name, line -> 'amount' as given_amount,
      line ->> 'transaction_date' as given_date,
      case jsonb_typeof(line -> 'amount')
        when 'number' then (line -> 'amount')::numeric
        when 'string'
          then case when line ->> 'amount' ~ '^[-+]?[0-9]{1,40}([.][0-9]{1,40})?$' then (line ->> 'amount')::numeric end
      end as exact,
      private.moment(line ->> 'transaction_date') as moment, lower(line ->> 'currency') as given_currency,
      coalesce(lower(line ->> 'currency'), p_account_currency, 'usd') as currency,
      line ->> 'external_id' as external_id, line ->> 'category_id' as category_id,
      line ->> 'reference_no' as reference_no, line ->> 'description' as description, line ->> 'status' as status,
      nullif(line -> 'metadata', 'null') as metadata
    from sent s
  )
  select f.row_number,
    coalesce(f.form, nullif(concat_ws('; ',
      case
        when f.name is null or private.is_blank(f.name) then 'name is missing'
        when char_length(f.name) > 255 then 'name is longer than 255 characters'
      end,
      case
        when coalesce(f.given_amount, 'null') = 'null' then 'amount is missing'
        when f.exact is null
          then format('amount%s is not a number; use a format such as 12.50',
            case jsonb_typeof(f.given_amount) when 'string' then format(' "%s"', left(f.given_amount #>> '{}', 40)) end)
        when abs(round(f.exact, 2)) >= 1e12 then 'amount is too large: it must be below 1,000,000,000,000'
        when private.currency_decimals(f.currency) = 0 and f.exact <> trunc(f.exact)
          then format('amounts in %s can''t have decimals', upper(f.currency))
        when private.currency_decimals(f.currency) > 2 and f.exact <> round(f.exact, 2)
          then format('amounts in %s can have up to two decimals', upper(f.currency))
      end,
      case
        when f.given_date is not null and f.moment is null
          then format('transaction_date "%s" is not a date from 1900 to 2199, such as 2025-01-31',
            left(f.given_date, 40))
      end,
      case
        when not private.is_currency(f.currency)
          then format('currency "%s" is unknown: use a three-letter code such as eur',
            left(f.currency, 40))
        when f.currency <> p_account_currency
          then format('the currency is %s, but the account is in %s', upper(f.currency), upper(p_account_currency))
      end,
      case when char_length(f.external_id) not between 1 and 255 then 'external_id must have 1 to 255 characters' end,
      case when char_length(f.reference_no) > 255 then 'reference_no is longer than 255 characters' end,
      case when char_length(f.description) > 5000 then 'description is longer than 5000 characters' end,
      case
        when f.status not in ('paid', 'pending', 'failed')
          then format('status "%s" is not paid, pending or failed', left(f.status, 40))
      end,
      case
        when not private.plain_numbers(f.metadata)
          then 'a number in metadata is out of range: it must be below 1e30 with up to 50 decimal places'
        when octet_length(f.metadata::text) > 16384 then 'metadata is larger than 16 KiB'
        when jsonb_path_exists(f.metadata, '$.**{17}') then 'metadata has more than 16 levels'
      end), '')),
    f.name, case when abs(round(f.exact, 2)) < 1e12 then round(f.exact, 2) end, left(f.given_date, 10), f.moment,
    private.whole_day(f.given_date),
    f.given_currency, f.external_id,
    f.category_id, f.reference_no, f.description, f.status, f.metadata
  from fields f;
end;
comment on function private.read_import(jsonb, text) is
  'The rows of a file as values, null for a missing value, and the problem of each row by itself. A row''s currency '
  'must be p_account_currency, if that is not null.';

grant execute on function private.read_import(jsonb, text) to authenticated;
