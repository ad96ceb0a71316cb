-- Who changed what: one row for each row of the money tables that a request has created, changed or deleted. Only
-- the triggers of those tables write it.
--
-- The ids tell the time: 48 bits of milliseconds, 42 random bits of the request and 32 that count its rows (RFC 9562, version
-- 7). So the rows of one request, and those that are older than a day, are ranges of the key, and need no index of their own.
--
-- No foreign key leads to users and organizations, because each would cost every insert a look-up. Their own deletion empties
-- the table of them.
create table api.activity (
  id uuid primary key,
  happened_at timestamptz not null,
  change_id uuid not null,
  actor_id text not null,
  user_id text,
  organization_id text,
  action text not null,
  table_name text not null,
  row_id uuid not null,
  before jsonb,
  after jsonb,
  constraint activity_has_one_owner check (num_nonnulls(user_id, organization_id) = 1),
  constraint activity_action_known check (action in ('create', 'update', 'delete'))
);
-- each row is in one of them
create index activity_personal on api.activity (user_id, happened_at desc) where organization_id is null;
create index activity_team on api.activity (organization_id, happened_at desc) where organization_id is not null;
-- see 0004; and a row that is named is the cheaper way yet
alter table api.activity
  alter column user_id set (n_distinct = -1), alter column organization_id set (n_distinct = -1),
  alter column row_id set (n_distinct = -1), alter column change_id set (n_distinct = -1);
analyze api.activity;
