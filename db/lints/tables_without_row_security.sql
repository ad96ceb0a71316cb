-- Every exposed table has row security.
select relname as what from pg_class where relnamespace = 'api'::regnamespace and relkind in ('r', 'p') and not relrowsecurity
