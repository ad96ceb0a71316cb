-- Members of one tenant write one after another. Two statements that change the same rows in opposite orders would otherwise
-- wait for each other until PostgreSQL ends one of them with 40P01, which PostgREST answers with 500: one member's bulk
-- update against another's upsert, or a category's deletion against a row that is being filed under it.
--
-- A request may write to the caller's personal rows and to the active organization's, so it takes the turn of both, the
-- person's first. No request holds an organization's turn while it waits for a person's, so none can wait in a circle.

create or replace function private.take_turn() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  -- the owner of the database, and the foreign keys' own actions, take no turn
  if current_user = 'authenticated' then
    perform pg_advisory_xact_lock(hashtextextended('turn of user ' || public.uid(), 0));
    perform pg_advisory_xact_lock(hashtextextended('turn of organization ' || public.org_id(), 0));
  end if;
  return null;
exception
  when lock_not_available then
    raise sqlstate 'PT409' using
      message = 'another change of the same data is still under way',
      hint = 'Nothing was stored. Send the request again.';
end
$$;
comment on function private.take_turn() is 'Waits until no other request of the caller''s tenant writes; 409 when that takes longer than lock_timeout.';

-- An upsert that names a row twice is refused here, with the code and the status that PostgREST 12.0 has for it: 12.2 answers
-- PostgreSQL's own 21000 with 500. One request is one statement, so a row that this transaction has written is a row that
-- this request has named before. The definer's rights spare each row the planning of the row rules. The arguments are the
-- columns of the key.
create or replace function private.write_once() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  is_repeated boolean;
begin
  if current_setting('request.headers', true) like '%resolution=merge-duplicates%' then
    execute format('select exists (select from api.%I r where %s and r.xmin = pg_current_xact_id()::xid)', tg_table_name,
      (select string_agg(format('r.%1$I = $1.%1$I', key), ' and ') from unnest(tg_argv) as key)) into is_repeated using new;
    if is_repeated then
      raise sqlstate 'PGRST' using
        message = jsonb_build_object('code', '21000', 'message', 'one request names a row twice', 'details', null,
          'hint', 'Send each row once: by its key, or by its source and external_id.')::text,
        detail = '{"status": 400, "headers": {}}';
    end if;
  end if;
  return new;
end
$$;
comment on function private.write_once() is 'Refuses an upsert that names a row twice: 400 with the code 21000.';

do $triggers$
declare
  written record;
begin
  for written in
    select c.relname, (
      select string_agg(quote_literal(a.attname), ', ' order by k.at)
      from pg_index i cross join unnest(i.indkey::smallint[]) with ordinality as k (attnum, at)
      join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
      where i.indrelid = c.oid and i.indisprimary
    ) as key
    from pg_class c
    where c.relnamespace = 'api'::regnamespace and c.relkind = 'r' and has_table_privilege('authenticated', c.oid, 'insert')
  loop
    execute format('create or replace trigger %I before insert or update or delete on api.%I for each statement execute function private.take_turn()',
      written.relname || '_take_turn', written.relname);
    -- triggers fire in the order of their names; this one comes after those that settle the key
    execute format('create or replace trigger %I before insert on api.%I for each row execute function private.write_once(%s)',
      written.relname || '_write_once', written.relname, written.key);
  end loop;
end
$triggers$;
