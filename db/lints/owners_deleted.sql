-- Rows go with their organization and stay without their user; a transaction's parts go with the transaction.
select format('%s.%s: %s', k.conrelid::regclass, a.attname, k.confdeltype) as what
from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
where k.contype = 'f' and k.connamespace = 'api'::regnamespace and a.attname in ('user_id', 'organization_id') and k.conrelid <> 'api.app_subscriptions'::regclass
  and k.confdeltype <> case a.attname when 'user_id' then 'n' else 'c' end::"char"
union all
select c.relname as what from pg_class c
where c.relnamespace = 'api'::regnamespace and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id')
  -- activity has no foreign keys: triggers of auth.users and auth.organizations delete it
  and c.relkind = 'r' and c.relname <> 'activity' and not exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'transaction_id')
  and 2 <> (
    select count(*) from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
    where k.conrelid = c.oid and k.contype = 'f' and a.attname in ('user_id', 'organization_id'))
