-- after: backfills/tables, core/tenants
-- A backfill fills in old rows, for example a new column. A file of db/migrations with the first line `-- backfill` has
-- its statement, which changes up to $2 rows of the tenant $1. db/migrate.ts stores the statement. A job of the auth
-- service runs it, tenant by tenant, while users write.

comment on table private.backfills is 'Backfills of migrations. A later migration that needs one deletes it.';
comment on column private.backfills.name is 'The name of its file in db/migrations.';
comment on column private.backfills.statement is 'Changes up to $2 rows of the tenant $1.';
comment on column private.backfills.after_tenant is
  'The last tenant that is done, or an empty text. Null until the functions of the version fill in new rows.';
comment on column private.backfills.finished_at is 'The time when all tenants were done.';

create or replace function private.run_backfill(p_name text) returns boolean
  -- a batch waits for a writer of the tenant
  language plpgsql volatile security definer set search_path = '' set lock_timeout = '1s'
as $$
declare
  -- about 0.2 s of an owner's triggers
  rows_of_batch constant integer := 1000;
  backfill private.backfills;
  next_tenant text;
  changed bigint;
begin
  select * into backfill from private.backfills
    where name = p_name and after_tenant is not null and finished_at is null for update;
  if not found then
    return false;
  end if;
  -- a: owns no rows
  select t.tenant into next_tenant from private.tenants t
    where t.tenant > backfill.after_tenant and t.tenant not like 'a:%' order by t.tenant limit 1;
  if not found then
    update private.backfills set finished_at = now() where name = p_name;
    return false;
  end if;
  perform private.lock_tenant(next_tenant);
  perform set_config('private.is_backfill', 'true', true);
  execute backfill.statement using next_tenant, rows_of_batch;
  get diagnostics changed = row_count;
  if changed < rows_of_batch then
    update private.backfills set after_tenant = next_tenant where name = p_name;
  end if;
  return true;
end
$$;
comment on function private.run_backfill(text) is
  'Runs one batch of a backfill: up to 1,000 rows of the next tenant. Returns true if batches may be left.';

create or replace function private.backfill_progress()
returns table (name text, tenants_left bigint, tenants bigint, is_finished boolean)
  language sql stable set search_path = ''
begin atomic
  select b.name,
      case when b.finished_at is null then count(*) filter (where t.tenant > coalesce(b.after_tenant, '')) else 0 end,
      count(t.tenant), b.finished_at is not null
    from private.backfills b left join private.tenants t on t.tenant not like 'a:%'
    group by b.name
    order by b.name;
end;
comment on function private.backfill_progress() is 'The number of tenants that each backfill has left.';

grant execute on function private.run_backfill(text) to auth_service;
