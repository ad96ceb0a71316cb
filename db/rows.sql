-- The contents of every table, one row each: the number of rows, and the sum of their hashes, which does not depend
-- on their order. It skips the rows of unlogged tables, as pg_dump does, because a crash may empty these tables. For
-- a sequence the result only says whether it is past the largest number in its table. Its value is not part of a
-- snapshot. query_to_xml() is PostgreSQL's only function that runs a query from a text.
set search_path = '';
set timezone = 'UTC';
set datestyle = 'ISO';
set intervalstyle = 'postgres';
set extra_float_digits = 1;
set bytea_output = 'hex';

with ours as (
  select c.oid, c.oid::regclass::text as name, c.relkind, c.relpersistence
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  where n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
),
questions as (
  select 'rows' as kind, name,
    format(
      $$select count(*) || ' ' || coalesce(sum(hashtextextended(the_row::text, 0)::numeric), 0) as answer
        from %s the_row$$,
      name
    ) as question
  from ours where relkind = 'r' and relpersistence = 'p'
  union all
  select 'numbers', s.name,
    format(
      'select case when coalesce((select max(%I) from %s), 0) <= (select last_value from %s) then %L else %L end as '
      'answer',
      a.attname, t.name, s.name, 'past the rows', 'behind the rows')
  from ours s
  join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = s.oid and d.refclassid = 'pg_class'::regclass
    and d.deptype in ('a', 'i')
  join ours t on t.oid = d.refobjid
  join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
  where s.relkind = 'S' and t.relpersistence = 'p'
)
select kind, name,
  to_json(substring(query_to_xml(question, false, true, '')::text from '<answer>(.*)</answer>')) as definition
from questions order by kind collate "C", name collate "C";
