-- What callers write has bounds: every amount refuses NaN, every text has a length, every JSON a size and a depth, and plain numbers before it is printed.
select format('%s.%s', c.relname, a.attname) as what
from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
cross join lateral (
select coalesce(string_agg(pg_get_constraintdef(k.oid), ' ' order by k.conname), '') as checks from pg_constraint k where k.conrelid = c.oid and k.contype = 'c' and a.attnum = any (k.conkey)
) k
where c.relnamespace = 'api'::regnamespace and c.relkind = 'r' and has_table_privilege('authenticated', c.oid, 'INSERT, UPDATE, DELETE') and a.attname not in ('user_id', 'organization_id')
and not case a.atttypid
  when 'numeric'::regtype then checks ~ 'NaN'
  when 'text'::regtype then checks ~ 'char_length|ANY|~ ''\^'
  -- constraints are asked in the order of their names
  when 'jsonb'::regtype then checks ~ 'plain_numbers.*octet_length' and checks !~ 'octet_length.*plain_numbers' and checks ~ 'jsonb_path_exists' or checks ~ 'is_date_range'
  else true
end
