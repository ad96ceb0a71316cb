-- A list walks the index of one tenant in its order, and a count or a sum reads the index alone. docs/performance.md has
-- what each of these is worth, and what it costs an insert.

-- A migration is one transaction, in which no index can be built or dropped concurrently. A million transactions take some
-- four seconds, in which nobody writes.
-- squawk-ignore-file require-concurrent-index-creation, require-concurrent-index-deletion

-- in the order of dates, because the planner does not know that `organization_id is null` is one value
create index transactions_personal_dates on api.transactions (user_id, transaction_date desc)
  include (amount, currency, status, category_id, organization_id) where organization_id is null;
create index transactions_team_dates on api.transactions (organization_id, transaction_date desc)
  include (amount, currency, status, category_id, user_id) where organization_id is not null;
create index transactions_category_dates on api.transactions (category_id, transaction_date desc) where category_id is not null;
-- transactions_personal stays for the personal half of the row rule, and for a user who is deleted
drop index api.transactions_team, api.transactions_category_id;

-- For the planner each row has a tenant of its own, so an index of the tenant is always the cheapest way. It cannot know who
-- asks; from the average it would conclude that fifty visible rows are met soon anywhere, and read everybody's.
do $$
declare
  owned text;
begin
  foreach owned in array array['categories', 'transactions', 'tags', 'subscriptions', 'accounts', 'dashboards'] loop
    execute format('alter table api.%I alter column user_id set (n_distinct = -1), alter column organization_id set (n_distinct = -1)', owned);
    -- only from then on does the planner know
    execute format('analyze api.%I', owned);
  end loop;
end
$$;
