-- name: triggers_unordered
-- The name of a trigger begins with a digit: names are the order of execution, and ours must run before RI_ConstraintTrigger_c_….
select format('%s on %s', t.tgname, t.tgrelid::regclass) as what from pg_trigger t join pg_class c on c.oid = t.tgrelid
where c.relnamespace = 'api'::regnamespace and not t.tgisinternal and t.tgname !~ '^[1-9]_[a-z_]+$';

-- name: before_row_incomplete
-- Every table that requests write has a before_row() for insert, update and delete, with all steps that the tables share.
with tables as (
  select c.oid, c.relname as name, c.relname in ('line_items', 'transaction_tags') as is_part,
    has_table_privilege('authenticated', c.oid, 'INSERT') as is_sent,
    coalesce((
      select regexp_replace(f.prosrc, '\s+', ' ', 'g') from pg_trigger t join pg_proc f on f.oid = t.tgfoid
      where t.tgrelid = c.oid and t.tgtype = 31 and t.tgenabled = 'O' and f.proname = c.relname || '_before_row'), '') as source
  from pg_class c
  where c.relnamespace = 'api'::regnamespace and c.relkind = 'r' and has_table_privilege('authenticated', c.oid, 'INSERT, UPDATE, DELETE')
), columns as (
  select t.name, t.source, t.is_sent, a.attname as column, a.attnotnull as is_needed,
    a.atttypid in ('private.amount'::regtype, 'private.opening_balance'::regtype) as is_amount,
    a.atttypid = 'text'::regtype and (a.attname ~ 'currency$' or exists (
      select from pg_constraint k where k.conrelid = t.oid and k.contype = 'c' and a.attnum = any (k.conkey) and pg_get_expr(k.conbin, k.conrelid) like '%[a-z]{3}%'
    )) as is_currency
  from tables t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
), steps (name, source, about, step) as (
  -- moving a widget changes no money, so dashboards have no row limit and no undo
  select name, source, 'count', 'if private.count_exceeds_limit(tg_op) then perform private.refuse_many_rows(); end if;' from tables where name <> 'dashboards'
  union all
  -- a deletion has no new row, so no policy check applies
  select name, source, 'right to delete',
    format('if by_caller and old.organization_id is not null and not private.can(%L, ''delete'') then perform private.deny(%1$L); end if;', name) from tables
  union all
  select name, source, 'owner', format(case when is_part then 'owner := private.owner_of_part(%L, new.transaction_id);'
    else 'new.user_id := private.owner_of_new(%L, new.id, new.user_id);' end, name) from tables where is_sent
  union all
  select name, source, 'identity', format(
    'if by_caller and (%sold.user_id is distinct from new.user_id or old.organization_id is distinct from new.organization_id) then perform private.deny(%L); end if;',
    case when name <> 'transaction_tags' then 'old.id <> new.id or ' end, name) from tables where is_sent
  union all
  select name, source, 'one row once', 'if tg_op = ''INSERT'' and by_caller and private.is_merge() then perform private.refuse_repeated_row(new, ' from tables where is_sent
  union all
  select name, source, 'refusal', 'if broken is not null then perform private.refuse_row(tg_relid, tg_op, new, broken); end if;' from tables where is_sent
  union all
  select t.name, t.source, k.conname, format(' then %L', k.conname) from tables t join pg_constraint k on k.conrelid = t.oid and k.contype = 'c' where is_sent
  union all
  select name, source, "column", format('when new.%I is null then %L', "column", "column") from columns where is_needed and is_sent
  union all
  select name, source, "column", format('new.%I := %s;', "column", value)
    from columns, unnest(case when is_sent then array['now()'] else '{}' end || case "column" when 'created_at' then 'old.created_at' else 'now()' end) as value
    where "column" in ('created_at', 'updated_at')
  union all
  select name, source, "column", step from columns cross join lateral (values
    (format('if abs(new.%I) >= 999999999999.995 and new.%1$I <> ''NaN'' then perform private.refuse_overflow(tg_relid, %1$L); end if;', "column")),
    (format('if scale(new.%I) > 2 and not private.fits_cents(new.%1$I, ', "column")),
    (format('perform private.refuse_row(tg_relid, tg_op, new, ''%s_%s_fits_currency''); end if;', name, "column")),
    (format('new.%I := round(new.%1$I, 2);', "column"))) as steps (step) where is_amount
  union all
  select name, source, "column", step from columns cross join lateral (values
    (format('new.%I := lower(new.%1$I);', "column")),
    (format('when new.%I is distinct from old.%1$I and not private.is_currency(new.%1$I) then ''%s_%1$s_known''', "column", name))) as steps (step) where is_currency
)
select distinct format('%s: %s', name, about) as what from steps where position(step in source) = 0;

-- name: activity_unrecorded
-- Every table with an owner pair records its changes in activity, except the two tables without money.
select format('%s: %s', c.relname, wanted.event) as what
from pg_class c
cross join (values
  -- an AFTER trigger for each statement
  ('insert', 4, 0, '^record_(creation|association)$'), ('update', 16, 0, '^record_change(d_association)?$'), ('delete', 8, 0, '^record_deletion$')
) as wanted (event, bit, moment, recorder)
where c.relnamespace = 'api'::regnamespace and c.relkind in ('r', 'p') and c.relname not in ('activity', 'dashboards')
  and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped)
  and not exists (
    select from pg_trigger t join pg_proc f on f.oid = t.tgfoid and f.pronamespace = 'private'::regnamespace
    where t.tgrelid = c.oid and f.proname ~ wanted.recorder and t.tgenabled in ('O', 'A')
      and t.tgtype & wanted.bit > 0 and t.tgtype & 67 = wanted.moment);
