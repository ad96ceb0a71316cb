-- after: accounts/tables, activity/activity_rows
-- Closings: the days of a context that are closed. db/accounts/closed_days.sql has the rule.

comment on table api.closings is
$$Closings: days whose transactions stay as they are

A row closes all days of your context until `closed_until`: no transaction of these days can be added, changed or
deleted, by no request, import or undo (409 `PT409`). The latest `closed_until` of the context counts. `closed_until`
of an account closes only its own days. Change or delete the row to open the days again.

A closing prevents mistakes. Who may write in the context may also open its days, and activity shows who did.$$;
comment on column api.closings.id is 'Identifier';
comment on column api.closings.closed_until is 'The last closed day: a date between 1900 and 2199';
comment on column api.closings.user_id is 'Id of the user who created it. Filled from the JWT; cannot be changed';
comment on column api.closings.organization_id is
  'The team it belongs to. Filled from the JWT when an organization is active; send null for your personal context; '
  'cannot be changed';
comment on column api.closings.tenant is
  'The owner of the row: `o:` and the organization''s id, or `u:` and the user''s id for a personal row. Set by the '
  'service. `tenant=eq.…` lists one workspace';
comment on column api.closings.created_at is 'Set by the service';
comment on column api.closings.updated_at is 'Set by the service at each change';


alter table api.closings enable row level security;
create policy closings_read on api.closings for select to authenticated
  using (private.is_not_explained()
    and (tenant = (select private.personal_tenant())
      or tenant = (select private.team_tenant('closings', 'list'))));
create policy closings_create on api.closings for insert to authenticated
  with check (
    case
      when tenant = (select private.personal_tenant())
        or tenant = (select private.team_tenant('closings', 'create')) then true
      else private.deny('closings')
    end);
create policy closings_update on api.closings for update to authenticated
  using (tenant = (select private.personal_tenant())
    or tenant = (select private.team_tenant('closings', 'list')))
  with check (
    case
      when tenant = (select private.personal_tenant())
        or tenant = (select private.team_tenant('closings', 'update')) then true
      else private.deny('closings')
    end);
create policy closings_delete on api.closings for delete to authenticated
  using (tenant = (select private.personal_tenant())
    or tenant = (select private.team_tenant('closings', 'list')));
insert into private.role_permissions (role, resource, action) select role, 'closings', action from usual_rights;
grant select on api.closings to anon;
grant select, insert, update, delete on api.closings to authenticated;

create or replace function private.closings_before_row() returns trigger
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
    if by_caller and old.organization_id is not null and not private.can('closings', 'delete') then
      perform private.deny('closings');
    end if;
    return old;
  end if;
  if tg_op = 'INSERT' then
    if by_caller then
      new.user_id := private.owner_of_new('closings', new.id, new.user_id);
      new.created_at := now();
      new.updated_at := now();
    end if;
  else
    if by_caller and (old.id <> new.id or old.user_id is distinct from new.user_id
      or old.organization_id is distinct from new.organization_id) then
      perform private.deny('closings');
    end if;
    -- the deletion of a user clears user_id, which is not an edit
    if new.user_id is not distinct from old.user_id then
      new.created_at := old.created_at;
      new.updated_at := private.edited_at(old.updated_at);
    end if;
  end if;
  new.tenant := private.tenant_of(new.user_id, new.organization_id);
  if tg_op = 'INSERT' and by_caller and private.is_merge() then
    perform private.reject_repeated_row(new.id::text);
  end if;
  if by_caller then
    broken := case
      when new.id is null then 'id'
      when new.closed_until is null then 'closed_until'
      when new.created_at is null then 'created_at'
      when new.updated_at is null then 'updated_at'
      when new.closed_until < '1900-01-01' or new.closed_until >= '2200-01-01' then 'closings_closed_until_in_range'
      when new.user_id is null and new.organization_id is null then 'closings_have_an_owner'
    end;
    if broken is not null then
      perform private.reject_row(tg_relid, tg_op, new, broken);
    end if;
  end if;
  return new;
end
$$;
comment on function private.closings_before_row() is 'Fills in, preserves and checks the columns of a row of closings.';

create trigger "1_before_row" before insert or update or delete on api.closings
  for each row execute function private.closings_before_row();
create trigger "2_record_creation" after insert on api.closings
  referencing new table as new_rows
  for each statement execute function private.record_creation();
create trigger "2_record_change" after update on api.closings
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.record_change();
create trigger "2_record_deletion" after delete on api.closings
  referencing old table as old_rows
  for each statement execute function private.record_deletion();
