-- Every policy asks whose row it is: the caller's claims, or the transaction that the row is part of.
select format('%s on %s', policyname, tablename) as what from pg_policies
where schemaname = 'api' and (
  (qual is not null and qual !~ 'uid\(\)' and qual !~ 'FROM api\.transactions t')
  or (with_check is not null and with_check !~ 'uid\(\)' and with_check !~ 'FROM api\.transactions t'))
