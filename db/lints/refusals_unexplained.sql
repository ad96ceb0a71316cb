-- What refuses a caller's value says what the column takes: each constraint, each value that must be there, each reference.
with written as (
  select c.oid, c.relname,
    coalesce((
      select replace(pg_get_triggerdef(t.oid), 'new.', '') from pg_trigger t where t.tgrelid = c.oid and t.tgfoid = 'private.explain_refusal()'::regprocedure and t.tgtype & 23 = 23), '') as explained
  from pg_class c
  where c.relnamespace = 'api'::regnamespace and c.relkind = 'r'
    and (has_table_privilege('authenticated', c.oid, 'insert') or has_table_privilege('authenticated', c.oid, 'update'))
)
select format('%s: %s', w.relname, k.conname) as what
from written w join pg_constraint k on k.conrelid = w.oid and k.contype = 'c'
where position(format('(%s IS FALSE)', pg_get_expr(k.conbin, k.conrelid)) in w.explained) = 0
union all
select format('%s.%s', w.relname, a.attname)
from written w join pg_attribute a on a.attrelid = w.oid and a.attnum > 0 and not a.attisdropped and a.attnotnull
where position(format('(%I IS NULL)', a.attname) in w.explained) = 0
union all
-- a trigger that comes after the foreign key's own never meets an unknown id
select format('%s on %s', t.tgname, w.relname)
from written w join pg_trigger t on t.tgrelid = w.oid join pg_proc p on p.oid = t.tgfoid
where t.tgtype & 3 = 1 and not t.tgisinternal and p.prosrc ~ 'private\.refuse_reference\(' and t.tgname > 'RI_'
