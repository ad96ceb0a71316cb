-- The times of a row are set by the service, whatever a caller sends.
select format('%s.%s', c.relname, a.attname) as what
from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname in ('created_at', 'updated_at')
where c.relnamespace = 'api'::regnamespace and c.relkind = 'r' and has_table_privilege('authenticated', c.oid, 'INSERT')
  and not exists (
    select from pg_trigger t join pg_proc f on f.oid = t.tgfoid
    where t.tgrelid = c.oid and f.proname = 'set_timestamps' and pg_get_triggerdef(t.oid) like format('%%%L%%', a.attname) and t.tgtype & 23 = 23)
