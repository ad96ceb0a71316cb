-- A table with an owner pair fills, checks and keeps it.
select format('%s lacks %s', c.relname, wanted) as what
from pg_class c, unnest(array['set_owner', 'keep_identity', 'require_delete']) as wanted
where c.relnamespace = 'api'::regnamespace and c.relkind = 'r'
  and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id')
  and not exists (select from pg_trigger t join pg_proc f on f.oid = t.tgfoid where t.tgrelid = c.oid and f.proname = wanted)
union all
select format('%s.%s', c.relname, a.attname) as what
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attname in ('user_id', 'organization_id')
left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
where c.relnamespace = 'api'::regnamespace and c.relkind = 'r' and c.relname <> 'app_subscriptions'
  and coalesce(pg_get_expr(d.adbin, d.adrelid), '') !~ case a.attname when 'user_id' then 'uid\(\)$' else 'org_id\(\)$' end
