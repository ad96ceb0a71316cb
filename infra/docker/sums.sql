-- One line a table: its name, its rows, and a sum over the hashes of all rows, which is the same in whatever order they
-- are read. What pg_dump leaves out is left out here too: data of unlogged tables, which a crash may empty anyway.
set timezone = 'UTC';
select format('select %L, count(*), coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) from %I.%I t', n.nspname || '.' || c.relname, n.nspname, c.relname)
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind = 'r' and c.relpersistence = 'p' and n.nspname not in ('pg_catalog', 'information_schema')
order by n.nspname, c.relname
\gexec
