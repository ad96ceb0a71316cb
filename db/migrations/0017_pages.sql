-- A page in the order `transaction_date.desc,id` is read from an index in that order. PostgreSQL 15 would sort all rows of a
-- context by the id within a moment.

-- A migration is one transaction, in which no index can be built or dropped concurrently. A million transactions take some
-- ten seconds, in which nobody writes.
-- squawk-ignore-file require-concurrent-index-creation, require-concurrent-index-deletion

do $$
declare
  named text;
  definition text;
begin
  foreach named in array array['transactions_personal_dates', 'transactions_team_dates', 'transactions_category_dates', 'transactions_account'] loop
    definition := pg_get_indexdef(format('api.%I', named)::regclass);
    execute format('drop index api.%I', named);
    -- with the columns that it included before
    execute replace(definition, 'transaction_date DESC)', 'transaction_date DESC, id)');
  end loop;
end
$$;

-- The planner expects one tag of a tenant where each row has a tenant of its own. It then reads all tags of the tenant for each
-- transaction of a page. With two it begins with the associations of the transaction.
alter table api.tags alter column user_id set (n_distinct = -0.5), alter column organization_id set (n_distinct = -0.5);
analyze api.transactions, api.tags;
