-- Activity: the record of changes. The triggers of the money tables write it, and each person concerned reads it.

comment on table api.activity is
$$Activity: who changed what

One row for each row of the money tables that a request has created, changed or deleted, also by a deletion elsewhere: `before` and `after` are the whole row; of rows that were created at once, only the first hundred have `after`. You see that of your personal rows and, while an organization is active, what you have changed in it as its editor, or all of it as its owner or admin. A request that leaves a row as it was is not here. `/rpc/undo` takes a request back.

`organization_id=eq.<id>`, or `organization_id=is.null&user_id=eq.<your id>`, with `order=happened_at.desc,id.desc&limit=50` reads the newest and no others. How long a row is kept is the operator's to say.$$;
comment on column api.activity.id is 'Identifier. In the order of the time, and within a request in that of its changes';
comment on column api.activity.happened_at is 'When the request began';
comment on column api.activity.change_id is 'The request: the same for all that it changed';
comment on column api.activity.actor_id is 'Who sent the request; an id that stays when that user is deleted';
comment on column api.activity.user_id is 'Whose personal row was changed; null where it is an organization''s';
comment on column api.activity.organization_id is 'Whose row was changed; null where it is personal';
comment on column api.activity.action is '`create`, `update` or `delete`';
comment on column api.activity.table_name is 'The table of the row, such as `transactions`';
comment on column api.activity.row_id is 'The row''s `id`; of a tag association its `transaction_id`';
comment on column api.activity.before is 'The row as it was; null where it was created';
comment on column api.activity.after is 'The row as it became; null where it was deleted, and beyond the first hundred rows that were created at once, which are in their table';

alter table api.activity enable row level security;
create policy activity_read on api.activity for select to authenticated
  using (private.is_not_explained() and ((organization_id is null and user_id = (select private.personal_id()))
    or (organization_id = (select public.org_id()) and (select private.can('activity', 'list'))
      and organization_id = (select public.org_id()))
    or (organization_id = (select public.org_id()) and actor_id = (select public.uid()) and (select private.can('activity', 'list_own')))));

create trigger "1_forget_import_updates"
  after delete on api.activity
  referencing old table as gone
  for each statement execute function private.forget_import_updates();

insert into private.role_permissions (role, resource, action)
  select role, 'activity', action from unnest(array['owner', 'admin']) as role, unnest(array['list', 'get']) as action
  union all values ('editor', 'activity', 'list_own');
-- insert, update and delete are not granted, because what happened does not change. anon has no policy and so reads nothing.
grant select on api.activity to anon, authenticated;
