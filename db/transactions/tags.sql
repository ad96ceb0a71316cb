-- after: activity/activity_rows, transactions/tables
-- Tags of transactions.

comment on table api.tags is
$$Tags of transactions

A tag is used within its own context: a team transaction takes the team's tags, a personal one your own.
`transaction_tags` stores the tags of each transaction. Embed them with `/transactions?select=*,tags(*)` or
`/tags?select=*,transactions(*)`.$$;
comment on column api.tags.id is 'Identifier';
comment on column api.tags.name is 'Name, 1 to 100 characters, not only blanks';
comment on column api.tags.user_id is 'Id of the user who created it. Filled from the JWT; cannot be changed';
comment on column api.tags.organization_id is
  'The team it belongs to. Filled from the JWT when an organization is active; send null for a personal tag; cannot '
  'be changed';
comment on column api.tags.tenant is
  'The owner of the row: `o:` and the organization''s id, or `u:` and the user''s id for a personal row. Set by the '
  'service. `tenant=eq.…` lists one workspace';
comment on column api.tags.created_at is 'Set by the service';


alter table api.tags enable row level security;
-- Each table has these policies. They name the organization twice: in a table without statistics the planner then
-- estimates few rows for a caller, which is correct.
create policy tags_read on api.tags for select to authenticated
  using (private.is_not_explained()
    and (tenant = (select private.personal_tenant())
      or tenant = (select private.team_tenant('tags', 'list'))));
create policy tags_create on api.tags for insert to authenticated
  with check (
    case
      when tenant = (select private.personal_tenant())
        or tenant = (select private.team_tenant('tags', 'create')) then true
      else private.deny('tags')
    end);
create policy tags_update on api.tags for update to authenticated
  using (tenant = (select private.personal_tenant())
    or tenant = (select private.team_tenant('tags', 'list')))
  with check (
    case
      when tenant = (select private.personal_tenant())
        or tenant = (select private.team_tenant('tags', 'update')) then true
      else private.deny('tags')
    end);
create policy tags_delete on api.tags for delete to authenticated
  using (tenant = (select private.personal_tenant())
    or tenant = (select private.team_tenant('tags', 'list')));
insert into private.role_permissions (role, resource, action) select role, 'tags', action from usual_rights;
grant select on api.tags to anon;
grant select, insert, update, delete on api.tags to authenticated;

create or replace function private.tags_before_row() returns trigger
  language plpgsql set search_path = ''
as $$
declare
  by_caller constant boolean := current_user = 'authenticated';
  broken text;
begin
  if private.count_exceeds_limit(tg_op) then
    perform private.reject_many_rows();
  end if;
  if tg_op = 'DELETE' then
    if by_caller and old.organization_id is not null and not private.can('tags', 'delete') then
      perform private.deny('tags');
    end if;
    return old;
  end if;
  if tg_op = 'INSERT' then
    if by_caller then
      new.user_id := private.owner_of_new('tags', new.id, new.user_id);
      new.created_at := now();
    end if;
  else
    if by_caller and (old.id <> new.id or old.user_id is distinct from new.user_id
      or old.organization_id is distinct from new.organization_id) then
      perform private.deny('tags');
    end if;
    -- the deletion of a user clears user_id, which is not an edit
    if new.user_id is not distinct from old.user_id then
      new.created_at := old.created_at;
    end if;
  end if;
  new.tenant := private.tenant_of(new.user_id, new.organization_id);
  if tg_op = 'INSERT' and by_caller and private.is_merge() then
    perform private.reject_repeated_row(new.id::text);
  end if;
  if by_caller then
    broken := case
      when new.id is null then 'id'
      when new.name is null then 'name'
      when new.created_at is null then 'created_at'
      when new.user_id is null and new.organization_id is null then 'tags_have_an_owner'
      when not private.is_name(new.name, old.name, 100) then 'tags_name_length'
    end;
    if broken is not null then
      perform private.reject_row(tg_relid, tg_op, new, broken);
    end if;
  end if;
  return new;
end
$$;
comment on function private.tags_before_row() is 'Fills in, preserves and checks the columns of a row of tags.';

create trigger "1_before_row" before insert or update or delete on api.tags
  for each row execute function private.tags_before_row();
create trigger "2_record_creation" after insert on api.tags
  referencing new table as new_rows
  for each statement execute function private.record_creation();
create trigger "2_record_change" after update on api.tags
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.record_change();
create trigger "2_record_deletion" after delete on api.tags
  referencing old table as old_rows
  for each statement execute function private.record_deletion();
