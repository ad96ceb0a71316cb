-- after: core

create or replace function api.suggest_categories(p_transaction_ids uuid[] default null, p_rows jsonb default null)
  returns table (row_number integer, transaction_id uuid, category_id uuid, share numeric, seen bigint, because text)
  -- the planner expects one row for each tenant, and would compare each row of the tenant with each id
  language plpgsql stable set search_path = '' set enable_nestloop = off
as $$
declare
  wrong bigint;
begin
  if (p_transaction_ids is null) = (coalesce(jsonb_typeof(p_rows), 'null') = 'null') then
    perform private.invalid('suggest_categories needs either p_transaction_ids or p_rows',
      'Send one of the two: IDs of transactions, or rows with name and amount.');
  end if;
  if p_transaction_ids is not null then
    if cardinality(p_transaction_ids) not between 1 and 5000
      or array_ndims(p_transaction_ids) <> 1
      or array_position(p_transaction_ids, null) is not null then
      perform private.invalid('p_transaction_ids must be an array of 1 to 5000 IDs',
        'Split a longer list into several requests.');
    end if;
    if exists (
      select from unnest(p_transaction_ids) as asked (id)
      left join api.transactions t on t.id = asked.id
      where t.id is null
    ) then
      raise sqlstate 'PT404' using message = 'transaction not found',
        hint = 'p_transaction_ids must be IDs of transactions you can access.';
    end if;
    return query
      with found as materialized (
        select asked.at::integer, t.id, t.name, t.amount,
          case when t.transfer_id is null then t.category_id end as category_id,
          t.organization_id is null as is_personal
        from unnest(p_transaction_ids) with ordinality as asked (id, at) join api.transactions t on t.id = asked.id
      ), parts as materialized (
        select array_agg(f.name order by f.at) as names, array_agg(f.amount order by f.at) as amounts,
          array_agg(f.id order by f.at) as ids,
          array_agg(f.category_id order by f.at) as categories, array_agg(f.is_personal order by f.at) as are_personal
        from found f
      )
      select s.place, p.ids[s.place], s.category_id, s.share, s.seen, s.because
      from parts p
      cross join lateral private.category_suggestions(p.names, p.amounts, p.ids, p.categories, p.are_personal) s
      order by s.place;
    return;
  end if;
  if jsonb_typeof(p_rows) <> 'array' or jsonb_array_length(p_rows) not between 1 and 5000 then
    perform private.invalid('p_rows must be an array of 1 to 5000 rows',
      'Each row needs name and amount. Split a longer list into several requests.');
  end if;
  select min(r.at) into wrong
    from jsonb_array_elements(p_rows) with ordinality as r (line, at)
    -- a CASE, because the conditions need the ones before them
    where case
      when jsonb_typeof(r.line) <> 'object' or jsonb_typeof(r.line -> 'name') is distinct from 'string' then true
      when char_length(r.line ->> 'name') not between 1 and 255 then true
      when coalesce(jsonb_typeof(r.line -> 'amount'), 'null') not in ('number', 'string') then true
      else r.line ->> 'amount' !~ '^[-+]?[0-9]{1,40}([.][0-9]{1,40})?$'
    end;
  if wrong is not null then
    perform private.invalid(format('row %s of p_rows needs a valid name and amount', wrong),
      'Each row must be an object such as {"name": "Coffee", "amount": -3.5}. The name must have 1 to 255 characters.');
  end if;
  return query
    with parts as materialized (
      select array_agg(r.line ->> 'name' order by r.at) as names,
        array_agg((r.line ->> 'amount')::numeric order by r.at) as amounts,
        array_agg(public.org_id() is null) as are_personal
      from jsonb_array_elements(p_rows) with ordinality as r (line, at)
    )
    select s.place, null::uuid, s.category_id, s.share, s.seen, s.because
    from parts p cross join lateral private.category_suggestions(p.names, p.amounts, null, null, p.are_personal) s
    order by s.place;
end
$$;
comment on function api.suggest_categories(uuid[], jsonb) is
  E'Suggests categories, learned from your own transactions\n\n'
  'Send either `p_transaction_ids`, ids of 1 to 5,000 transactions you see, or `p_rows`, an array of 1 to 5,000 '
  'objects with `name` and `amount`. A stored transaction learns from the transactions of its own context, and a '
  'row of `p_rows` from those of the active context.\n\n'
  'It learns from transactions with a category, with the same payee and the same sign of the amount, except halves '
  'of transfers. The payee is the name in lower case without digits, dates, punctuation and references. A category '
  'is suggested if at least three transactions and four fifths of all of them have it. Nothing is stored, so a '
  'changed category or an undo changes the suggestion at once.\n\n'
  'Returns a row for each one sent, in their order: `row_number` from 1, `transaction_id`, the suggested `category_id` '
  'or null, `seen`, the number of transactions with this payee, `share`, the part of them with the most frequent '
  'category, and `because`, the reason with ids of up to five of these transactions. 400 for invalid rows. 404 for a '
  'transaction that you do not see.';
grant execute on function api.suggest_categories(uuid[], jsonb) to authenticated;
