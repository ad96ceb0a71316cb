-- The rights of each role in an organization: the interface's table of roles, one row per right. Policies and triggers read it through
-- private.can(). Personal rows are not in it: they belong to their owner.

delete from private.role_permissions;
insert into private.role_permissions (role, resource, action)
  select role, resource, action
  from
    unnest(array['owner', 'admin', 'editor']) as role,
    unnest(array['transactions', 'subscriptions', 'accounts', 'dashboards', 'categories', 'tags', 'line_items', 'transaction_tags', 'budgets', 'past_budgets', 'exchange_rates', 'imports']) as resource,
    unnest(array['list', 'get', 'create', 'update', 'delete']) as action
  union all
  select 'viewer', resource, action
  from
    unnest(array['transactions', 'subscriptions', 'accounts', 'dashboards', 'categories', 'tags', 'line_items', 'transaction_tags', 'budgets', 'past_budgets', 'exchange_rates', 'imports']) as resource,
    unnest(array['list', 'get']) as action
  union all
  select role, 'activity', action
  from unnest(array['owner', 'admin']) as role, unnest(array['list', 'get']) as action
  union all
  values ('editor', 'activity', 'list_own')
  union all
  select role, 'dashboards', 'list_private'
  from unnest(array['owner', 'admin', 'editor']) as role;
