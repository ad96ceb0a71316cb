-- An index leads with every foreign key.
select format('%s: %s', k.conrelid::regclass, k.conname) as what
from pg_constraint k
where k.contype = 'f' and k.connamespace in ('api'::regnamespace, 'auth'::regnamespace)
  and not exists (
    select from pg_index i
    where i.indrelid = k.conrelid and (i.indkey::smallint[])[0:cardinality(k.conkey) - 1] @> k.conkey
      -- of rows that have the reference at all
      and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) ~ '^\(\w+ IS NOT NULL\)$'))
