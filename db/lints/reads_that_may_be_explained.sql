-- Every policy for select asks private.is_not_explained(), because the planner's estimate comes from everybody's rows.
select format('%s on %s', policyname, tablename) as what from pg_policies
where schemaname = 'api' and cmd = 'SELECT' and qual !~ '^\(+private\.is_not_explained\(\) AND '
