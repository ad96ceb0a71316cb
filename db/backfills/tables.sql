-- after: core/tables

create table private.backfills (
  name text primary key,
  statement text not null,
  after_tenant text,
  finished_at timestamptz
);
