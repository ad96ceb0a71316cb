-- after: rules/tables

create or replace function api.apply_rules(
  p_rule_id uuid default null, p_filters jsonb default '[]', p_dry_run boolean default true
)
  returns table (transaction_id uuid, rule_id uuid, before jsonb, after jsonb)
  language plpgsql volatile set search_path = ''
as $$
declare
  team text := public.org_id();
  changes private.rule_change[];
begin
  if p_rule_id is not null then
    select r.organization_id into team from api.rules r where r.id = p_rule_id;
    if not found then
      raise sqlstate 'PT404' using message = 'rule not found',
        hint = 'p_rule_id must be the ID of a rule you can access.';
    end if;
  end if;
  -- a dry run checks this too, because a caller without the right could not store the changes
  if team is not null and not private.can('transactions', 'update') then
    perform private.deny('transactions');
  end if;
  changes := array(select c from private.rule_changes(team, p_rule_id, p_filters) c);
  if not coalesce(p_dry_run, true) then
    perform private.store_rule_changes(changes, team);
  end if;
  return query select c.transaction_id, c.rule_id, c.before, c.after from unnest(changes) c;
end
$$;
comment on function api.apply_rules(uuid, jsonb, boolean) is
  E'Applies rules to stored transactions\n\n'
  'Applies the active rules of the active context to its transactions. Each transaction gets the changes of the '
  'first rule that matches it, by `priority`, then by age, and is classified once. With `p_rule_id` only this rule '
  'counts, for the transactions of its own context. `p_filters`, as in `get_filtered_transactions`, limits the '
  'transactions. Halves of transfers and transactions of closed days stay as they are.\n\n'
  'Returns a row for each transaction that changes, newest first: `transaction_id`, `rule_id`, and `before` and '
  '`after` with the changed values of `category_id`, `name`, `tags` (the names of its tags) and `transfer` '
  '(whether it is half of a transfer). A rule replaces a category or name that a transaction has. A transaction '
  'whose line items have a category does not become a transfer.\n\n'
  'With `p_dry_run`, the default, nothing is written. With `p_dry_run` false all changes are stored, and one undo '
  'reverts them. 400 for an invalid filter. 404 for a rule that you do not see. 403 if your role may not update. 413 '
  'for more rows than one request may change: limit them by `p_filters`. 409 if other writes take too long.';
grant execute on function api.apply_rules(uuid, jsonb, boolean) to authenticated;
