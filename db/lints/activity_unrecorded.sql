-- Every table with an owner pair but those two that move no money records what is created, changed and deleted in it.
select format('%s: %s', c.relname, wanted.event) as what
from pg_class c
cross join (values
  -- of the event, after it and of the whole statement
  ('insert', 4, 0, '^record_(creation|association)$'), ('update', 16, 0, '^record_change(d_association)?$'), ('delete', 8, 0, '^record_deletion$')
) as wanted (event, bit, moment, recorder)
where c.relnamespace = 'api'::regnamespace and c.relkind in ('r', 'p') and c.relname not in ('activity', 'dashboards')
  and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped)
  and not exists (
    select from pg_trigger t join pg_proc f on f.oid = t.tgfoid and f.pronamespace = 'private'::regnamespace
    where t.tgrelid = c.oid and f.proname ~ wanted.recorder and t.tgenabled in ('O', 'A')
      and t.tgtype & wanted.bit > 0 and t.tgtype & 67 = wanted.moment)
