-- The owner pair of a new row is from the token, but for a transaction's parts, which have the transaction's.
select format('%s.%s', c.relname, a.attname) as what
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attname in ('user_id', 'organization_id')
left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
where c.relnamespace = 'api'::regnamespace and c.relkind = 'r' and has_table_privilege('authenticated', c.oid, 'INSERT, UPDATE, DELETE')
  and not exists (select from pg_attribute part where part.attrelid = c.oid and part.attname = 'transaction_id')
  and coalesce(pg_get_expr(d.adbin, d.adrelid), '') !~ case a.attname when 'user_id' then 'uid\(\)$' else 'org_id\(\)$' end
