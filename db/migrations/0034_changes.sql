-- Changes for live streams: which tables changed in which context. The rows hold no values.

create table private.changes (
  xid xid8 not null default pg_current_xact_id(),
  table_name text not null,
  user_id text,
  organization_id text,
  permission text,
  actions text[] not null,
  ids uuid[],
  change_id uuid,
  actor_id text,
  happened_at timestamptz not null default clock_timestamp(),
  constraint changes_once unique nulls not distinct (xid, table_name, organization_id, user_id, permission)
);
create index changes_age on private.changes (happened_at);

-- The transactions before this one may have lost rows of private.changes.
create table private.changes_kept (
  from_xid xid8 not null,
  is_only_row boolean primary key default true,
  constraint changes_kept_one_row check (is_only_row)
);
insert into private.changes_kept (from_xid) values (pg_current_xact_id());
