-- after: core
-- The parts of api.get_forecast(): the accounts, the rows that a caller adds, and the changes to expect.

create or replace function private.parse_horizon(p_until text) returns date
  language plpgsql stable set search_path = ''
as $$
declare
  -- a whole day is not converted through a timestamp, because a time zone may have skipped that day
  until constant date := case when p_until = any (private.presets()) then upper(private.preset_range(p_until)) - 1
    else coalesce(private.whole_day(p_until), private.to_moment(p_until, 'p_until')::date) end;
begin
  if until is null then
    perform private.invalid('a forecast needs an end date', 'p_until must be a date, or a preset other than all_time.');
  end if;
  if until < current_date then
    perform private.invalid(format('p_until is before today (%s)', current_date),
      'A forecast begins today. For past balances, use get_balances.');
  end if;
  if until - current_date > 3660 then
    perform private.invalid('the forecast is longer than 3660 days', 'The maximum is ten years.');
  end if;
  return until;
end
$$;
comment on function private.parse_horizon(text) is
  'The last day of a forecast, from a day or a preset that a client sent. Raises 400 for a day before today and for '
  'more than ten years.';

create or replace function private.parse_forecast_accounts(p_account_ids uuid[], p_context text) returns uuid[]
  language plpgsql stable set search_path = ''
as $$
declare
  chosen uuid[];
begin
  execute format('select coalesce(array_agg(id), ''{}'') from api.accounts where %s and %s', p_context,
    case when p_account_ids is null then '(closed_on <= current_date) is not true' else 'id = any ($1)' end)
    into chosen using p_account_ids;
  if exists (select from unnest(p_account_ids) i where i = any (chosen) is not true) then
    raise sqlstate 'PT404' using message = 'account not found',
      hint = 'p_account_ids must be IDs of accounts in the active workspace.';
  end if;
  return chosen;
end
$$;
comment on function private.parse_forecast_accounts(uuid[], text) is
  'The accounts of a forecast: all open ones of the active context, or those of p_account_ids. Raises 404 for an '
  'account of another context.';

create or replace function private.parse_what_if(p_what_if jsonb, p_account_ids uuid[], p_until date)
  returns table (account_id uuid, day date, name text, amount numeric)
  language plpgsql stable set search_path = ''
as $$
declare
  -- PostgREST passes a parameter of a GET as a JSON string
  what_if constant jsonb := case jsonb_typeof(p_what_if)
    when 'string' then (p_what_if #>> '{}')::jsonb
    else p_what_if
  end;
  problem text;
begin
  if coalesce(what_if, 'null') = 'null' then
    return;
  end if;
  if jsonb_typeof(what_if) <> 'array' or jsonb_array_length(what_if) > 1000 then
    perform private.invalid('p_what_if must be an array of up to 1000 rows',
      'Each row must look like {"account_id": "…", "on_date": "2025-01-31", "amount": -900, "name": "Car"}.');
  end if;
  select format('row %s of p_what_if: %s', f.at, f.problem) into problem
  from (
    select l.at, case
        when jsonb_typeof(line) <> 'object' then 'it must be an object'
        when line - array['account_id', 'on_date', 'amount', 'name'] <> '{}'
          then 'it can only have account_id, on_date, amount and name'
        when coalesce(lower(line ->> 'account_id') = any (p_account_ids::text[]), false) is false
          then 'account_id is not one of the forecast''s accounts'
        when private.whole_day(line ->> 'on_date') is null then 'on_date is not a date'
        when private.whole_day(line ->> 'on_date') not between current_date and p_until
          then format('on_date is not between today and %s', p_until)
        when case jsonb_typeof(line -> 'amount')
          when 'number' then true
          when 'string' then line ->> 'amount' ~ '^[-+]?[0-9]{1,40}([.][0-9]{1,40})?$'
        end is not true
          then 'amount is not a number'
        when not private.plain_numbers(line) or abs(round((line ->> 'amount')::numeric, 2)) >= 1e12
          then 'amount is too large: it must be below 1,000,000,000,000'
        when private.currency_decimals(a.currency) = 0
          and (line ->> 'amount')::numeric <> trunc((line ->> 'amount')::numeric)
          or not private.fits_cents((line ->> 'amount')::numeric, a.currency) then format(
            'the amount has too many decimals for %s', upper(a.currency))
        when jsonb_typeof(line -> 'name') not in ('string', 'null')
          or char_length(line ->> 'name') not between 1 and 255
          then 'name must be text of 1 to 255 characters'
      end as problem
    from jsonb_array_elements(what_if) with ordinality as l (line, at)
    left join api.accounts a on a.id = any (p_account_ids) and a.id::text = lower(line ->> 'account_id')
  ) f
  where f.problem is not null
  order by f.at limit 1;
  if found then
    perform private.invalid(problem,
      'Each row must look like {"account_id": "…", "on_date": "2025-01-31", "amount": -900, "name": "Car"}. The '
      'account must be one of the forecast''s accounts, and the date must be in its range.');
  end if;
  return query
    select (line ->> 'account_id')::uuid, (line ->> 'on_date')::date, coalesce(line ->> 'name', 'What if'),
      round((line ->> 'amount')::numeric, 2)
    from jsonb_array_elements(what_if) as l (line);
end
$$;
comment on function private.parse_what_if(jsonb, uuid[], date) is
  'The rows that a client adds to a forecast. Raises 400 with the number of the first malformed row.';

create or replace function private.forecast_changes(p_account_ids uuid[], p_until date, p_what_if jsonb)
  returns table (
    account_id uuid, day date, name text, amount numeric, subscription_id uuid, transaction_id uuid, turn integer)
  language plpgsql stable set search_path = '' set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  -- A pending row of a past day is expected today.
  return query
    select t.account_id, greatest(coalesce(t.booked_on, t.transaction_date::date), current_date), t.name,
      t.amount::numeric, null::uuid, t.id, 1
    from api.transactions t
    where t.account_id = any (p_account_ids) and t.status = 'pending'
      and coalesce(t.booked_on, t.transaction_date::date) <= p_until;
  return query
    select t.account_id, coalesce(t.booked_on, t.transaction_date::date), t.name, t.amount::numeric, null::uuid, t.id, 1
    from api.transactions t
    where t.account_id = any (p_account_ids) and t.status = 'paid'
      -- for the index: a later day begins after this moment in every time zone
      and t.transaction_date >= current_date::timestamp at time zone 'UTC'
      and coalesce(t.booked_on, t.transaction_date::date) > current_date
        and coalesce(t.booked_on, t.transaction_date::date) <= p_until;
  return query
    select a.id, a.opened_on::date, 'Opening balance', a.balance::numeric, null::uuid, null::uuid, 0
    from api.accounts a
    where a.id = any (p_account_ids) and a.opened_on > current_date and a.opened_on <= p_until and a.balance <> 0;
  return query
    select half.account_id, o.due_on, o.title, half.amount, o.subscription_id, null::uuid, 2
    from private.due_occurrences(current_date, p_until, private.max_occurrences()) o
    cross join lateral (
      values (o.account_id, case o.kind when 'income' then o.amount else - o.amount end), (o.to_account_id, o.amount)
    ) as half (account_id, amount)
    where not o.is_recorded and half.account_id = any (p_account_ids);
  return query
    select w.account_id, w.day, w.name, w.amount, null::uuid, null::uuid, 3
    from private.parse_what_if(p_what_if, p_account_ids, p_until) w;
end
$$;
comment on function private.forecast_changes(uuid[], date, jsonb) is
  'The changes of the balances of accounts from today to a day: later opening balances, pending and later '
  'transactions, due days that are not recorded, and the rows that the caller adds.';

grant execute on function private.parse_horizon(text), private.parse_forecast_accounts(uuid[], text),
  private.parse_what_if(jsonb, uuid[], date), private.forecast_changes(uuid[], date, jsonb) to authenticated;
