-- Requests are planned for any value: a plan for the value asked for tells how common it is among everybody's rows.
select format('%s plans with %s', r.rolname, coalesce((select s from unnest(r.rolconfig) s where s ~ '^plan_cache_mode='), 'the server''s plan_cache_mode')) as what
from pg_roles r where r.rolname = 'authenticated' and not coalesce(r.rolconfig @> array['plan_cache_mode=force_generic_plan'], false)
