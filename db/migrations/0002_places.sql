-- How many requests of one person, and of all anonymous callers together, may run at once. db/migrate.ts sets both from
-- PGRST_DB_POOL on every run.
alter table private.settings
  add column places_per_person bigint not null default 4,
  add column places_of_anonymous bigint not null default 2;
