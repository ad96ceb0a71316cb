-- after: core
-- The report get_transaction_distribution_by_category(). distribution_statement() returns its statement as text,
-- built from the parts in db/reports/report_rows.sql.

create or replace function private.distribution_statement(
  params jsonb, p_convert_to text default null, p_group_by text default null
) returns text
  language plpgsql stable set search_path = ''
as $$
declare
  given constant jsonb := coalesce(params, '{}');
  filters jsonb;
  days daterange;
  context text;
  target text;
  grouping text;
  grouped text;
begin
  perform private.require_plain_numbers(given, 'params');
  if jsonb_typeof(given) <> 'object'
    or given - array['user_id', 'organization_id', 'filters', 'p_convert_to', 'p_group_by'] <> '{}' then
    perform private.invalid('params must be an object',
      'It can have user_id, organization_id, filters, p_convert_to and p_group_by.');
  end if;
  filters := coalesce(nullif(given -> 'filters', 'null'), '{}');
  if jsonb_typeof(filters) <> 'object'
    or filters - array['start_date', 'end_date', 'preset', 'currency', 'transaction_type', 'account_id'] <> '{}' then
    perform private.invalid('params.filters must be an object',
      'It needs start_date and end_date, or a preset. It can also have currency, transaction_type and account_id.');
  end if;
  if coalesce(filters ->> 'transaction_type', 'balance') not in ('balance', 'income', 'expense') then
    perform private.invalid(format('unknown transaction_type %L', left(filters ->> 'transaction_type', 40)),
      'Must be balance, income or expense.');
  end if;
  grouping := coalesce(p_group_by, given ->> 'p_group_by', 'category');
  if grouping not in ('category', 'parent') then
    perform private.invalid(format('unknown p_group_by %L', left(grouping, 40)), 'Must be category or parent.');
  end if;
  days := case
    when filters ->> 'start_date' is null and filters ->> 'end_date' is null and filters ->> 'preset' is null
      then daterange(null, null)
    else private.date_range(filters ->> 'start_date', filters ->> 'end_date', filters ->> 'preset')
  end;
  context := private.context_condition(given ->> 'user_id',
    case when given ? 'organization_id' then given ->> 'organization_id' else public.org_id() end);
  target := private.target_currency(coalesce(p_convert_to, given ->> 'p_convert_to'));
  perform private.parse_currency(filters ->> 'currency');
  grouped := case grouping when 'parent' then private.top_category(context) else 'category_id' end;
  return private.fill(
    $query$
      select g.category_id, c.name, g.currency, g.total, g.count,
        coalesce(round(abs(g.total) / nullif(sum(abs(g.total)) over (partition by g.currency), 0), 4), 0), g.pending,
        g.left_out
      from (
        select {grouped} as category_id, currency, coalesce(sum(amount), 0.00) as total, sum(count) as count,
          coalesce(sum(amount) filter (where status = 'pending'), 0.00) as pending, sum(left_out)::bigint as left_out
        from {counted}
        group by 1, 2
        having sum(count) <> 0
      ) g
      left join api.categories c on c.id = g.category_id
      order by g.currency, abs(g.total) desc, c.name, g.category_id
    $query$,
    'grouped', grouped,
    'counted', private.report_transactions(context,
      p_filters => case when filters ->> 'account_id' is not null then
        jsonb_build_array(jsonb_build_object('field', 'account_id', 'operation', 'eq',
          'value', private.filter_literal('id', filters -> 'account_id', 'account_id'))) end,
      p_condition => concat_ws(' and ', private.days_condition(days),
        case when filters ->> 'currency' is not null then format('currency = %L', lower(filters ->> 'currency')) end),
      p_group => grouped, p_type => nullif(filters ->> 'transaction_type', 'balance'), p_convert_to => target));
end
$$;
comment on function private.distribution_statement(jsonb, text, text) is
  'The statement of api.get_transaction_distribution_by_category().';
grant execute on function private.distribution_statement(jsonb, text, text) to authenticated;

-- params has no default, for the same reason as filters of get_filtered_transactions().
create or replace function api.get_transaction_distribution_by_category(
  params jsonb, p_convert_to text default null, p_group_by text default null
)
  returns table (
    category_id uuid, name text, currency text, total numeric, count bigint, share numeric, pending numeric,
    left_out bigint)
  language plpgsql stable set search_path = '' set enable_sort = off
as $$
begin
  return query execute private.distribution_statement(params, p_convert_to, p_group_by);
end
$$;
comment on function api.get_transaction_distribution_by_category(jsonb, text, text) is
  E'Distribution of transactions over categories\n\n'
  'Body: `params` with `user_id` (yours), `organization_id` (null is your personal context; by default the active '
  'one) and `filters`: {`start_date`, `end_date`} as YYYY-MM-DD, both days included, or {`preset`}; by default all '
  'time. `filters` may also have `account_id`, `currency`, and `transaction_type`: `balance` (all, the default), '
  '`income` or `expense`. The kind of an amount''s category decides between the last two; without a category its '
  'sign does.\n\n'
  '`p_group_by`, next to `params` or in it: `category` (the default) or `parent`, which adds subcategories to '
  'their parent.\n\n'
  '`p_convert_to`, next to `params` or in it: a currency to which each transaction is converted, at the context''s '
  'latest exchange rate on or before its day. `currency` is then this one. A transaction without a rate is in no '
  '`total`; `left_out` counts it, and get_missing_rates lists them.\n\n'
  'Each row: `category_id` and `name` (null: no category), `currency`, `total` (expenses are negative), `count`, '
  '`share` (0 to 1: the category''s part of its currency''s totals, without signs), `pending` (the part of `total` '
  'that is pending), `left_out` (how many of `count` have no rate). Without `p_convert_to` each currency has rows of '
  'its own, the largest total first. Line items with a category count there, the rest of their transaction in its own '
  'category. A transaction counts once in each. Failed transactions do not count. Transfers count only with '
  '`account_id`, as money in or out of that account.';
grant execute on function api.get_transaction_distribution_by_category(jsonb, text, text) to authenticated;
