create or replace function api.record_subscription(p_subscription_id uuid, due_on text) returns api.transactions
  language plpgsql volatile set search_path = ''
as $$
declare
  subscription api.subscriptions;
  recorded api.transactions;
  -- a whole day is not converted through a timestamp, because a time zone may have skipped that day
  day constant date := coalesce(private.whole_day(due_on), private.to_moment(due_on, 'due_on', false)::date);
begin
  perform private.lock_tenants('transactions');
  select * into subscription from api.subscriptions where id = p_subscription_id;
  if not found then
    raise sqlstate 'PT404' using message = 'subscription not found', hint = 'p_subscription_id is the id of a subscription you see.';
  end if;
  if subscription.organization_id is not null and not private.can('transactions', 'create') then
    perform private.deny('transactions');
  end if;
  select * into recorded from private.recorded_transaction(subscription, day);
  if found then
    return recorded;
  end if;
  if not exists (select from private.occurrences(subscription, day, day)) then
    perform private.invalid(
      format('%s is not due on %s', quote_literal(left(subscription.title, 40)), day),
      'due_on is one of the days of get_upcoming, as YYYY-MM-DD.');
  end if;
  insert into api.transactions
    (name, amount, currency, category_id, account_id, status, transaction_date, booked_on, source, external_id, user_id, organization_id)
  values (
    subscription.title, -subscription.amount, subscription.currency, subscription.category_id, subscription.account_id,
    case when day > current_date then 'pending' else 'paid' end, day, day,
    'subscription', private.occurrence_id(subscription.id, day), public.uid(), subscription.organization_id)
  returning * into recorded;
  return recorded;
end
$$;
comment on function api.record_subscription(uuid, text) is
$$Records one due day of a recurring cost as a transaction

`p_subscription_id` is a subscription you see, `due_on` (YYYY-MM-DD) one of its days from get_upcoming. The transaction is in the subscription's own context. It has the subscription's title as `name`, its negative amount, its currency, category and account; `booked_on` is the day, `source` is `subscription`. For a day after today it is `pending`, so the account's balance does not include it until it is paid.

Returns the transaction. For a recorded day it returns the existing transaction, in its current state, also if two users record the day at once. After the deletion of that transaction the day can be recorded again.

400 for an invalid day and for a day on which the subscription is not due. 403 if your role may not create transactions. 404 if you do not see the subscription.$$;
grant execute on function api.record_subscription(uuid, text) to authenticated;
