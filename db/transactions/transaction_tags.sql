-- after: activity/activity_rows, transactions/tables
-- Tag associations: the tags of each transaction.

comment on table api.transaction_tags is
$$Tag associations: the tags of each transaction

Visible and writable like the transaction, and deleted with it or with the tag. Transaction and tag are of one
context. To set a tag that may be set already, send `Prefer: resolution=ignore-duplicates`.$$;
comment on column api.transaction_tags.transaction_id is 'Id of the transaction';
comment on column api.transaction_tags.tag_id is 'Id of a tag in the transaction''s workspace';
comment on column api.transaction_tags.user_id is
  'Owner of its transaction, if that is personal. Filled from it; cannot be changed';
comment on column api.transaction_tags.organization_id is
  'The team of its transaction. Filled from it; cannot be changed';
comment on column api.transaction_tags.tenant is
  'The owner of the row: `o:` and the organization''s id, or `u:` and the user''s id for a personal row. Set by the '
  'service. `tenant=eq.…` lists one workspace';

alter table api.transaction_tags enable row level security;
create policy transaction_tags_read on api.transaction_tags for select to authenticated
  using (private.is_not_explained()
    and (tenant = (select private.personal_tenant())
      or tenant = (select private.team_tenant('transaction_tags', 'list'))));
create policy transaction_tags_create on api.transaction_tags for insert to authenticated
  with check (
    case
      when tenant = (select private.personal_tenant())
        or tenant = (select private.team_tenant('transaction_tags', 'create')) then true
      else private.deny('transaction_tags')
    end);
create policy transaction_tags_update on api.transaction_tags for update to authenticated
  using (tenant = (select private.personal_tenant())
    or tenant = (select private.team_tenant('transaction_tags', 'list')))
  with check (
    case
      when tenant = (select private.personal_tenant())
        or tenant = (select private.team_tenant('transaction_tags', 'update')) then true
      else private.deny('transaction_tags')
    end);
create policy transaction_tags_delete on api.transaction_tags for delete to authenticated
  using (tenant = (select private.personal_tenant())
    or tenant = (select private.team_tenant('transaction_tags', 'list')));
insert into private.role_permissions (role, resource, action) select role, 'transaction_tags', action from usual_rights;
grant select on api.transaction_tags to anon;
grant select, insert, update, delete on api.transaction_tags to authenticated;

create or replace function private.transaction_tags_before_row() returns trigger
  language plpgsql set search_path = ''
as $$
declare
  by_caller constant boolean := current_user = 'authenticated';
  owner record;
  broken text;
begin
  if private.count_exceeds_limit(tg_op) then
    perform private.reject_many_rows();
  end if;
  if tg_op = 'DELETE' then
    if by_caller and old.organization_id is not null and not private.can('transaction_tags', 'delete') then
      perform private.deny('transaction_tags');
    end if;
    return old;
  end if;
  if tg_op = 'INSERT' then
    owner := private.owner_of_part('transaction_tags', new.transaction_id);
    if coalesce(new.user_id, owner.user_id) is distinct from owner.user_id
      or coalesce(new.organization_id, owner.organization_id) is distinct from owner.organization_id then
      if by_caller then
        perform private.deny('transaction_tags');
      end if;
      -- another tenant may have the transaction's id by now, if this is an undo
      perform private.reject_reference('transaction_tags', 'transaction_id', 'transactions');
    end if;
    new.user_id := owner.user_id;
    new.organization_id := owner.organization_id;
  else
    if new.transaction_id <> old.transaction_id
      or (new.user_id, new.organization_id) is distinct from (old.user_id, old.organization_id) then
      owner := private.owner_of_part('transaction_tags', new.transaction_id);
      -- a part moves only within its tenant; its owner pair changes only with that of its transaction
      if (by_caller or new.transaction_id <> old.transaction_id)
        and (old.user_id, old.organization_id) is distinct from (owner.user_id, owner.organization_id) then
        perform private.reject_reference('transaction_tags', 'transaction_id', 'transactions');
      end if;
      if not by_caller then
        new.user_id := owner.user_id;
        new.organization_id := owner.organization_id;
      end if;
    end if;
    if by_caller and (old.user_id is distinct from new.user_id
      or old.organization_id is distinct from new.organization_id) then
      perform private.deny('transaction_tags');
    end if;
  end if;
  new.tenant := private.tenant_of(new.user_id, new.organization_id);
  if tg_op = 'INSERT' and by_caller and private.is_merge() then
    perform private.reject_repeated_row(new.transaction_id || ' ' || new.tag_id);
  end if;
  if by_caller then
    broken := case
      when new.transaction_id is null then 'transaction_id'
      when new.tag_id is null then 'tag_id'
      when num_nonnulls(new.user_id, new.organization_id) <> 1 then 'transaction_tags_have_one_owner'
    end;
    if broken is not null then
      perform private.reject_row(tg_relid, tg_op, new, broken);
    end if;
  end if;
  if not exists (select from api.tags g where g.id = new.tag_id and g.tenant = new.tenant) then
    perform private.reject_missing('transaction_tags', tg_op, new.tenant, 'tag_id', 'tags');
  end if;
  return new;
end
$$;
comment on function private.transaction_tags_before_row() is
  'Fills in, preserves and checks the columns of a row of transaction_tags.';

create trigger "1_before_row" before insert or update or delete on api.transaction_tags
  for each row execute function private.transaction_tags_before_row();
create trigger "2_record_creation" after insert on api.transaction_tags
  referencing new table as new_rows
  for each statement execute function private.record_association();
create trigger "2_record_change" after update on api.transaction_tags
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.record_association();
create trigger "2_record_deletion" after delete on api.transaction_tags
  referencing old table as old_rows
  for each statement execute function private.record_association();
