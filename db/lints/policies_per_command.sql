-- Every exposed table has exactly one permissive policy for each command that is granted, to authenticated alone.
select format('%s %s: %s policies', c.relname, granted.command, count(p.policyname)) as what
from pg_class c
cross join (values ('SELECT'), ('INSERT'), ('UPDATE'), ('DELETE')) as granted (command)
left join pg_policies p on p.schemaname = 'api' and p.tablename = c.relname and p.cmd = granted.command
  and p.permissive = 'PERMISSIVE' and p.roles = '{authenticated}'
where c.relnamespace = 'api'::regnamespace and c.relkind in ('r', 'p')
group by c.oid, c.relname, granted.command
having count(p.policyname) <> has_table_privilege('authenticated', c.oid, granted.command)::integer
union all
select format('%s on %s', policyname, tablename) as what from pg_policies
where schemaname = 'api' and (permissive <> 'PERMISSIVE' or roles <> '{authenticated}' or cmd = 'ALL')
