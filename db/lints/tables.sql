-- name: comments_missing
-- Every exposed schema, table, column, function and aggregate has a comment, because PostgREST serves it as
-- documentation.
select 'schema api' as what where obj_description('api'::regnamespace, 'pg_namespace') is null
union all
select c.relname
from pg_class c
where c.relnamespace = 'api'::regnamespace and c.relkind in ('r', 'p', 'v')
  and obj_description(c.oid, 'pg_class') is null
union all
select format('%s.%s', c.relname, a.attname)
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where c.relnamespace = 'api'::regnamespace and c.relkind in ('r', 'p', 'v') and col_description(c.oid, a.attnum) is null
union all
select p.oid::regprocedure::text
from pg_proc p
where p.pronamespace in ('api'::regnamespace, 'private'::regnamespace, 'public'::regnamespace)
  and obj_description(p.oid, 'pg_proc') is null
  and p.oid not in (select objid from pg_depend where classid = 'pg_proc'::regclass and deptype = 'e');

-- name: unbounded_values
-- Every value that callers write is bounded: numbers have a form that PostgREST checks and refuse NaN, texts have a
-- length, JSON has a size, a depth and plain numbers.
select format('%s.%s', c.relname, a.attname) as what
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
join pg_type t on t.oid = a.atttypid
cross join lateral (
  select coalesce(string_agg(pg_get_constraintdef(k.oid), ' ' order by k.conname), '') as checks
  from pg_constraint k
  where k.conrelid = c.oid and k.contype = 'c' and a.attnum = any (k.conkey)
) k
where c.relnamespace = 'api'::regnamespace and c.relkind = 'r'
  and has_table_privilege('authenticated', c.oid, 'INSERT, UPDATE, DELETE')
  and a.attname not in ('user_id', 'organization_id', 'tenant')
  and not case coalesce(nullif(t.typbasetype, 0), t.oid)
  -- a domain with a cast from JSON: db/core/numbers.sql
  when 'numeric'::regtype
    then checks ~ 'NaN' and exists (select from pg_cast where castsource = 'json'::regtype and casttarget = t.oid)
  when 'text'::regtype then checks ~ 'char_length|ANY|~ ''\^'
  -- PostgreSQL checks constraints in the order of their names, and plain_numbers must come before a check that
  -- prints the JSON
  when 'jsonb'::regtype
    then checks ~ 'plain_numbers.*octet_length' and checks !~ 'octet_length.*plain_numbers'
      and checks ~ 'jsonb_path_exists'
      or checks ~ 'is_date_range'
  else true
end;

-- name: owner_pairs_unprotected
-- The owner pair of a new row comes from the token. The parts of a transaction have the transaction's owner pair.
select format('%s.%s', c.relname, a.attname) as what
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attname in ('user_id', 'organization_id')
left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
where c.relnamespace = 'api'::regnamespace and c.relkind = 'r'
  and has_table_privilege('authenticated', c.oid, 'INSERT, UPDATE, DELETE')
  and not exists (select from pg_attribute part where part.attrelid = c.oid and part.attname = 'transaction_id')
  and coalesce(pg_get_expr(d.adbin, d.adrelid), '') !~ case a.attname
    when 'user_id' then 'uid\(\)$'
    else 'org_id\(\)$'
  end;

-- name: owners_deleted
-- The deletion of an organization deletes its rows, and that of a user clears user_id. The parts of a transaction
-- follow the transaction.
select format('%s.%s: %s', k.conrelid::regclass, a.attname, k.confdeltype) as what
from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
where k.contype = 'f' and k.connamespace = 'api'::regnamespace and a.attname in ('user_id', 'organization_id')
  and k.conrelid <> 'api.app_subscriptions'::regclass
  and k.confdeltype <> case a.attname when 'user_id' then 'n' else 'c' end::"char"
union all
select c.relname as what from pg_class c
where c.relnamespace = 'api'::regnamespace
  and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id')
  -- activity has no foreign keys: triggers of auth.users and auth.organizations delete its rows
  and c.relkind = 'r' and c.relname <> 'activity'
    and not exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'transaction_id')
  and 2 <> (
    select count(*) from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
    where k.conrelid = c.oid and k.contype = 'f' and a.attname in ('user_id', 'organization_id'));

-- name: tables_that_differ
-- Tables with an owner pair have the policies, grants and locks of the table tags, except for the differences listed
-- here.
with owned as (
  select c.oid, c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
  where c.relnamespace = 'api'::regnamespace and c.relkind = 'r'
), rules as (
  select tablename, cmd,
    regexp_replace(regexp_replace(format('%s, %s', qual, with_check), '\s+', ' ', 'g'), '\mpublic\.', '', 'g') as rule
  from pg_policies
  join owned on relname = tablename
  where schemaname = 'api'
), common as (
  select tablename, cmd, replace(
      case tablename
        -- a viewer sees only shared dashboards
        when 'dashboards' then regexp_replace(rule,
          '\(\(tenant = (\( SELECT private\.team_tenant\([^()]*\) AS team_tenant\))\) AND '
            || '\(\(visibility = ANY \(ARRAY\[[^]]*\]\)\) OR \( SELECT private\.can\([^()]*\) AS can\)\)\)',
              '(tenant = \1)')
        -- a list reads no row that is older than its page
        when 'transactions' then replace(rule,
          ' AND ((transaction_date)::timestamp with time zone >= '
            || '( SELECT private.oldest_of_page(private.rows_of_page(''transactions''::text)) AS oldest_of_page))', '')
        -- an editor sees the own activity
        when 'activity' then replace(rule,
          ' OR ((tenant = ( SELECT private.team_tenant(''activity''::text, ''list_own''::text) AS team_tenant))'
            || ' AND (actor_id = ( SELECT uid() AS uid)))', '')
        else rule
      end,
      quote_literal(tablename), '''tags''') as rule
  from rules
)
select format('%s: policy for %s', c.tablename, c.cmd) as what
from common c join common usual on usual.tablename = 'tags' and usual.cmd = c.cmd
where c.rule <> usual.rule
union all
select format('%s: %s of %s', c.relname, privilege, grantee)
from owned c, unnest(array['anon', 'authenticated']) as grantee,
  unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE']) as privilege
where has_table_privilege(grantee, c.oid, privilege) <> (privilege = 'SELECT' or grantee = 'authenticated'
    -- requests may not write activity or imports; they may delete an import, and rename an attachment
    and case c.relname
      when 'imports' then privilege = 'DELETE'
      when 'attachments' then privilege <> 'INSERT'
      else c.relname <> 'activity'
    end);
