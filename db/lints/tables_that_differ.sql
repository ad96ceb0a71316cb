-- The policies, grants and locks of the tables with an owner pair are those of tags, but for the name, and for what is named here.
with owned as (
  select c.oid, c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
  where c.relnamespace = 'api'::regnamespace and c.relkind = 'r'
), rules as (
  select tablename, cmd, regexp_replace(regexp_replace(format('%s, %s', qual, with_check), '\s+', ' ', 'g'), '\mpublic\.', '', 'g') as rule from pg_policies join owned on relname = tablename where schemaname = 'api'
), common as (
  select tablename, cmd, replace(
      case tablename
        -- a viewer sees what is shared
        when 'dashboards' then replace(rule,
          ' AND ((visibility = ANY (ARRAY[''shared''::text, ''public''::text])) OR ( SELECT private.can(''dashboards''::text, ''list_private''::text) AS can))', '')
        -- a list reads no row that is older than its page
        when 'transactions' then replace(rule,
          ' AND ((transaction_date)::timestamp with time zone >= ( SELECT CASE WHEN ("right"(rtrim(split_part(current_query(), '' ORDER BY "api"."transactions"."transaction_date" DESC''::text, 1)), 7)'
          || ' = ANY (ARRAY[''ON TRUE''::text, ''ctions"''::text, ''IS NULL''::text])) THEN private.oldest_of_page(private.rows_of_page(''transactions''::text))'
          || ' ELSE ''-infinity''::timestamp with time zone END AS "case"))', '')
        -- an editor sees what they have done
        when 'activity' then replace(rule,
          ' OR ((organization_id = ( SELECT org_id() AS org_id)) AND (actor_id = ( SELECT uid() AS uid)) AND ( SELECT private.can(''activity''::text, ''list_own''::text) AS can))', '')
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
from owned c, unnest(array['anon', 'authenticated']) as grantee, unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE']) as privilege
where has_table_privilege(grantee, c.oid, privilege) <> (privilege = 'SELECT' or grantee = 'authenticated'
    -- callers write no activity and no imports; they may delete an import
    and case c.relname when 'imports' then privilege = 'DELETE' else c.relname <> 'activity' end)
union all
select format('%s: lock of the tenants', c.relname) from owned c
where has_table_privilege('authenticated', c.oid, 'DELETE')
  -- of the statement, before an insert, update or delete
  and not exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgfoid = 'private.lock_tenants_of_statement()'::regprocedure and t.tgtype = 30 and t.tgenabled = 'O')
