-- name: triggers_unordered
-- The name of a trigger begins with a digit: names are the order, and ours must run before RI_ConstraintTrigger_c_….
select format('%s on %s', t.tgname, t.tgrelid::regclass) as what from pg_trigger t join pg_class c on c.oid = t.tgrelid
where c.relnamespace = 'api'::regnamespace and not t.tgisinternal and t.tgname !~ '^[1-9]_[a-z_]+$';

-- name: before_row_incomplete
-- Every table that requests write has a before_row() for insert, update and delete, with all shared steps.
with tables as (
  select c.oid, c.relname as name, c.relname in ('line_items', 'transaction_tags') as is_part,
    has_table_privilege('authenticated', c.oid, 'INSERT') as is_sent,
    coalesce((
      select regexp_replace(f.prosrc, '\s+', ' ', 'g') from pg_trigger t join pg_proc f on f.oid = t.tgfoid
      where t.tgrelid = c.oid and t.tgtype = 31 and t.tgenabled = 'O' and f.proname = c.relname || '_before_row'
    ), '') as source
  from pg_class c
  where c.relnamespace = 'api'::regnamespace and c.relkind = 'r'
    and has_table_privilege('authenticated', c.oid, 'INSERT, UPDATE, DELETE')
), columns as (
  select t.name, t.source, t.is_sent, a.attname as column, a.attnotnull as is_needed,
    a.atttypid in ('private.amount'::regtype, 'private.opening_balance'::regtype) as is_amount,
    a.atttypid = 'text'::regtype and (a.attname ~ 'currency$' or exists (
      select from pg_constraint k
      where k.conrelid = t.oid and k.contype = 'c' and a.attnum = any (k.conkey)
        and pg_get_expr(k.conbin, k.conrelid) like '%[a-z]{3}%'
    )) as is_currency
  from tables t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
), steps (name, source, about, step) as (
  -- moving a widget changes no money, so dashboards have no row limit and no undo
  select name, source, 'count',
    'if private.count_exceeds_limit(tg_op) then perform private.reject_many_rows(); end if;'
    from tables where name <> 'dashboards'
  union all
  -- a deletion has no new row, so no policy check applies
  select name, source, 'right to delete',
    private.fill('if by_caller and old.organization_id is not null and not private.can(''{table}'', ''delete'') then '
      'perform private.deny(''{table}''); end if;', 'table', name)
    from tables
  union all
  select name, source, 'owner',
    format(case
      when is_part then 'owner := private.owner_of_part(%L, new.transaction_id);'
      else 'new.user_id := private.owner_of_new(%L, new.id, new.user_id);'
    end, name)
    from tables where is_sent
  union all
  select name, source, 'identity',
    format('if by_caller and (%sold.user_id is distinct from new.user_id '
      'or old.organization_id is distinct from new.organization_id) then perform private.deny(%L); end if;',
      case when name <> 'transaction_tags' then 'old.id <> new.id or ' end, name)
    from tables where is_sent
  union all
  select name, source, 'one row once',
    'if tg_op = ''INSERT'' and by_caller and private.is_merge() then perform private.reject_repeated_row(new.'
    from tables where is_sent
  union all
  select name, source, 'refusal',
    'if broken is not null then perform private.reject_row(tg_relid, tg_op, new, broken); end if;'
    from tables where is_sent
  union all
  select name, source, 'tenant', 'new.tenant := private.tenant_of(new.user_id, new.organization_id);' from tables
  union all
  -- before_row() sets the tenant, so no caller can break its check
  select t.name, t.source, k.conname, format(' then %L', k.conname)
    from tables t join pg_constraint k on k.conrelid = t.oid and k.contype = 'c'
    where is_sent and k.conname <> t.name || '_tenant_is_of_owner'
  union all
  select name, source, "column", format('when new.%I is null then %L', "column", "column")
    from columns where is_needed and is_sent and "column" <> 'tenant'
  union all
  select name, source, "column", format('new.%I := %s;', "column", value)
    from columns, unnest(
      case when is_sent then array['now()'] else '{}' end
      || case "column" when 'created_at' then 'old.created_at' else 'private.edited_at(old.updated_at)' end) as value
    where "column" in ('created_at', 'updated_at')
  union all
  select name, source, "column", step from columns cross join lateral (values
    ('if abs(new.{column}) >= 999999999999.995 and new.{column} <> ''NaN'' then '
      'perform private.reject_overflow(tg_relid, ''{column}''); end if;'),
    ('if scale(new.{column}) > 2 and not private.fits_cents(new.{column}, '),
    ('perform private.reject_row(tg_relid, tg_op, new, ''{table}_{column}_fits_currency''); end if;'),
    ('new.{column} := round(new.{column}, 2);')) as steps (template)
    cross join lateral (select private.fill(template, 'table', name, 'column', "column") as step) filled
    where is_amount
  union all
  select name, source, "column", step from columns cross join lateral (values
    ('new.{column} := lower(new.{column});'),
    ('when new.{column} is distinct from old.{column} and not private.is_currency(new.{column}) then '
      '''{table}_{column}_known''')) as steps (template)
    cross join lateral (select private.fill(template, 'table', name, 'column', "column") as step) filled
    where is_currency
)
select distinct format('%s: %s', name, about) as what from steps where position(step in source) = 0;

-- name: activity_unrecorded
-- Every table with an owner pair records its changes in activity, except the two tables without money.
select format('%s: %s', c.relname, wanted.event) as what
from pg_class c
cross join (values
  -- an AFTER trigger for each statement
  ('insert', 4, 0, '^record_(creation|association)$'),
  ('update', 16, 0, '^record_(change|association)$'),
  ('delete', 8, 0, '^record_(deletion|association)$')
) as wanted (event, bit, moment, recorder)
where c.relnamespace = 'api'::regnamespace and c.relkind in ('r', 'p') and c.relname not in ('activity', 'dashboards')
  and exists (
    select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped)
  and not exists (
    select from pg_trigger t join pg_proc f on f.oid = t.tgfoid and f.pronamespace = 'private'::regnamespace
    where t.tgrelid = c.oid and f.proname ~ wanted.recorder and t.tgenabled in ('O', 'A')
      and t.tgtype & wanted.bit > 0 and t.tgtype & 67 = wanted.moment);

-- name: changes_unnoted
-- Every change of a table of api raises the position of its tenant, in any role.
-- A trigger calls note_change(). Only activity, which records the changes of the others, has none.
select format('%s: %s', c.relname, wanted.event) as what
from pg_class c cross join (values ('insert', 4), ('update', 16), ('delete', 8)) as wanted (event, bit)
where c.relnamespace = 'api'::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'activity'
  and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'user_id' and not a.attisdropped)
  and not exists (
    select from pg_trigger t join pg_proc f on f.oid = t.tgfoid
    where t.tgrelid = c.oid and t.tgenabled in ('O', 'A') and t.tgtype & wanted.bit > 0
      and f.prosrc ~ 'private\.note_change\(');

-- name: too_many_triggers
-- A reader holds at most eight triggers of a table in mind, and seventy of api.
select format('%s: %s triggers', coalesce(c.relname, 'api'), count(*)) as what
from pg_trigger t join pg_class c on c.oid = t.tgrelid
where c.relnamespace = 'api'::regnamespace and not t.tgisinternal
group by rollup (c.relname)
having count(*) > case when grouping(c.relname) = 1 then 70 else 8 end;
