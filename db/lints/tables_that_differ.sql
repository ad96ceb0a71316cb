-- The policies, grants and turns of the tables that callers write are those of tags, but for the name, and for what is named here.
with rules as (
  select tablename, cmd, regexp_replace(format('%s, %s', qual, with_check), '\s+', ' ', 'g') as rule from pg_policies where schemaname = 'api'
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
  from rules where tablename <> 'app_subscriptions'
)
select format('%s: policy for %s', c.tablename, c.cmd) as what
from common c join common usual on usual.tablename = 'tags' and usual.cmd = c.cmd
where c.rule <> usual.rule
union all
select format('%s: %s of %s', c.relname, privilege, grantee)
from pg_class c, unnest(array['anon', 'authenticated']) as grantee, unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE']) as privilege
where c.relnamespace = 'api'::regnamespace and c.relkind = 'r'
  and has_table_privilege(grantee, c.oid, privilege) <> (privilege = 'SELECT' or grantee = 'authenticated'
    -- callers write no activity, no paid subscriptions and no imports; they may delete an import
    and case c.relname when 'imports' then privilege = 'DELETE' else c.relname not in ('activity', 'app_subscriptions') end)
union all
select format('%s: turn', c.relname) from pg_class c
where c.relnamespace = 'api'::regnamespace and c.relkind = 'r' and has_table_privilege('authenticated', c.oid, 'DELETE')
  -- of the statement, before an insert, update or delete
  and not exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgfoid = 'private.take_turn()'::regprocedure and t.tgtype = 30 and t.tgenabled = 'O')
