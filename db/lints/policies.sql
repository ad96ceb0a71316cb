-- name: tables_without_row_security
-- Every exposed table has row security.
select relname as what
from pg_class
where relnamespace = 'api'::regnamespace and relkind in ('r', 'p') and not relrowsecurity;

-- name: policies_per_command
-- Every exposed table has exactly one permissive policy for each command that is granted, and it applies only to
-- authenticated.
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
where schemaname = 'api' and (permissive <> 'PERMISSIVE' or roles <> '{authenticated}' or cmd = 'ALL');

-- name: policies_without_owner
-- Every policy compares the owner of the row with the caller's claims.
select format('%s on %s', policyname, tablename) as what from pg_policies
where schemaname = 'api' and (qual is not null and qual !~ '(uid|personal_id|personal_tenant)\(\)'
  or with_check is not null and with_check !~ '(uid|personal_id|personal_tenant)\(\)');

-- name: claims_called_per_row
-- A policy calls the claim and permission functions as (select …), so that a query evaluates each of them once and
-- not for each row.
select format('%s on %s', policyname, tablename) as what
from pg_policies, lateral (select coalesce(qual, '') || ' ' || coalesce(with_check, '') as rule) r
where schemaname = 'api'
  and regexp_replace(r.rule,
    '\( SELECT (public\.|private\.)?(uid|org_id|org_role|personal_id|personal_tenant)\(\) AS [a-z_]+\)|'
    '\( SELECT private\.(can|team_tenant)\([^()]*\) AS [a-z_]+\)',
    '', 'g')
    ~ '(uid|org_id|org_role|personal_id|personal_tenant|can|team_tenant)\(';

-- name: checks_that_do_not_reject
-- The check of every insert and update policy is a CASE that ends in private.deny(), which raises "permission denied".
select format('%s on %s', policyname, tablename) as what from pg_policies
where schemaname = 'api' and cmd in ('INSERT', 'UPDATE')
  and (
    with_check is null
    or with_check !~ format('^\s*CASE\s+WHEN .* THEN true\s+ELSE private\.deny\(''%s''::text\)\s+END$', tablename));

-- name: reads_that_may_be_explained
-- Every policy for select calls private.is_not_explained(), because the planner's estimate uses the rows of all
-- tenants.
select format('%s on %s', policyname, tablename) as what from pg_policies
where schemaname = 'api' and cmd = 'SELECT' and qual !~ '^\(+private\.is_not_explained\(\) AND ';
