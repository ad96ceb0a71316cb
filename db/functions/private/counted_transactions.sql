-- What counts, said once. Every report reads this relation, so that two reports over the same range never contradict each
-- other. docs/data.md says the same to callers.
--
-- A transfer between accounts counts nowhere. A failed transaction counts where a filter on status lets it, or where each
-- status is a group. A line item that names a category moves its part of the amount there, in the transaction's sign; the
-- rest stays with the transaction's category.

create or replace function private.counted_transactions(
  p_context text,
  p_filters jsonb default null,
  p_condition text default 'true',
  p_by_category boolean default false,
  p_by_status boolean default false,
  p_convert_to text default null
) returns text
  language plpgsql stable set search_path = ''
as $$
declare
  condition text;
  of_category text;
  of_status boolean;
  items integer;
  counted text;
begin
  select coalesce(string_agg(t.condition, ' and ') filter (where field <> 'category_id'), 'true'),
      string_agg(t.condition, ' and ') filter (where field = 'category_id'),
      coalesce(bool_or(field = 'status'), false)
    into condition, of_category, of_status
    from private.transaction_terms(p_filters) t;
  condition := concat_ws(' and ', p_context, 'transfer_id is null', case when not (of_status or p_by_status) then $sql$status <> 'failed'$sql$ end,
    condition, p_condition);
  counted := format(
    'select coalesce(booked_on, transaction_date::date) as day, status, currency, category_id, amount as whole, amount, 1 as count from api.transactions where %s',
    concat_ws(' and ', condition, of_category));
  if p_by_category or of_category is not null then
    execute format('select count(*) from (select from api.line_items where %s and category_id is not null limit 1001) i', p_context) into items;
    if items > 0 then
      counted := concat_ws(' union all ', counted, private.moved_parts(p_context, condition, coalesce(of_category, 'true'), p_by_category, items > 1000));
    end if;
  end if;
  if p_convert_to is null then
    return format('(%s) as counted', counted);
  end if;
  -- The join is a full one, because each row has a rate and each rate a row, and because PostgreSQL cannot make a nested loop of
  -- it: it takes a context for one row, and would ask all rates for each of a hundred thousand. The offset keeps conditions
  -- from outside, which would make it an inner join.
  return format(
    $query$
      (select day, status, %1$L as currency, transaction_currency, category_id, whole, %2$s as amount, count
      from (
        select parts.*, rates.numerator, rates.denominator
        from (select day, status, currency as transaction_currency, category_id, whole, amount, count from (%3$s) as unconverted) as parts
        full join (%4$s) as rates on rates.currency = parts.transaction_currency and rates.day = parts.day
        offset 0
      ) as rated) as counted
    $query$,
    p_convert_to, private.converted('amount', p_convert_to), counted,
    private.exchange_rates(p_context, format('select currency, day from (%s) as unconverted', counted), p_convert_to));
end
$$;
comment on function private.counted_transactions(text, jsonb, text, boolean, boolean, text) is
$$What counts, as a relation in SQL text that stands after "from"

`p_context` is of private.context_condition(); `p_filters` what a client sent; `p_condition` any further condition on api.transactions, such as its days or its account. `p_by_category` where the report has groups of categories: a split transaction then has several rows (a filter on category_id does the same by itself). `p_by_status` where each status is a group. `p_convert_to` is of private.target_currency().

Columns: `day` (the transaction's own, or that of its moment in the request's time zone), `status`, `currency` (the target, where converted), `category_id`, `amount`, `whole` (the transaction's own amount, whose sign says income or expense), `count`. A report adds up `amount` and `count`, which counts each transaction once in a group. What a part takes from the transaction's category is a row of minus that much there, so a group with a count of 0 is none. Where converted, `transaction_currency` is what it was.

Without split transactions and without conversion it is the plain table, and a report of it reads the index of a context alone.$$;

create or replace function private.moved_parts(p_context text, p_condition text, p_of_category text, p_by_category boolean, p_are_many boolean) returns text
  language sql immutable set search_path = ''
  return format(
    $query$
      select day, status, currency, moved.category_id, whole, moved.amount, moved.count
      from (
        select t.*, i.category_id as part_category, sign(t.whole) * i.part as part, row_number() over one as place,
          first_value(i.category_id) over one as largest, sum(i.part) over one >= abs(t.whole) as is_all%1$s
        from %2$s
        where i.category_id is distinct from t.own_category
        window one as (partition by t.id order by i.part desc, i.category_id rows between unbounded preceding and unbounded following)
      ) as split
      -- Where the items have taken all of it, the largest part is the whole less the other parts, so that a conversion leaves its
      -- rounding there and nothing in the transaction's own category.
      cross join lateral (select case when is_all and place = 1 then whole else part end as amount) as taken
      cross join lateral (values
        (part_category, taken.amount, %3$s),
        (case when is_all and place > 1 then largest else own_category end, -taken.amount, %4$s)
      ) as moved (category_id, amount, count)
      where %5$s
    $query$,
    case when not p_by_category then
      ', of_own.is_asked as is_own_asked, max(case when of_part.is_asked then i.category_id::text end) over one as asked_part' end,
    -- A few line items are looked up first and their transactions then; many the other way round, so that no more are read than
    -- the transactions of the range have. The offsets keep that order.
    (
      select case when p_are_many
        then format('(%s) as t cross join lateral (%s) as i', format(transactions, 'true'), format(items, 'transaction_id = t.id'))
        else format('(%s) as i cross join lateral (%s) as t', format(items, 'true'), format(transactions, 'id = i.transaction_id'))
      end
      from (
        select
          'select id, coalesce(booked_on, transaction_date::date) as day, status, currency, category_id as own_category, amount as whole from api.transactions where %s and '
            || replace(p_condition, '%', '%%') || ' offset 0' as transactions,
          'select transaction_id, category_id, sum(abs(amount)) as part from api.line_items where %s and category_id is not null and amount <> 0 and '
            || p_context || ' group by 1, 2 offset 0' as items
      ) as written)
      || case when not p_by_category then format(
        ' cross join lateral (select (%1$s) as is_asked from (values (t.own_category)) as own (category_id)) as of_own
          cross join lateral (select (%1$s) as is_asked from (values (i.category_id)) as part (category_id)) as of_part', p_of_category) else '' end,
    -- Each group of categories counts the transaction once. Otherwise the transaction's own row has counted it where its category is
    -- asked for, and one part does where it is not.
    case when p_by_category then '1' else 'case when part_category::text = asked_part and not is_own_asked then 1 else 0 end' end,
    case when p_by_category then 'case when is_all and place = 1 then -1 else 0 end'
      else 'case when is_all and place = 1 and is_own_asked and asked_part is null then -1 else 0 end' end,
    p_of_category);
comment on function private.moved_parts(text, text, text, boolean, boolean) is
  'What line items move from their transaction''s category to their own, as SQL text: two rows for each category of a transaction''s items. Whether each category is a group, and whether the context has many items with a category.';

grant execute on function private.counted_transactions(text, jsonb, text, boolean, boolean, text), private.moved_parts(text, text, text, boolean, boolean) to authenticated;
