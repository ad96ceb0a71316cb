-- The planner is told that each row has a tenant of its own, so that it always goes by the tenant.
-- A tenant's tags are two, so that what embeds them begins with a transaction.
select format('%s.%s', c.relname, a.attname) as what from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname in ('user_id', 'organization_id')
where c.relnamespace = 'api'::regnamespace and c.relkind = 'r' and c.relname <> 'app_subscriptions' and not coalesce(a.attoptions @> array[case c.relname when 'tags' then 'n_distinct=-0.5' else 'n_distinct=-1' end], false)
