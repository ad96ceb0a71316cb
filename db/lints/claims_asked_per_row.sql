-- A policy calls the claim and permission functions as (select …), so that each is asked once a query and not once a row.
select format('%s on %s', policyname, tablename) as what
from pg_policies, lateral (select coalesce(qual, '') || ' ' || coalesce(with_check, '') as rule) r
where schemaname = 'api'
  and regexp_replace(r.rule, '\( SELECT (public\.|private\.)?(uid|org_id|org_role|personal_id)\(\) AS [a-z_]+\)|\( SELECT private\.can\([^()]*\) AS can\)', '', 'g') ~ '(uid|org_id|org_role|personal_id|can)\('
