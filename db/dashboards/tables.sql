-- after: dashboards/dashboard_forms, identity/tables

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
  tenant text not null default private.left_out(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint dashboards_tenant_is_of_owner check (tenant = private.tenant_of(user_id, organization_id)),
  constraint dashboards_date_range_form check (private.is_date_range(date_range)),
  constraint dashboards_description_length check (char_length(description) <= 5000),
  constraint dashboards_filters_depth check (not jsonb_path_exists(filters, '$.**{17}')),
  constraint dashboards_filters_numbers check (private.plain_numbers(filters)),
  constraint dashboards_filters_size check (octet_length(filters::text) <= 16384),
  constraint dashboards_have_an_owner check (user_id is not null or organization_id is not null),
  constraint dashboards_layout_depth check (not jsonb_path_exists(layout, '$.**{17}')),
  constraint dashboards_layout_form check (private.is_layout(layout)),
  constraint dashboards_layout_numbers check (private.plain_numbers(layout)),
  constraint dashboards_layout_size check (octet_length(layout::text) <= 65536),
  constraint dashboards_name_length check (char_length(name) between 1 and 255),
  constraint dashboards_visibility_known check (visibility in ('private', 'shared', 'public'))
);
create index dashboards_tenant on api.dashboards (tenant, name);
create index dashboards_user on api.dashboards (user_id) where user_id is not null;
create index dashboards_organization on api.dashboards (organization_id) where organization_id is not null;
alter table api.dashboards
  alter column tenant set (n_distinct = -1);
