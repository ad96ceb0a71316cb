create or replace function api.get_transaction_stat(
  p_user_id text default public.uid(),
  p_organization_id text default public.org_id(),
  p_filters jsonb default '[]',
  p_aggregate_fn text default 'sum',
  p_transaction_type text default 'balance'
) returns numeric
  language plpgsql stable set search_path = ''
as $$
declare
  condition text;
  answer record;
  currencies text;
begin
  if p_aggregate_fn is null or p_aggregate_fn not in ('sum', 'avg', 'count') then
    perform private.invalid(format('unknown p_aggregate_fn %s', coalesce(quote_literal(left(p_aggregate_fn, 40)), 'null')), 'It is sum, avg or count.');
  end if;
  if p_transaction_type is null or p_transaction_type not in ('balance', 'income', 'expense') then
    perform private.invalid(format('unknown p_transaction_type %s', coalesce(quote_literal(left(p_transaction_type, 40)), 'null')), 'It is balance, income or expense.');
  end if;
  condition := format('%s and %s and %s',
    private.context_condition(p_user_id, p_organization_id),
    private.transaction_condition(p_filters),
    case p_transaction_type when 'income' then 'amount > 0' when 'expense' then 'amount < 0' else 'true' end);
  execute 'select count(*), sum(amount), avg(amount), min(currency) as one, max(currency) as other from api.transactions where ' || condition
    into answer;
  if p_aggregate_fn = 'count' then
    return answer.count;
  end if;
  if answer.one <> answer.other then
    execute 'select string_agg(distinct currency, '', '') from api.transactions where ' || condition into currencies;
    perform private.invalid(
      format('%s of different currencies has no meaning: %s', p_aggregate_fn, currencies),
      'Add a filter: {"field": "currency", "operation": "eq", "value": "…"}.');
  end if;
  return case p_aggregate_fn when 'sum' then coalesce(answer.sum, 0.00) else round(coalesce(answer.avg, 0), 2) end;
end
$$;
comment on function api.get_transaction_stat(text, text, jsonb, text, text) is
$$One statistic as one number

`p_aggregate_fn`: `sum`, `avg` (rounded to 2 decimal places) or `count`. `p_transaction_type`: `balance` takes all transactions, `income` those above zero, `expense` those below zero, whose sum is negative. Of no transactions every answer is 0.

`p_organization_id` null is your personal context; left out, it is the active one. `p_user_id` is you. Anybody else's is 403.

`p_filters` as in get_filtered_transactions; the status plays no role unless you filter by it. Currencies are never mixed: if there is more than one, `sum` and `avg` answer 400 and name them; add a filter on `currency`.$$;
grant execute on function api.get_transaction_stat(text, text, jsonb, text, text) to authenticated;
