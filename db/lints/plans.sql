-- name: foreign_keys_without_index
-- Every foreign key has an index that begins with its columns, or within a tenant with the referring one.
select format('%s: %s', k.conrelid::regclass, k.conname) as what
from pg_constraint k
where k.contype = 'f' and k.connamespace in ('api'::regnamespace, 'auth'::regnamespace)
  and not exists (
    select from pg_index i
    where i.indrelid = k.conrelid and ((i.indkey::smallint[])[0:cardinality(k.conkey) - 1] @> k.conkey
      or cardinality(k.conkey) = 2 and i.indkey[0] = k.conkey[2]
        and exists (
          select from pg_attribute a where a.attrelid = k.conrelid and a.attnum = k.conkey[1] and a.attname = 'tenant'
        ))
      -- a partial index of the rows that have the reference is enough
      and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) ~ '^\(\w+ IS NOT NULL\)$'));

-- name: indexes_led_by_a_date
-- No index of an exposed table begins with a date, because the planner would scan the rows of all tenants.
select i.indexrelid::regclass::text as what
from pg_index i
join pg_class c on c.oid = i.indrelid
join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
  join pg_type t on t.oid = a.atttypid
where c.relnamespace = 'api'::regnamespace
  and coalesce(nullif(t.typbasetype, 0), t.oid) in ('timestamptz'::regtype, 'date'::regtype, 'timestamp'::regtype);

-- name: tenants_of_unknown_size
-- The statistics say that a tenant has one row, so that the planner always uses the index of the tenant. A table with
-- references to it has two: otherwise the check of a foreign key could read all rows of the tenant to find one by id.
select format('%s.%s', c.relname, a.attname) as what
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant'
where c.relnamespace = 'api'::regnamespace and c.relkind = 'r'
  and not coalesce(a.attoptions @> array[
    case when exists (select from pg_constraint f where f.confrelid = c.oid and f.connamespace = c.relnamespace)
      then 'n_distinct=-0.5' else 'n_distinct=-1' end], false);

-- name: plans_of_known_values
-- Queries are planned without the values of their parameters, because the choice of a plan reveals how common a
-- value is in all rows.
select format('%s plans with %s', r.rolname,
  coalesce((select s from unnest(r.rolconfig) s where s ~ '^plan_cache_mode='), 'the server''s plan_cache_mode')
) as what
from pg_roles r
where r.rolname = 'authenticated' and not coalesce(r.rolconfig @> array['plan_cache_mode=force_generic_plan'], false);
