-- What one data request may cost, and how it reads dates. PostgREST applies a role's settings to each request it makes as that role.
--
-- Roles belong to the whole server and its operator, so a value that is already set stays as it is, but for
-- plan_cache_mode, which is no matter of taste. To change one:
--   alter role authenticated set statement_timeout = '20s';
--   notify pgrst, 'reload config';

do $limits$
declare
  wanted record;
begin
  for wanted in
    select * from (values
      -- 8 s is the longest a person waits; the slowest honest question, a year of a large team, takes well under 1 s
      ('authenticated', 'statement_timeout', '8s'),
      -- anon reads nothing
      ('anon', 'statement_timeout', '2s'),
      -- one import waits for another of the same tenant, but not for ever
      ('authenticated', 'lock_timeout', '5s'),
      ('anon', 'lock_timeout', '1s'),
      ('authenticated', 'idle_in_transaction_session_timeout', '15s'),
      ('anon', 'idle_in_transaction_session_timeout', '15s'),
      -- a day, a month and a preset are UTC's, unless the request says `Prefer: timezone=…`
      ('authenticated', 'timezone', 'UTC'),
      ('anon', 'timezone', 'UTC'),
      -- dates are YYYY-MM-DD; 01/02/2025, which means two days, is refused instead of guessed
      ('authenticated', 'datestyle', 'ISO, YMD'),
      -- compiling a query takes longer than running the longest of these
      ('authenticated', 'jit', 'off'),
      -- A plan that knows the value asked for is chosen by how common the value is among everybody's rows. Which plan it was
      -- shows in the order of rows, in which error comes first, and in the time.
      ('authenticated', 'plan_cache_mode', 'force_generic_plan')
    ) as settings (role, name, value)
  loop
    for attempt in 1..20 loop
      begin
        if not exists (
          select from pg_catalog.pg_roles r, unnest(r.rolconfig) as setting
          where r.rolname = wanted.role
            and lower(setting) like case when wanted.name = 'plan_cache_mode' then wanted.name || '=' || wanted.value else wanted.name || '=%' end
        ) then
          execute format('alter role %I set %I = %L', wanted.role, wanted.name, wanted.value);
        end if;
        exit;
      exception
        -- "tuple concurrently updated": another database of this server is being migrated at this very moment
        when internal_error then
          if attempt = 20 then raise; end if;
          perform pg_sleep(0.05);
      end;
    end loop;
  end loop;
end
$limits$;
