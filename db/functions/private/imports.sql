-- An imported row is known by (tenant, source, external_id). An upsert names its conflict by plain columns, and no plain
-- columns name the tenant of both a personal and a team row. So this trigger finds the row of an earlier import and gives its
-- id to the new one; the upsert's conflict is then on id, its default.

create or replace function private.recognize_import() returns trigger
  language plpgsql security definer set search_path = '' set enable_seqscan = off set enable_sort = off
as $$
declare
  known record;
begin
  -- a PUT, and an upsert by id, name their row; an external_id that another row has is a plain conflict
  if current_setting('request.method', true) = 'PUT' or exists (select from api.transactions where id = new.id) then
    return new;
  end if;
  -- two imports of one tenant at the same time: the second waits, then finds what the first has stored
  perform pg_advisory_xact_lock(hashtextextended(coalesce('import o' || new.organization_id, 'import u' || new.user_id), 0));
  -- The range and its order leave the planner one index, whatever it thinks of the table: the one that ends in external_id. By
  -- another it would compare the row with all of the tenant's.
  if new.organization_id is null then
    select id, user_id, external_id into known from api.transactions
      where user_id = new.user_id and organization_id is null and source = new.source and external_id >= new.external_id
      order by external_id limit 1;
  else
    select id, user_id, external_id into known from api.transactions
      where organization_id = new.organization_id and source = new.source and external_id >= new.external_id
      order by external_id limit 1;
  end if;
  if known.external_id = new.external_id then
    new.id := known.id;
    -- the row stays with the member who imported it first
    new.user_id := known.user_id;
  end if;
  return new;
end
$$;
comment on function private.recognize_import() is 'Gives an imported row the id of its earlier import.';
