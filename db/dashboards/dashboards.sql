-- after: changes/changes, dashboards/tables
-- Dashboards. In this table a viewer sees less than other members: only shared dashboards.

comment on table api.dashboards is
$$Dashboards: arrangements of widgets

You see your personal ones. In an organization, owner, admin and editor see all of its dashboards. A viewer sees those
with visibility `shared` or `public`, and may not change any.$$;
comment on column api.dashboards.id is 'Identifier';
comment on column api.dashboards.name is 'Name, 1 to 255 characters, not only blanks';
comment on column api.dashboards.description is 'Up to 5000 characters';
comment on column api.dashboards.layout is
  'Object with `widgets`: an array of objects with `id` and `type` (strings), `position` {`x`,`y`} (0 or more), '
  '`size` {`w`,`h`} (more than 0) and an optional `config`. Up to 64 KiB and 16 levels; its numbers are below 1e30 '
  'and have up to 50 decimal places';
comment on column api.dashboards.filters is
  'Default filters, free JSON, up to 16 KiB and 16 levels; its numbers are below 1e30 and have up to 50 decimal '
  'places';
comment on column api.dashboards.date_range is
  'Default date range: {`preset`}, or {`start_date`,`end_date`} as YYYY-MM-DD, or both with the preset `custom`. '
  'Presets: `today`, `yesterday`, `last_7_days`, `last_30_days`, `this_week`, `last_week`, `this_month`, '
  '`last_month`, `this_quarter`, `last_quarter`, `this_year`, `last_year`, `all_time`, `custom`';
comment on column api.dashboards.is_default is
  'Whether it is the dashboard to show first. Several may be: unset the others when you set one';
comment on column api.dashboards.visibility is
  '`private`: hidden from viewers. `shared`, `public`: for every member of the organization. No value shows a '
  'dashboard outside the organization, and a personal dashboard is always only its owner''s';
comment on column api.dashboards.user_id is 'Id of the user who created it. Filled from the JWT; cannot be changed';
comment on column api.dashboards.organization_id is
  'The team it belongs to. Filled from the JWT when an organization is active; send null for a personal dashboard; '
  'cannot be changed';
comment on column api.dashboards.tenant is
  'The owner of the row: `o:` and the organization''s id, or `u:` and the user''s id for a personal row. Set by the '
  'service. `tenant=eq.…` lists one workspace';
comment on column api.dashboards.created_at is 'Set by the service';
comment on column api.dashboards.updated_at is 'Set by the service at each change';

alter table api.dashboards enable row level security;
create policy dashboards_read on api.dashboards for select to authenticated
  using (private.is_not_explained()
    and (tenant = (select private.personal_tenant())
      or (tenant = (select private.team_tenant('dashboards', 'list'))
        and (visibility in ('shared', 'public') or (select private.can('dashboards', 'list_private'))))));
create policy dashboards_create on api.dashboards for insert to authenticated
  with check (
    case
      when tenant = (select private.personal_tenant())
        or tenant = (select private.team_tenant('dashboards', 'create')) then true
      else private.deny('dashboards')
    end);
create policy dashboards_update on api.dashboards for update to authenticated
  using (tenant = (select private.personal_tenant()) or (tenant = (select private.team_tenant('dashboards', 'list'))
    and (visibility in ('shared', 'public') or (select private.can('dashboards', 'list_private')))))
  with check (
    case
      when tenant = (select private.personal_tenant())
        or tenant = (select private.team_tenant('dashboards', 'update')) then true
      else private.deny('dashboards')
    end);
create policy dashboards_delete on api.dashboards for delete to authenticated
  using (tenant = (select private.personal_tenant()) or (tenant = (select private.team_tenant('dashboards', 'list'))
    and (visibility in ('shared', 'public') or (select private.can('dashboards', 'list_private')))));
insert into private.role_permissions (role, resource, action) select role, 'dashboards', action from usual_rights;
insert into private.role_permissions (role, resource, action)
  select role, 'dashboards', 'list_private' from unnest(array['owner', 'admin', 'editor']) as role;
grant select on api.dashboards to anon;
grant select, insert, update, delete on api.dashboards to authenticated;

create or replace function private.dashboards_before_row() returns trigger
  language plpgsql set search_path = ''
as $$
declare
  by_caller constant boolean := current_user = 'authenticated';
  broken text;
begin
  if tg_op = 'DELETE' then
    if by_caller and old.organization_id is not null and not private.can('dashboards', 'delete') then
      perform private.deny('dashboards');
    end if;
    return old;
  end if;
  if tg_op = 'INSERT' then
    if by_caller then
      new.user_id := private.owner_of_new('dashboards', new.id, new.user_id);
      new.created_at := now();
      new.updated_at := now();
    end if;
  else
    if by_caller and (old.id <> new.id or old.user_id is distinct from new.user_id
      or old.organization_id is distinct from new.organization_id) then
      perform private.deny('dashboards');
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
      when new.name is null then 'name'
      when new.layout is null then 'layout'
      when new.is_default is null then 'is_default'
      when new.visibility is null then 'visibility'
      when new.created_at is null then 'created_at'
      when new.updated_at is null then 'updated_at'
      when not private.is_date_range(new.date_range) then 'dashboards_date_range_form'
      when char_length(new.description) > 5000 then 'dashboards_description_length'
      when jsonb_path_exists(new.filters, '$.**{17}') then 'dashboards_filters_depth'
      when not private.plain_numbers(new.filters) then 'dashboards_filters_numbers'
      when octet_length(new.filters::text) > 16384 then 'dashboards_filters_size'
      when new.user_id is null and new.organization_id is null then 'dashboards_have_an_owner'
      when jsonb_path_exists(new.layout, '$.**{17}') then 'dashboards_layout_depth'
      when not private.is_layout(new.layout) then 'dashboards_layout_form'
      when not private.plain_numbers(new.layout) then 'dashboards_layout_numbers'
      when octet_length(new.layout::text) > 65536 then 'dashboards_layout_size'
      when not private.is_name(new.name, old.name) then 'dashboards_name_length'
      when new.visibility not in ('private', 'shared', 'public') then 'dashboards_visibility_known'
    end;
    if broken is not null then
      perform private.reject_row(tg_relid, tg_op, new, broken);
    end if;
  end if;
  return new;
end
$$;
comment on function private.dashboards_before_row() is
  'Fills in, preserves and checks the columns of a row of dashboards.';

create trigger "1_before_row" before insert or update or delete on api.dashboards
  for each row execute function private.dashboards_before_row();
create trigger "2_note_change" after insert or update or delete on api.dashboards
  for each row execute function private.note_dashboard();
