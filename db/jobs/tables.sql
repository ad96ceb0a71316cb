-- after: core/tables

create table private.jobs (
  id uuid primary key default gen_random_uuid(),
  task text not null,
  key text,
  share text,
  payload jsonb not null default '{}',
  created_at timestamptz not null default now(),
  run_at timestamptz not null default now(),
  started_at timestamptz,
  leased_until timestamptz,
  failures integer not null default 0,
  last_error text
);
create index jobs_due on private.jobs (task, run_at);
create unique index jobs_one_waiting on private.jobs (task, key) where started_at is null;
create index jobs_of_key on private.jobs (task, key) where key is not null;
create index jobs_of_share on private.jobs (share) where share is not null and leased_until is not null;
