-- after: core/fill, transactions/tables
-- The balance of an account on a day is its opening balance, from opened_on on, plus its paid transactions until the
-- end of the day. An account is listed from opened_on until closed_on. Before and after, it is listed only with a
-- balance, so that no total is wrong.

-- Two scan methods are disabled, because the planner would sometimes read all of the caller's transactions for each
-- account.
create or replace function private.balance_on(p_account api.accounts, p_day date) returns numeric
  language sql stable set enable_seqscan = off set enable_bitmapscan = off
begin atomic
  select case when p_account.opened_on > p_day then 0.00 else p_account.balance end + coalesce(sum(t.amount), 0)
  from api.transactions t
  where t.account_id = p_account.id and t.status = 'paid'
    and case when t.booked_on is null then t.transaction_date < (p_day + 1)::timestamptz else t.booked_on <= p_day end;
end;
comment on function private.balance_on(api.accounts, date) is 'The balance of an account at the end of a day.';
grant execute on function private.balance_on(api.accounts, date) to authenticated;

create or replace function private.balance_rows(p_context text, p_days date[], p_convert_to text) returns text
  language plpgsql immutable set search_path = ''
as $$
declare
  balances constant text := private.fill(
    $query$
      select account_id, currency, number, day, balance
      from (
        select a.id as account_id, a.currency, a.opened_on, a.closed_on, ends.number, ends.day,
          case when a.opened_on > ends.day then 0.00 else a.balance end
            + sum(coalesce(moved.amount, 0.00)) over (partition by a.id order by ends.number) as balance
        from (select * from api.accounts where {context}) as a
        cross join unnest({days}::date[]) with ordinality as ends (day, number)
        left join (
          select t.account_id, t.number, sum(t.amount) as amount
          from (select id from api.accounts where {context}) as one
          cross join lateral (
            select account_id, amount,
              width_bucket(coalesce(booked_on, transaction_date::date), {next_days}::date[]) + 1 as number
            from api.transactions
            where account_id = one.id and status = 'paid' and coalesce(booked_on, transaction_date::date) <= {last_day}
            offset 0
          ) as t
          group by 1, 2
        ) as moved on moved.account_id = a.id and moved.number = ends.number
      ) as of_days
      where balance <> 0 or (opened_on <= day) is not false and (closed_on <= day) is not true
    $query$,
    'context', p_context,
    'days', quote_literal(p_days),
    'next_days', quote_literal(array(select day + 1 from unnest(p_days) as day)),
    'last_day', quote_nullable((select max(day) from unnest(p_days) as day)));
begin
  if p_convert_to is null then
    return balances;
  end if;
  return private.fill(
    -- a full join cannot become a nested loop, which would compare each balance with each rate
    $query$
      with unconverted as materialized ({balances})
      select account_id, number, day, case when is_converted then {target} else currency end as currency,
        case when is_converted then {converted} else balance end as balance
      from (
        select unconverted.*, coalesce(rates.numerator, 0) as numerator, coalesce(rates.denominator, 1) as denominator,
          rates.numerator is not null or unconverted.balance = 0 as is_converted
        from unconverted full join (
          select r.*
          from (
            select array_agg(currency) as currencies, array_agg(day) as days
            from (select distinct currency, day from unconverted) as pairs
          ) as wanted
          cross join lateral private.rates_of_days({quoted_context}, wanted.currencies, wanted.days, {target}) as r
        ) as rates on rates.currency = unconverted.currency and rates.day = unconverted.day
      ) as rated
    $query$,
    'balances', balances,
    'target', quote_literal(p_convert_to),
    'converted', private.converted('balance', p_convert_to),
    'quoted_context', quote_literal(p_context));
end
$$;
comment on function private.balance_rows(text, date[], text) is
  E'The balances of a context''s accounts on some days, as SQL text: (account_id, currency, number, day, balance)\n\n'
  '`p_context` is a result of private.context_condition(). `p_days` are the days in order; `number` is the place of '
  'the day among them. `p_convert_to` is a result of private.target_currency(). A balance without a rate stays in its '
  'own currency. A balance of 0 needs no rate.';
grant execute on function private.balance_rows(text, date[], text) to authenticated;
