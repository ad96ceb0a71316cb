-- filters has no default, on purpose: PostgREST 12 takes a body of any other form for a function of one JSON parameter, and a
-- misspelt name would so be answered as if nothing had been asked to be filtered.
create or replace function api.get_filtered_transactions(filters jsonb) returns setof api.transactions
  language plpgsql stable set search_path = ''
as $$
begin
  return query execute format(
    'select * from api.transactions where %s order by transaction_date desc, id', private.transaction_condition(filters));
end
$$;
comment on function api.get_filtered_transactions(jsonb) is
$$Transactions that pass all filters, newest first

`filters` is an array of up to 50 objects {`field`, `operation`, `value`}; all must hold, and an empty array gives every transaction you see.

Fields and their operations: `amount`, `transaction_date`, `created_at`, `updated_at`: eq, neq, gt, gte, lt, lte, in, from, to, between, is_null. `id`, `category_id`: eq, neq, in, is_null. `name`, `description`, `currency`, `status`, `source`, `reference_no`, `external_id`, `user_id`, `organization_id`: eq, neq, like, ilike, in, is_null.

Values: a number or a date (YYYY-MM-DD or ISO 8601 date-time); an array for `in`, an array of two for `between`; true or false for `is_null`; `*` stands for any characters in `like` and `ilike`. `from`, `to` and `between` include both ends, and a date there is the whole day; the other operations compare with its midnight. A date may also be a preset, such as `this_month`: `eq`, `in` and `between` mean within it. Days are UTC's, or of the time zone in `Prefer: timezone=Europe/Berlin`.

The rows are of the table transactions: select, limit, offset and embedding work as there, and order by the columns that are selected.$$;
grant execute on function api.get_filtered_transactions(jsonb) to authenticated;
