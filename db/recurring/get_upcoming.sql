-- after: core

create or replace function api.get_upcoming(
  start_date text default null, end_date text default null, preset text default null
)
  returns table (
    subscription_id uuid, title text, due_on date, amount numeric, currency text, category_id uuid, is_recorded boolean,
    kind text, to_account_id uuid)
  language plpgsql stable set search_path = ''
as $$
#variable_conflict use_column
declare
  days constant daterange := private.date_range(
    start_date, end_date,
    case when start_date is null and end_date is null then coalesce(preset, 'this_month') else preset end);
begin
  if lower(days) is null then
    perform private.invalid('get_upcoming needs an end date',
      'Send start_date and end_date, or a preset other than all_time.');
  end if;
  if upper(days) - lower(days) > 3660 then
    perform private.invalid('the range is longer than 3660 days', 'The maximum is ten years.');
  end if;
  return query
    select d.subscription_id, d.title, d.due_on, d.amount, d.currency, d.category_id, d.is_recorded, d.kind,
      d.to_account_id
    from private.due_occurrences(lower(days), upper(days) - 1, 10000) d
    order by d.due_on, d.title, d.subscription_id;
end
$$;
comment on function api.get_upcoming(text, text, text) is
  E'The due days of recurring expenses, income and transfers\n\n'
  'For the active context''s subscriptions, from `start_date` to `end_date` (YYYY-MM-DD, both included) or for a '
  '`preset`; by default this month. The range may be in the past. It has up to 3660 days, and the response up to '
  '10,000 rows.\n\n'
  'Each row: `subscription_id` and `title`, `due_on`, `amount` (the subscription''s current amount, never '
  'negative) in `currency`, `kind` (`expense`, `income` or `transfer`), `to_account_id` (the account that receives '
  'a transfer, otherwise null), `category_id` (null: no category), `is_recorded` (whether a transaction has this '
  '`subscription_id` and this `due_on`, as from `/rpc/record_subscription`). Ordered by day, then title.\n\n'
  'A subscription is due on `starts_on` and then once a period, or every `interval_in_days`, until `ends_on`, '
  'while `is_active`. The 29th, 30th and 31st fall on the last day of a shorter month, and on themselves again '
  'after it.\n\n'
  '400 for an invalid day, for a range without an end or in the wrong order, and for too many days or rows.';
grant execute on function api.get_upcoming(text, text, text) to authenticated;
