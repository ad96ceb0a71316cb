-- after: categories/tables, rules/tag_names

create type private.rule_change as (
  transaction_id uuid, rule_id uuid, category_id uuid, name text, tags text[], before jsonb, after jsonb,
  is_transfer boolean
);

create table api.rules (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  priority bigint not null default 0,
  conditions jsonb not null,
  set_category_id uuid,
  set_name text,
  add_tags text[] default '{}',
  is_active boolean not null default true,
  user_id text default public.uid() references auth.users on delete set null,
  organization_id text default public.org_id() references auth.organizations on delete cascade,
  tenant text not null default private.left_out(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  mark_as_transfer boolean not null default false,
  constraint rules_set_category_id_fkey foreign key (tenant, set_category_id)
    references api.categories (tenant, id) on delete set null (set_category_id),
  constraint rules_tenant_is_of_owner check (tenant = private.tenant_of(user_id, organization_id)),
  constraint rules_add_tags_form check (private.are_tag_names(add_tags)),
  constraint rules_conditions_depth check (not jsonb_path_exists(conditions, '$.**{17}')),
  constraint rules_conditions_numbers check (private.plain_numbers(conditions)),
  constraint rules_conditions_size check (octet_length(conditions::text) <= 16384),
  constraint rules_have_an_action check (
    not is_active or set_category_id is not null or set_name is not null or add_tags <> '{}' or mark_as_transfer
  ),
  constraint rules_have_an_owner check (user_id is not null or organization_id is not null),
  constraint rules_name_length check (char_length(name) between 1 and 255),
  constraint rules_of_transfers_set_no_category check (not mark_as_transfer or set_category_id is null),
  constraint rules_set_name_length check (char_length(set_name) between 1 and 255)
);
create index rules_tenant on api.rules (tenant, priority);
create index rules_user on api.rules (user_id) where user_id is not null;
create index rules_organization on api.rules (organization_id) where organization_id is not null;
create index rules_category on api.rules (set_category_id) where set_category_id is not null;
alter table api.rules
  alter column set_category_id set (n_distinct = -1),
  alter column tenant set (n_distinct = -1);
