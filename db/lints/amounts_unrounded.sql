-- A number without a scale of its column's is an amount: triggers round and bound it.
select format('%s.%s', c.relname, a.attname) as what
from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.atttypid = 'numeric'::regtype and a.atttypmod = -1
where c.relnamespace = 'api'::regnamespace and c.relkind = 'r'
  and array[format('%s_z_0_1_%s_in_range', c.relname, a.attname), format('%s_z_0_2_%s_fits_currency', c.relname, a.attname), format('%s_z_0_3_round_%s', c.relname, a.attname)]
    <> array(select t.tgname::text from pg_trigger t where t.tgrelid = c.oid and t.tgname ~ format('^%s_z_0_', c.relname) and t.tgenabled = 'O' order by 1)
