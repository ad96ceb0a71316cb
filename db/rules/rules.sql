-- after: activity/activity_rows, rules/tables
-- Rules that set the category, the name and tags of transactions, or mark them as transfers.

comment on table api.rules is
$$Rules: conditions on a transaction, and the changes for a transaction that meets them

A rule applies to transactions of its own context. For each transaction only one rule counts: of the active rules
whose conditions all hold, the one with the lowest `priority`, then the oldest. An import applies it to new rows, and
`/rpc/apply_rules` to stored ones. A stored half of a transfer stays as it is.

The deletion of its category removes the action. A rule without any other action becomes inactive.$$;
comment on column api.rules.id is 'Identifier';
comment on column api.rules.name is 'Name, 1 to 255 characters, not only blanks';
comment on column api.rules.priority is
  'The rule with the lowest number applies first; of equal ones, the oldest. Default 0';
comment on column api.rules.conditions is
  'Array of 1 to 50 filters, as `/rpc/get_filtered_transactions` takes them. All must hold. Conditions that '
  'contradict each other are refused. Up to 16 KiB and 16 levels; its numbers are below 1e30 and have up to 50 '
  'decimal places';
comment on column api.rules.set_category_id is 'Id of a category in the same workspace, which the transaction gets';
comment on column api.rules.set_name is 'The name that the transaction gets, 1 to 255 characters, not only blanks';
comment on column api.rules.add_tags is
  'Up to 20 tags that the transaction gets: names of 1 to 100 characters, or ids of tags in the same workspace. A '
  'name without a tag creates the tag when the rule is applied';
comment on column api.rules.mark_as_transfer is
  'Whether the transaction becomes a transfer whose other side isn''t in any account, so that no report counts it as '
  'income or expense. Default false. Can''t be combined with `set_category_id`';
comment on column api.rules.is_active is
  'Whether the rule is applied. An active rule has at least one of `set_category_id`, `set_name`, `add_tags` and '
  '`mark_as_transfer`';
comment on column api.rules.user_id is 'Id of the user who created it. Filled from the JWT; cannot be changed';
comment on column api.rules.organization_id is
  'The team it belongs to. Filled from the JWT when an organization is active; send null for a personal rule; '
  'cannot be changed';
comment on column api.rules.tenant is
  'The owner of the row: `o:` and the organization''s id, or `u:` and the user''s id for a personal row. Set by the '
  'service. `tenant=eq.…` lists one workspace';
comment on column api.rules.created_at is 'Set by the service. Rules of one request are ordered as they were sent';
comment on column api.rules.updated_at is 'Set by the service at each change';

-- constraints that call a function, as in dashboards.sql

alter table api.rules enable row level security;
create policy rules_read on api.rules for select to authenticated
  using (private.is_not_explained()
    and (tenant = (select private.personal_tenant())
      or tenant = (select private.team_tenant('rules', 'list'))));
create policy rules_create on api.rules for insert to authenticated
  with check (
    case
      when tenant = (select private.personal_tenant())
        or tenant = (select private.team_tenant('rules', 'create')) then true
      else private.deny('rules')
    end);
create policy rules_update on api.rules for update to authenticated
  using (tenant = (select private.personal_tenant())
    or tenant = (select private.team_tenant('rules', 'list')))
  with check (
    case
      when tenant = (select private.personal_tenant())
        or tenant = (select private.team_tenant('rules', 'update')) then true
      else private.deny('rules')
    end);
create policy rules_delete on api.rules for delete to authenticated
  using (tenant = (select private.personal_tenant())
    or tenant = (select private.team_tenant('rules', 'list')));
insert into private.role_permissions (role, resource, action) select role, 'rules', action from usual_rights;
grant select on api.rules to anon;
grant select, insert, update, delete on api.rules to authenticated;

-- Over 80 lines, because it names each check of a column.
create or replace function private.rules_before_row() returns trigger
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
    if by_caller and old.organization_id is not null and not private.can('rules', 'delete') then
      perform private.deny('rules');
    end if;
    return old;
  end if;
  if tg_op = 'INSERT' then
    if by_caller then
      new.user_id := private.owner_of_new('rules', new.id, new.user_id);
      new.created_at := now();
      new.updated_at := now();
      -- the first rule of a request is the oldest
      new.created_at := clock_timestamp();
    end if;
  else
    if by_caller and (old.id <> new.id or old.user_id is distinct from new.user_id
      or old.organization_id is distinct from new.organization_id) then
      perform private.deny('rules');
    end if;
    -- the deletion of a user clears user_id, which is not an edit
    if new.user_id is not distinct from old.user_id then
      new.created_at := old.created_at;
      new.updated_at := private.edited_at(old.updated_at);
    end if;
  end if;
  new.tenant := private.tenant_of(new.user_id, new.organization_id);
  new.add_tags := coalesce(new.add_tags, '{}');
  -- the deletion of a category clears set_category_id
  if not by_caller and new.set_category_id is null and new.set_name is null
    and new.add_tags = '{}' and not new.mark_as_transfer then
    new.is_active := false;
  end if;
  if tg_op = 'INSERT' and by_caller and private.is_merge() then
    perform private.reject_repeated_row(new.id::text);
  end if;
  if by_caller then
    broken := case
      when new.id is null then 'id'
      when new.name is null then 'name'
      when new.priority is null then 'priority'
      when new.conditions is null then 'conditions'
      when new.is_active is null then 'is_active'
      when new.created_at is null then 'created_at'
      when new.updated_at is null then 'updated_at'
      when new.mark_as_transfer is null then 'mark_as_transfer'
      when not private.are_tag_names(new.add_tags) then 'rules_add_tags_form'
      when jsonb_path_exists(new.conditions, '$.**{17}') then 'rules_conditions_depth'
      when not private.plain_numbers(new.conditions) then 'rules_conditions_numbers'
      when octet_length(new.conditions::text) > 16384 then 'rules_conditions_size'
      when new.is_active and new.set_category_id is null and new.set_name is null
        and new.add_tags = '{}' and not new.mark_as_transfer
        then 'rules_have_an_action'
      when new.user_id is null and new.organization_id is null then 'rules_have_an_owner'
      when not private.is_name(new.name, old.name) then 'rules_name_length'
      when new.mark_as_transfer and new.set_category_id is not null then 'rules_of_transfers_set_no_category'
      when not private.is_name(new.set_name, old.set_name) then 'rules_set_name_length'
    end;
    if broken is not null then
      perform private.reject_row(tg_relid, tg_op, new, broken);
    end if;
    if new.conditions is distinct from old.conditions and private.may_write('rules', tg_op, new.tenant) then
      perform private.check_conditions(new.conditions);
    end if;
  end if;
  if new.set_category_id is not null and new.set_category_id is distinct from old.set_category_id then
    perform private.check_category('rules', tg_op, new.tenant, new.set_category_id, 'set_category_id');
  end if;
  -- an unchanged tag may have been deleted since
  if exists (
    select from unnest(new.add_tags) as tag
    where private.is_id(tag) and tag <> all (coalesce(old.add_tags, '{}')) and not exists (
      select from api.tags g where g.id = tag::uuid and g.tenant = new.tenant)
  ) then
    perform private.reject_missing('rules', tg_op, new.tenant, 'add_tags', 'tags');
  end if;
  return new;
end
$$;
comment on function private.rules_before_row() is 'Fills in, preserves and checks the columns of a row of rules.';

create trigger "1_before_row" before insert or update or delete on api.rules
  for each row execute function private.rules_before_row();
create trigger "2_record_creation" after insert on api.rules
  referencing new table as new_rows
  for each statement execute function private.record_creation();
create trigger "2_record_change" after update on api.rules
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.record_change();
create trigger "2_record_deletion" after delete on api.rules
  referencing old table as old_rows
  for each statement execute function private.record_deletion();
