-- after: core

create table private.changes (
  tenant text not null,
  position bigint not null,
  change uuid not null,
  -- the change before it in the tenant; null if there is none
  after uuid,
  table_name text not null,
  permission text,
  actions text[] not null,
  ids uuid[],
  change_id uuid,
  actor_id text,
  happened_at timestamptz not null default clock_timestamp(),
  constraint changes_once unique nulls not distinct (tenant, position, table_name, permission)
);
-- readers look for the newest, and the sweep for the oldest
create index changes_happened_at on private.changes (happened_at);
