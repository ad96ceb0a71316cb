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
  select * into recorded from private.recording(subscription, day);
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
$$Makes one due day of a recurring cost a transaction

`p_subscription_id` is a subscription you see, `due_on` (YYYY-MM-DD) one of its days, as get_upcoming answers them. The transaction is of the subscription's own context: it has its title as `name`, its amount with the sign turned, its currency, category and account; `booked_on` is the day, `source` is `subscription`. A day after today is `pending`, so the account's balance is without it until it is paid.

Answers the transaction. A day that is recorded already answers the transaction it has, as it is now, also when two people record it at once; once that is deleted, the day can be recorded again.

400 for what is no day and for a day on which it is not due; 403 when your role may not create transactions; 404 when you do not see the subscription.$$;
grant execute on function api.record_subscription(uuid, text) to authenticated;
