-- A table with an owner pair that callers write fills, checks and keeps it: its own from the token, that of a transaction's parts from the transaction.
select format('%s lacks %s', c.relname, wanted) as what
from pg_class c, unnest(array['set_owner', 'keep_identity', 'require_delete']) as wanted
where c.relnamespace = 'api'::regnamespace and c.relkind = 'r' and has_table_privilege('authenticated', c.oid, 'INSERT, UPDATE, DELETE')
  and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id')
  and not exists (select from pg_trigger t join pg_proc f on f.oid = t.tgfoid where t.tgrelid = c.oid and f.proname in (wanted, wanted || '_of_part'))
union all
select format('%s.%s', c.relname, a.attname) as what
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attname in ('user_id', 'organization_id')
left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
where c.relnamespace = 'api'::regnamespace and c.relkind = 'r' and has_table_privilege('authenticated', c.oid, 'INSERT, UPDATE, DELETE')
  and not exists (select from pg_trigger t join pg_proc f on f.oid = t.tgfoid where t.tgrelid = c.oid and f.proname = 'set_owner_of_part')
  and coalesce(pg_get_expr(d.adbin, d.adrelid), '') !~ case a.attname when 'user_id' then 'uid\(\)$' else 'org_id\(\)$' end
