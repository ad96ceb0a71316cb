-- Who may do what in an organization: the interface's table of roles, one row a right. Policies and triggers ask it
-- through private.can(). Personal rows are not in it: they are their owner's, whatever the role elsewhere.

create table private.role_permissions (
  role text not null check (role in ('owner', 'admin', 'editor', 'viewer')),
  -- the table's name
  resource text not null,
  -- list_private: also sees the organization's dashboards of visibility private
  action text not null check (action in ('list', 'get', 'create', 'update', 'delete', 'list_private')),
  primary key (role, resource, action)
);
comment on table private.role_permissions is 'The rights of each role on an organization''s rows. What is not a row here is not allowed.';

insert into private.role_permissions (role, resource, action)
  select role, resource, action
  from
    unnest(array['owner', 'admin', 'editor']) as role,
    unnest(array['transactions', 'subscriptions', 'accounts', 'dashboards', 'categories', 'tags', 'line_items', 'transaction_tags']) as resource,
    unnest(array['list', 'get', 'create', 'update', 'delete']) as action
  union all
  select 'viewer', resource, action
  from
    unnest(array['transactions', 'subscriptions', 'accounts', 'dashboards', 'categories', 'tags', 'line_items', 'transaction_tags']) as resource,
    unnest(array['list', 'get']) as action
  union all
  select role, 'dashboards', 'list_private'
  from unnest(array['owner', 'admin', 'editor']) as role;

-- No grant: the API roles ask through private.can() only.
-- requires functions/permissions.sql
