-- No index of an exposed table begins with a date: the planner would walk everybody's rows.
select i.indexrelid::regclass::text as what
from pg_index i join pg_class c on c.oid = i.indrelid join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
  join pg_type t on t.oid = a.atttypid
where c.relnamespace = 'api'::regnamespace and coalesce(nullif(t.typbasetype, 0), t.oid) in ('timestamptz'::regtype, 'date'::regtype, 'timestamp'::regtype)
