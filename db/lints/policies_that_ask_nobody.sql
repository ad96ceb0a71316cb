-- Every policy asks whose row it is, by the caller's claims.
select format('%s on %s', policyname, tablename) as what from pg_policies
where schemaname = 'api' and (qual is not null and qual !~ '(uid|personal_id)\(\)' or with_check is not null and with_check !~ '(uid|personal_id)\(\)')
