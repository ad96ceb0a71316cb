-- A column that is named for a currency, or has its form, takes currencies alone, when a row is new and when it changes.
select format('%s.%s', c.relname, a.attname) as what
from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.atttypid = 'text'::regtype
where c.relnamespace = 'api'::regnamespace and c.relkind = 'r'
  and (a.attname ~ 'currency$' or exists (
    select from pg_constraint k where k.conrelid = c.oid and k.contype = 'c' and a.attnum = any (k.conkey) and pg_get_expr(k.conbin, k.conrelid) like '%[a-z]{3}%'))
  and 2 <> (
    select count(*) from pg_trigger t
    where t.tgrelid = c.oid and t.tgfoid = 'private.refuse_row()'::regprocedure
      and encode(t.tgargs, 'escape') = format('%s_%s_known\000%2$s\000', c.relname, a.attname))
