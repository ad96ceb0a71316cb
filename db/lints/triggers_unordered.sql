-- Triggers of one event run in the order of their names, which begin with a digit: those before RI_ConstraintTrigger_c_… that ask for a reference too.
select format('%s on %s', t.tgname, t.tgrelid::regclass) as what from pg_trigger t join pg_class c on c.oid = t.tgrelid
where c.relnamespace = 'api'::regnamespace and not t.tgisinternal and t.tgname !~ '^[1-9]_[a-z_]+$'
