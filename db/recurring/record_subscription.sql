-- after: transactions/tables

create or replace function api.record_subscription(p_subscription_id uuid, due_on text) returns api.transactions
  language plpgsql volatile set search_path = ''
as $$
declare
  subscription api.subscriptions;
  recorded api.transactions;
  template api.transactions;
  origin api.accounts;
  destination api.accounts;
  -- a whole day is not converted through a timestamp, because a time zone may have skipped that day
  day constant date := coalesce(private.whole_day(due_on), private.to_moment(due_on, 'due_on', false)::date);
begin
  select * into subscription from api.subscriptions where id = p_subscription_id;
  if not found then
    raise sqlstate 'PT404' using message = 'subscription not found',
      hint = 'p_subscription_id must be the ID of a subscription you can access.';
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
      'due_on must be one of the dates from get_upcoming, as YYYY-MM-DD.');
  end if;
  select * into recorded from private.bank_row_of(subscription, day);
  if found then
    -- both halves of a transfer
    update api.transactions t
      set subscription_id = subscription.id, due_on = day,
        category_id = case when t.transfer_id is null then coalesce(t.category_id, subscription.category_id) end
      where t.id = recorded.id or t.transfer_id = recorded.transfer_id;
    return (select r from private.recorded_transaction(subscription, day) r);
  end if;
  template.name := subscription.title;
  template.status := case when day > current_date then 'pending' else 'paid' end;
  template.transaction_date := day;
  template.booked_on := day;
  template.source := 'subscription';
  template.external_id := subscription.id || ':' || to_char(day, 'YYYY-MM-DD');
  template.subscription_id := subscription.id;
  template.due_on := day;
  if subscription.kind = 'transfer' then
    select * into origin from api.accounts a where a.id = subscription.account_id;
    select * into destination from api.accounts a where a.id = subscription.to_account_id;
    select * into recorded
    from private.store_transfer(origin, destination, subscription.amount, subscription.amount, template)
    limit 1;
    return recorded;
  end if;
  insert into api.transactions
    (name, amount, currency, category_id, account_id, status, transaction_date, booked_on, source, external_id,
      subscription_id, due_on, user_id, organization_id)
  values (
    template.name, case subscription.kind when 'income' then subscription.amount else - subscription.amount end,
    subscription.currency,
    subscription.category_id, subscription.account_id, template.status, template.transaction_date, template.booked_on,
    template.source, template.external_id,
    template.subscription_id, template.due_on, public.uid(), subscription.organization_id)
  returning * into recorded;
  return recorded;
end
$$;
comment on function api.record_subscription(uuid, text) is
  E'Records one due day of a subscription as a transaction\n\n'
  '`p_subscription_id` is a subscription you see, `due_on` (YYYY-MM-DD) one of its days from get_upcoming. The '
  'transaction is in the subscription''s own context. It has the subscription''s title as `name`, its currency, '
  'category and account, and its amount: negative for an expense, positive for an income. A transfer becomes two '
  'transactions with one `transfer_id`, as from create_transfer. `booked_on` and `due_on` are the day, '
  '`subscription_id` is the subscription, `source` is `subscription`. For a day after today it is `pending`, so '
  'the account''s balance does not include it until it is paid.\n\n'
  'If the bank''s row is already there, it becomes the record, so that the payment is not stored twice: an '
  'imported transaction of the context that is active, with the same account, currency and amount, up to five days '
  'away, that records no other day. A row with a word of the title comes first, then the nearest day. It keeps its '
  'name, and gets the subscription''s category if it has none. A transfer is recognized if both of its halves are '
  'there.\n\n'
  'Returns the transaction, of a transfer the outgoing half. For a recorded day it returns the existing '
  'transaction, in its current state, also if two users record the day at once or an import has matched it with '
  'the bank''s row. After the deletion of that transaction the day can be recorded again.\n\n'
  '400 for an invalid day and for a day on which the subscription is not due. 403 if your role may not create '
  'transactions. 404 if you do not see the subscription.';
grant execute on function api.record_subscription(uuid, text) to authenticated;
