-- name: foreign_keys_without_index
-- An index leads with every foreign key.
select format('%s: %s', k.conrelid::regclass, k.conname) as what
from pg_constraint k
where k.contype = 'f' and k.connamespace in ('api'::regnamespace, 'auth'::regnamespace)
  and not exists (
    select from pg_index i
    where i.indrelid = k.conrelid and (i.indkey::smallint[])[0:cardinality(k.conkey) - 1] @> k.conkey
      -- of rows that have the reference at all
      and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) ~ '^\(\w+ IS NOT NULL\)$'));

-- name: indexes_led_by_a_date
-- No index of an exposed table begins with a date: the planner would walk everybody's rows.
select i.indexrelid::regclass::text as what
from pg_index i join pg_class c on c.oid = i.indrelid join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
  join pg_type t on t.oid = a.atttypid
where c.relnamespace = 'api'::regnamespace and coalesce(nullif(t.typbasetype, 0), t.oid) in ('timestamptz'::regtype, 'date'::regtype, 'timestamp'::regtype);

-- name: tenants_of_unknown_size
-- The planner is told that each row has a tenant of its own, so that it always goes by the tenant.
-- A tenant's tags are two, so that what embeds them begins with a transaction.
select format('%s.%s', c.relname, a.attname) as what from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname in ('user_id', 'organization_id')
where c.relnamespace = 'api'::regnamespace and c.relkind = 'r' and c.relname <> 'app_subscriptions' and not coalesce(a.attoptions @> array[case c.relname when 'tags' then 'n_distinct=-0.5' else 'n_distinct=-1' end], false);

-- name: plans_that_know_values
-- Requests are planned for any value: a plan for the value asked for tells how common it is among everybody's rows.
select format('%s plans with %s', r.rolname, coalesce((select s from unnest(r.rolconfig) s where s ~ '^plan_cache_mode='), 'the server''s plan_cache_mode')) as what
from pg_roles r where r.rolname = 'authenticated' and not coalesce(r.rolconfig @> array['plan_cache_mode=force_generic_plan'], false);
