-- Recurring income and transfers, and the columns that mark the transaction of a recorded day.

-- The migration marks the transactions of recorded days. A hundred thousand of them take a few seconds, without writes meanwhile.
-- squawk-ignore-file require-concurrent-index-creation, require-concurrent-index-deletion, constraint-missing-not-valid, adding-foreign-key-constraint

-- get_upcoming() returns more columns. PostgreSQL cannot replace such a function.
drop function if exists api.get_upcoming(text, text, text), private.due_costs(date, date, integer);

alter table api.subscriptions
  add column kind text not null default 'expense',
  -- Without a foreign key: PostgREST would no longer know which of two accounts an embedded `accounts` is. Triggers replace it.
  add column to_account_id uuid;

-- A negative cost was an income.
alter table api.subscriptions disable trigger user;
update api.subscriptions set kind = 'income', amount = - amount where amount < 0;
alter table api.subscriptions enable trigger user;

alter table api.subscriptions
  add constraint subscriptions_kind_known check (kind in ('expense', 'income', 'transfer')),
  add constraint subscriptions_amount_fits_kind check (amount >= 0 and (kind <> 'transfer' or amount > 0)),
  add constraint subscriptions_accounts_fit_kind check (
    case when kind = 'transfer' then account_id <> to_account_id is not false and (not is_active or account_id is not null and to_account_id is not null)
      else to_account_id is null end);
create index subscriptions_to_account on api.subscriptions (to_account_id) where to_account_id is not null;

alter table api.transactions
  add column subscription_id uuid references api.subscriptions on delete set null,
  add column due_on private.day,
  add constraint transactions_due_on_in_range check (due_on >= '1900-01-01' and due_on < '2200-01-01'),
  add constraint transactions_recorded_day_is_complete check (subscription_id is null or due_on is not null),
  -- see 0004
  alter column subscription_id set (n_distinct = -1);

alter table api.transactions disable trigger user;
with recorded as (
  select id, user_id, organization_id, left(external_id, 36) as subscription_id, right(external_id, 10) as day
  from api.transactions
  where source = 'subscription' and external_id ~ '^[0-9a-f-]{36}:[0-9]{4}-[0-9]{2}-[0-9]{2}$'
)
update api.transactions t set subscription_id = s.id, due_on = d.due_on
  from recorded r
  join api.subscriptions s on s.id::text = r.subscription_id
    and s.organization_id is not distinct from r.organization_id and (s.organization_id is not null or s.user_id = r.user_id)
  -- A cast would fail for a day such as February 31, which a client may have sent.
  cross join lateral (
    select (date '2000-01-01' + make_interval(
      years => left(r.day, 4)::integer - 2000, months => substr(r.day, 6, 2)::integer - 1, days => right(r.day, 2)::integer - 1))::date as due_on
  ) d
  where t.id = r.id and to_char(d.due_on, 'YYYY-MM-DD') = r.day and d.due_on >= '1900-01-01' and d.due_on < '2200-01-01';
alter table api.transactions enable trigger user;
drop index api.transactions_subscription;
create index transactions_subscription on api.transactions (subscription_id, due_on) where subscription_id is not null;
analyze api.transactions, api.subscriptions;
