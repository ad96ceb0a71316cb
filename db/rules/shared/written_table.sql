-- What all tables share that callers write to: policies and grants, the turns of a tenant's requests, and the refusal of a
-- request that names a row twice.

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

create function pg_temp.grant_rows(p_table text, p_visible text, p_may_create text, p_may_update text) returns void
  language plpgsql
as $grant$
begin
  execute format($sql$
    alter table api.%1$I enable row level security;
    create policy %2$I on api.%1$I for select to authenticated using (private.is_plain_query() and %6$s);
    create policy %3$I on api.%1$I for insert to authenticated with check (%7$s);
    create policy %4$I on api.%1$I for update to authenticated using (%6$s) with check (%8$s);
    create policy %5$I on api.%1$I for delete to authenticated using (%6$s);

    -- anon may ask and has no policy, so it reads nothing; it is not granted anything else.
    grant select on api.%1$I to anon;
    grant select, insert, update, delete on api.%1$I to authenticated;
  $sql$, p_table, p_table || '_read', p_table || '_create', p_table || '_update', p_table || '_delete',
    p_visible, p_may_create, p_may_update);
end
$grant$;
