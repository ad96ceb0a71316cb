-- after: core

create type private.effect as (
  table_name text,
  row_id uuid,
  tag_id uuid,
  organization_id text,
  action text,
  before_of uuid,
  after_of uuid,
  after_is_before boolean
);

-- Without foreign keys to users and organizations, because each would cost every insert a look-up. Triggers of their
-- deletion delete the rows.
create table api.activity (
  id uuid primary key,
  happened_at timestamptz not null,
  change_id uuid not null,
  actor_id text not null,
  user_id text,
  organization_id text,
  tenant text not null,
  action text not null,
  table_name text not null,
  row_id uuid not null,
  before jsonb,
  after jsonb,
  constraint activity_action_known check (action in ('create', 'update', 'delete')),
  constraint activity_has_one_owner check (num_nonnulls(user_id, organization_id) = 1),
  constraint activity_tenant_is_of_owner check (tenant = private.tenant_of(user_id, organization_id))
);
create index activity_tenant on api.activity (tenant, happened_at desc);
alter table api.activity
  alter column change_id set (n_distinct = -1),
  alter column tenant set (n_distinct = -1),
  alter column row_id set (n_distinct = -1);
