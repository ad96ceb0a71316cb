-- What every table shares that callers write to: its tenant's requests write one after another, and one request names a row
-- once.

create function pg_temp.keep_turns(p_table text) returns void
  language plpgsql
as $keep$
begin
  execute format('create trigger %I before insert or update or delete on api.%I for each statement execute function private.take_turn()',
    p_table || '_take_turn', p_table);
  -- triggers fire in the order of their names; this one comes after those that settle the key
  execute format($sql$
    create trigger %I before insert on api.%I
      for each row
      when (current_setting('request.headers', true) like '%%resolution=merge-duplicates%%')
      execute function private.write_once(%s)
  $sql$, p_table || '_write_once', p_table, (
    select string_agg(quote_literal(a.attname), ', ' order by k.at)
    from pg_index i cross join unnest(i.indkey::smallint[]) with ordinality as k (attnum, at)
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
    where i.indrelid = format('api.%I', p_table)::regclass and i.indisprimary));
end
$keep$;
