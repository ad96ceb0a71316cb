-- after: activity/tables
-- Activity: the history of changes. The triggers of the money tables write it. Users read it, and may not change it.

comment on table api.activity is
$$Activity: the history of changes

One row for each row of the money tables that a request has created, changed or deleted, including the rows that are
deleted along with another: `before` and `after` are the whole row. For rows that one statement creates, only the
first hundred have `after`. You see the activity of your personal rows and, while an organization is active, your own
changes as its editor, or all of its activity as its owner or admin. A request that leaves a row unchanged is not
recorded. `/rpc/undo` reverts a request.

`organization_id=eq.<id>`, or `organization_id=is.null&user_id=eq.<your id>`, with
`order=happened_at.desc,id.desc&limit=50` reads only the newest rows. The operator decides how long rows are kept.$$;
comment on column api.activity.id is 'Identifier. Ordered by time, and within a request by its changes';
comment on column api.activity.happened_at is 'Start of the request';
comment on column api.activity.change_id is 'The request: the same for all of its changes';
comment on column api.activity.actor_id is 'Id of the user who sent the request. It stays when that user is deleted';
comment on column api.activity.user_id is 'Owner of the changed personal row; null for a row of an organization';
comment on column api.activity.organization_id is 'Organization of the changed row; null for a personal row';
comment on column api.activity.tenant is
  'The owner of the row: `o:` and the organization''s id, or `u:` and the user''s id for a personal row. Set by the '
  'service. `tenant=eq.…` lists one workspace';
comment on column api.activity.action is '`create`, `update` or `delete`';
comment on column api.activity.table_name is 'The table of the row, such as `transactions`';
comment on column api.activity.row_id is 'The row''s `id`; the `transaction_id` of a tag association';
comment on column api.activity.before is 'The row before the change; null if it was created';
comment on column api.activity.after is
  'The row after the change; null if it was deleted, and beyond the first hundred rows that one statement created';

alter table api.activity enable row level security;
create policy activity_read on api.activity for select to authenticated
  using (private.is_not_explained()
    and (tenant = (select private.personal_tenant())
      or tenant = (select private.team_tenant('activity', 'list'))
      or (tenant = (select private.team_tenant('activity', 'list_own')) and actor_id = (select public.uid()))));

insert into private.role_permissions (role, resource, action)
  select role, 'activity', action from unnest(array['owner', 'admin']) as role, unnest(array['list', 'get']) as action
  union all values ('editor', 'activity', 'list_own');
-- insert, update and delete are not granted, because history does not change. anon has no policy and so reads nothing.
grant select on api.activity to anon, authenticated;
