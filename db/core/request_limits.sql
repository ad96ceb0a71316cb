-- after: core/reset
-- Limits of a data request, and its date settings. PostgREST applies the settings of a role to each request that it
-- makes as that role.
--
-- Roles belong to the whole server and its operator, so a value that is already set stays. The only exception is
-- plan_cache_mode, because
-- isolation depends on it. To change a value:
--   alter role authenticated set statement_timeout = '20s';
--   notify pgrst, 'reload config';

do $limits$
declare
  wanted record;
begin
  for wanted in
    select * from (values
      -- the longest wait that a user accepts; the slowest ordinary request, a year of a large team, takes well under
      -- 1 s
      ('authenticated', 'statement_timeout', '8s'),
      -- anon reads nothing, so a short timeout is enough
      ('anon', 'statement_timeout', '2s'),
      -- an import waits for another of the same tenant, but for a limited time
      ('authenticated', 'lock_timeout', '5s'),
      ('anon', 'lock_timeout', '1s'),
      ('authenticated', 'idle_in_transaction_session_timeout', '15s'),
      ('anon', 'idle_in_transaction_session_timeout', '15s'),
      -- a day, a month and a preset are UTC's, unless the request says `Prefer: timezone=…`
      ('authenticated', 'timezone', 'UTC'),
      ('anon', 'timezone', 'UTC'),
      -- dates are YYYY-MM-DD; ambiguous ones such as 01/02/2025 are refused
      ('authenticated', 'datestyle', 'ISO, YMD'),
      -- compiling takes longer than running the slowest of these queries
      ('authenticated', 'jit', 'off'),
      -- A plan for a known value depends on how common the value is in the rows of all tenants. The order of rows,
      -- the first error and the run time would reveal the plan.
      ('authenticated', 'plan_cache_mode', 'force_generic_plan')
    ) as settings (role, name, value)
  loop
    for attempt in 1..20 loop
      begin
        if not exists (
          select from pg_catalog.pg_roles r, unnest(r.rolconfig) as setting
          where r.rolname = wanted.role
            and lower(setting) like case when wanted.name = 'plan_cache_mode' then wanted.name || '=' || wanted.value
              else wanted.name || '=%' end
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
