-- Roles belong to the whole server, so each may already exist. db/migrate.ts sets the passwords on every run.

do $roles$
declare
  wanted text;
begin
  foreach wanted in array array['anon', 'authenticated', 'authenticator', 'auth_service'] loop
    begin
      execute format('create role %I nologin noinherit', wanted);
    exception
      -- another database of this server, perhaps at this very moment, has created it
      when duplicate_object or unique_violation then null;
    end;
  end loop;
end
$roles$;
comment on role anon is 'A data request without a token.';
comment on role authenticated is 'A data request with a valid token.';
comment on role authenticator is
  'PostgREST''s login. Holds no right of its own; becomes anon or authenticated for each request.';
comment on role auth_service is
  'The auth service''s login. Reaches schema auth, the queue of jobs, and what it must read of a user''s plan.';

grant anon, authenticated to authenticator;

-- A function is executable by everyone unless this says otherwise. Only the global form works: the per-schema form can
-- add to the default but never take from it.
alter default privileges revoke execute on functions from public;
revoke create on schema public from public;

create schema if not exists api;
create schema if not exists auth;
create schema if not exists private;
-- private.postgrest_processes() must see what the login's sessions wait for, which only a member of its role may.
grant authenticator to current_user;
