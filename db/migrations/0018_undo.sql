-- What one request did to one row, as an undo holds it for all rows of the request: the row, and the rows of activity that know it.
-- Of each it says whether the state is its `before` and not its `after`.
--
-- The table of roles has some hundred rows.
-- squawk-ignore-file constraint-missing-not-valid
create type private.effect as (
  table_name text,
  row_id uuid,
  tag_id uuid,
  organization_id text,
  action text,
  before_of uuid,
  after_of uuid,
  after_is_before boolean
);

-- An editor reads what they changed.
alter table private.role_permissions
  drop constraint role_permissions_action_check,
  add constraint role_permissions_action_check check (action in ('list', 'get', 'create', 'update', 'delete', 'list_private', 'list_own'));
