-- Line items and tag associations know whose they are, as every other row does: user_id of a personal transaction's parts,
-- organization_id of a team's, and never both. So a list of them reads the caller's own, and one of a transaction that
-- transaction's. A trigger copies the two from the transaction (db/functions/private/transaction_parts.sql).
--
-- No foreign key leads from them to users and organizations. The row goes with its transaction, which goes with its owner;
-- what a team's member who leaves sets to null is null here; and each would cost every insert a look-up.

-- A migration is one transaction, in which no index can be built concurrently, and nobody reads or writes the two tables
-- meanwhile. A million line items and half a million associations took at most a minute of one core; a machine that is busy takes longer.
-- squawk-ignore-file require-concurrent-index-creation, constraint-missing-not-valid

do $$
declare
  part text;
begin
  foreach part in array array['line_items', 'transaction_tags'] loop
    execute format('alter table api.%I add column user_id text, add column organization_id text', part);
    -- what these ask of a row holds after this as before
    execute format('alter table api.%I disable trigger user', part);
    execute format(
      'update api.%I p set user_id = case when t.organization_id is null then t.user_id end, organization_id = t.organization_id'
      ' from api.transactions t where t.id = p.transaction_id', part);
    execute format('alter table api.%I enable trigger user', part);
    execute format('alter table api.%1$I add constraint %2$I check (num_nonnulls(user_id, organization_id) = 1)', part, part || '_have_one_owner');
    -- with the transaction, so that also a planner without statistics finds the parts of one
    execute format('create index %2$I on api.%1$I (user_id, transaction_id) where organization_id is null', part, part || '_personal');
    execute format('create index %2$I on api.%1$I (organization_id, transaction_id) where organization_id is not null', part, part || '_team');
    -- see 0004; and a transaction, a tag or a category that is named is the cheaper way yet
    execute format('alter table api.%I alter column user_id set (n_distinct = -1), alter column organization_id set (n_distinct = -1), alter column transaction_id set (n_distinct = -1)', part);
  end loop;
end
$$;
alter table api.line_items alter column category_id set (n_distinct = -1);
alter table api.transaction_tags alter column tag_id set (n_distinct = -1);
analyze api.line_items, api.transaction_tags;
