-- after: core/tables
-- The rights of each role on an organization's rows. Each table's file inserts the rights on its table, usually
-- these. Policies and triggers read them through private.can(). Personal rows need no right: only their owner has
-- access.
delete from private.role_permissions;
create temporary table usual_rights on commit drop as
  select role, action
  from unnest(array['owner', 'admin', 'editor']) as role,
    unnest(array['list', 'get', 'create', 'update', 'delete']) as action
  union all
  select 'viewer', action from unnest(array['list', 'get']) as action;
