-- What all tables share that have an owner pair of their own: its defaults and its trigger
-- (db/functions/private/owner_pair.sql), and the times. db/rules/<table>.sql calls protect_owned() and adds the table's own.
-- The function is gone when the session of the migration ends; db/schema.sql shows what it makes of each table.

create function pg_temp.protect_owned(p_table text, p_noun text, p_sees text default null) returns void
  language plpgsql
as $protect$
begin
  execute format('alter table api.%I alter column user_id set default public.uid(), alter column organization_id set default public.org_id()', p_table);
  perform pg_temp.protect_tenant(p_table, p_sees);

  execute format($sql$
    create trigger %2$I before insert on api.%1$I
      for each row execute function private.set_owner();
    comment on column api.%1$I.user_id is 'Who created it. Filled from the JWT; cannot be changed';
    comment on column api.%1$I.organization_id is %3$L;
  $sql$, p_table, p_table || '_1_set_owner',
    format('The team it belongs to. Filled from the JWT when an organization is active; send null for a personal %s; cannot be changed', p_noun));

  perform pg_temp.keep_times(p_table);
  perform pg_temp.keep_turns(p_table);
end
$protect$;

create function pg_temp.keep_times(p_table text) returns void
  language plpgsql
as $keep$
declare
  times constant text[] := (
    select array_agg(attname::text order by attname) from pg_attribute
    where attrelid = format('api.%I', p_table)::regclass and not attisdropped and attname in ('created_at', 'updated_at'));
  named text;
begin
  if times is null then
    return;
  end if;
  execute format('create trigger %I before insert or update on api.%I for each row execute function private.set_timestamps(%s)',
    p_table || '_set_timestamps', p_table, (select string_agg(quote_literal(time), ', ') from unnest(times) as time));
  foreach named in array times loop
    execute format('comment on column api.%I.%I is %L', p_table, named, 'Set by the service' || case named when 'updated_at' then ' at each change' else '' end);
  end loop;
end
$keep$;
