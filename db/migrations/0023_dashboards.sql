-- Arrangements of widgets. The one table where a viewer sees less than the others: only what is shared.

-- requires functions/dashboard_forms.sql
-- requires functions/date_ranges.sql
create table api.dashboards (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  description text,
  layout jsonb not null,
  filters jsonb,
  date_range jsonb,
  is_default boolean not null default false,
  visibility text not null default 'private',
  user_id text default public.uid() references auth.users on delete set null,
  organization_id text default public.org_id() references auth.organizations on delete cascade,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint dashboards_name_length check (char_length(name) between 1 and 255),
  constraint dashboards_description_length check (char_length(description) <= 5000),
  constraint dashboards_layout_form check (private.is_layout(layout)),
  constraint dashboards_layout_size check (octet_length(layout::text) <= 65536),
  constraint dashboards_layout_depth check (not jsonb_path_exists(layout, '$.**{17}')),
  constraint dashboards_filters_size check (octet_length(filters::text) <= 16384),
  constraint dashboards_filters_depth check (not jsonb_path_exists(filters, '$.**{17}')),
  constraint dashboards_date_range_form check (private.is_date_range(date_range)),
  constraint dashboards_visibility_known check (visibility in ('private', 'shared', 'public')),
  constraint dashboards_have_an_owner check (user_id is not null or organization_id is not null)
);
create index dashboards_personal on api.dashboards (user_id, organization_id, name);
create index dashboards_team on api.dashboards (organization_id, name);
-- see transactions
alter table api.dashboards
  alter column user_id set (n_distinct = -0.03),
  alter column organization_id set (n_distinct = -0.03);

comment on table api.dashboards is
$$Dashboards: arrangements of widgets

You see your personal ones. In an organization owner, admin and editor see all of the organization's; a viewer sees those with visibility `shared` or `public`, and changes none.$$;
comment on column api.dashboards.id is 'Identifier';
comment on column api.dashboards.name is 'Name, 1 to 255 characters';
comment on column api.dashboards.description is 'Up to 5000 characters';
comment on column api.dashboards.layout is 'Object with `widgets`: an array of objects with `id` and `type` (strings), `position` {`x`,`y`} (0 or more), `size` {`w`,`h`} (more than 0) and an optional `config`. Up to 64 KiB and 16 levels';
comment on column api.dashboards.filters is 'Default filters, free JSON, up to 16 KiB and 16 levels';
comment on column api.dashboards.date_range is 'Default date range: {`preset`}, or {`start_date`,`end_date`} as YYYY-MM-DD, or both with the preset `custom`. Presets: `today`, `yesterday`, `last_7_days`, `last_30_days`, `this_week`, `last_week`, `this_month`, `last_month`, `this_quarter`, `last_quarter`, `this_year`, `last_year`, `all_time`, `custom`';
comment on column api.dashboards.is_default is 'Whether it is the one to show first. Not exclusive: unset the others when you set one';
comment on column api.dashboards.visibility is '`private`: not for viewers. `shared`, `public`: for every member of the organization. None opens anything beyond the organization, and a personal dashboard is its owner''s whatever it says';
comment on column api.dashboards.user_id is 'Owner. Filled from the JWT; cannot be changed';
comment on column api.dashboards.organization_id is 'The team it belongs to. Filled from the JWT when an organization is active; send null for a personal dashboard; cannot be changed';
comment on column api.dashboards.created_at is 'Set by the service';
comment on column api.dashboards.updated_at is 'Set by the service at each change';

alter table api.dashboards enable row level security;
create policy dashboards_read on api.dashboards
  for select to authenticated
  using (
    (organization_id is null and user_id = (select public.uid()))
    or (
      organization_id = (select public.org_id())
      and (select private.can('dashboards', 'list'))
      and (visibility in ('shared', 'public') or (select private.can('dashboards', 'list_private')))
    )
  );
create policy dashboards_create on api.dashboards
  for insert to authenticated
  with check (
    (organization_id is null and user_id = (select public.uid()))
    or (organization_id = (select public.org_id()) and (select private.can('dashboards', 'create')))
    or private.deny('dashboards')
  );
create policy dashboards_update on api.dashboards
  for update to authenticated
  using (
    (organization_id is null and user_id = (select public.uid()))
    or (
      organization_id = (select public.org_id())
      and (select private.can('dashboards', 'list'))
      and (visibility in ('shared', 'public') or (select private.can('dashboards', 'list_private')))
    )
  )
  with check (
    (organization_id is null and user_id = (select public.uid()))
    or (organization_id = (select public.org_id()) and (select private.can('dashboards', 'update')))
    or private.deny('dashboards')
  );
create policy dashboards_delete on api.dashboards
  for delete to authenticated
  using (
    (organization_id is null and user_id = (select public.uid()))
    or (
      organization_id = (select public.org_id())
      and (select private.can('dashboards', 'list'))
      and (visibility in ('shared', 'public') or (select private.can('dashboards', 'list_private')))
    )
  );

-- anon may ask and has no policy, so it reads nothing; it is not granted anything else.
grant select on api.dashboards to anon;
grant select, insert, update, delete on api.dashboards to authenticated;

-- requires functions/row_triggers.sql
-- requires functions/owner_pair.sql
create trigger dashboards_set_owner
  before insert on api.dashboards
  for each row execute function private.set_owner();
create trigger dashboards_keep_owner
  before update on api.dashboards
  for each row
  when (old.id <> new.id or old.user_id is distinct from new.user_id or old.organization_id is distinct from new.organization_id)
  execute function private.keep_owner();
create trigger dashboards_require_delete
  before delete on api.dashboards
  for each row
  when (old.organization_id is not null)
  execute function private.require_delete();
create trigger dashboards_set_timestamps
  before insert or update on api.dashboards
  for each row execute function private.set_timestamps();
