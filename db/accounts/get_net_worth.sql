-- after: core

create or replace function api.get_net_worth(
  "grouping" text default 'monthly', periods integer default 12, p_convert_to text default null
)
  returns table (period date, currency text, assets numeric, liabilities numeric, net numeric)
  language plpgsql stable set search_path = '' set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
  unit constant text := private.period_unit("grouping", periods);
  step constant interval := private.period_step(unit);
  target constant text := private.target_currency(p_convert_to);
  first_days constant date[] := array(
    select (private.first_period(unit, periods) + passed * step)::date from generate_series(0, periods - 1) as passed
  );
begin
  return query execute private.fill(
    $query$
      with balances as materialized (
        select number, currency, sum(balance) filter (where balance > 0) as assets,
          sum(-balance) filter (where balance < 0) as liabilities
        from ({balances}) as rows
        group by 1, 2
      ), every_period as (
        select period, number from unnest({first_days}::date[]) with ordinality as p (period, number)
      ), places as (
        select number, currency
        from every_period
        cross join (
          select currency from balances where {target} is null
          union
          select coalesce({target}, 'usd') where {target} is not null or not exists (select from balances)
        ) as series
        union
        -- balances without a rate
        select number, currency from balances
      )
      select period, currency, coalesce(assets, 0.00), coalesce(liabilities, 0.00),
        coalesce(assets, 0.00) - coalesce(liabilities, 0.00)
      from places join every_period using (number) left join balances using (number, currency)
      order by currency, period
    $query$,
    'balances', private.balance_rows(private.context_condition(public.uid(), public.org_id()),
      array(select least((day + step)::date - 1, current_date) from unnest(first_days) as day), target),
    'first_days', quote_literal(first_days),
    'target', quote_nullable(target));
end
$$;
comment on function api.get_net_worth(text, integer, text) is
  E'Assets, liabilities and net worth by period\n\n'
  'For all accounts of the active context, at the end of each period; the current period ends today. `grouping`: '
  '`daily`, `weekly`, `monthly` (the default), `quarterly` or `yearly`. `periods`: their number, 1 to 120, of '
  'which the current one is the last; default 12.\n\n'
  'Each row: `period` (its first day), `currency`, `assets` (the sum of the balances above 0), `liabilities` (the '
  'sum of those below 0, as a positive number), `net` (assets less liabilities). The sign of a balance decides, '
  'not the type of its account: an overdrawn checking account is a liability, and a credit card that was paid too '
  'much is an asset. The balances are those of `/rpc/get_balances` on the last day of the period.\n\n'
  'Without `p_convert_to` each currency is a series of its own, and without any accounts there is one series of zeros '
  'in `usd`. `p_convert_to`: a currency to which each balance is converted, at your context''s latest exchange rate on '
  'or before the last day of the period; the result is one series. Balances without a rate are a further row of the '
  'period, in their own currency. Oldest first; periods without balances have zeros. 400 for an unknown grouping or '
  'currency, and for a number of periods out of range.';
grant execute on function api.get_net_worth(text, integer, text) to authenticated;
