-- params has no default, for the reason get_filtered_transactions says.
create or replace function api.get_transaction_distribution_by_category(params jsonb)
  returns table (category_id uuid, name text, currency text, total numeric, count bigint, share numeric)
  language plpgsql stable set search_path = ''
as $$
declare
  given constant jsonb := coalesce(params, '{}');
  filters jsonb;
  days daterange;
begin
  if jsonb_typeof(given) <> 'object' or given - array['user_id', 'organization_id', 'filters'] <> '{}' then
    perform private.invalid('params is an object', 'It has user_id, organization_id and filters, each of which may be left out.');
  end if;
  filters := coalesce(nullif(given -> 'filters', 'null'), '{}');
  if jsonb_typeof(filters) <> 'object'
    or filters - array['start_date', 'end_date', 'preset', 'currency', 'transaction_type'] <> '{}' then
    perform private.invalid('params.filters is an object', 'It has start_date and end_date, or a preset, and may have currency and transaction_type.');
  end if;
  if coalesce(filters ->> 'transaction_type', 'balance') not in ('balance', 'income', 'expense') then
    perform private.invalid(format('unknown transaction_type %L', left(filters ->> 'transaction_type', 40)), 'It is balance, income or expense.');
  end if;
  days := case
    when filters ->> 'start_date' is null and filters ->> 'end_date' is null and filters ->> 'preset' is null then daterange(null, null)
    else private.date_range(filters ->> 'start_date', filters ->> 'end_date', filters ->> 'preset')
  end;
  return query execute format(
    $query$
      select g.category_id, c.name, g.currency, g.total, g.count,
        coalesce(round(abs(g.total) / nullif(sum(abs(g.total)) over (partition by g.currency), 0), 4), 0)
      from (
        select category_id, currency, sum(amount) as total, count(*) as count
        from api.transactions
        where %s and status <> 'failed' and %s and %s and %s
        group by category_id, currency
      ) g
      left join api.categories c on c.id = g.category_id
      order by g.currency, abs(g.total) desc, c.name, g.category_id
    $query$,
    private.context_condition(given ->> 'user_id', case when given ? 'organization_id' then given ->> 'organization_id' else public.org_id() end),
    private.days_condition('transaction_date', days),
    case filters ->> 'transaction_type' when 'income' then 'amount > 0' when 'expense' then 'amount < 0' else 'true' end,
    case when filters ->> 'currency' is null then 'true' else format('currency = %L', lower(filters ->> 'currency')) end);
end
$$;
comment on function api.get_transaction_distribution_by_category(jsonb) is
$$How transactions distribute over categories

Body: `params` with `user_id` (you), `organization_id` (null is your personal context; left out, it is the active one) and `filters`: {`start_date`, `end_date`} as YYYY-MM-DD, both days included, or {`preset`}; without them all time. `filters` may also have `currency`, and `transaction_type`: `balance` (all, the default), `income` or `expense`.

Each row: `category_id` and `name` (null: no category), `currency`, `total` (signed: expenses are negative), `count`, `share` (0 to 1, the part this category has in its currency's totals, signs left aside). Each currency has rows of its own, the largest total first. Failed transactions do not count.$$;
grant execute on function api.get_transaction_distribution_by_category(jsonb) to authenticated;
