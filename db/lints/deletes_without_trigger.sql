-- A delete has no new row that a policy could check, so a trigger asks for the right.
select c.relname as what from pg_class c
where c.relnamespace = 'api'::regnamespace and c.relkind = 'r' and has_table_privilege('authenticated', c.oid, 'DELETE')
  and not exists (
    select from pg_trigger t join pg_proc f on f.oid = t.tgfoid
    where t.tgrelid = c.oid and f.proname = 'require_delete' and t.tgtype & 11 = 11)
