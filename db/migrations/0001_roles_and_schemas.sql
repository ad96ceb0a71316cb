-- Who may connect, where things live, and what nobody gets by default.
--
-- Roles belong to the whole server, not to this database, so each may already exist. Passwords are not set here: a
-- migration runs once and passwords change; db/migrate.ts sets them on every run.

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
comment on role authenticator is 'PostgREST''s login. Holds no right of its own; becomes anon or authenticated for each request.';
comment on role auth_service is 'The auth service''s login. Reaches schema auth, its mail queue, and what it must read of a user''s plan.';

grant anon, authenticated to authenticator;

-- A function is executable by everyone unless this says otherwise. Only the global form works: the per-schema form can
-- add to the default but never take from it.
alter default privileges revoke execute on functions from public;
revoke create on schema public from public;

create schema api;
create schema auth;
create schema if not exists private;
-- graphile-worker keeps its own tables and migrates them itself, as the service that runs it.
grant auth_service to current_user;
-- private.postgrest_processes() must see what the login's sessions wait for, which only a member of its role may.
grant authenticator to current_user;
create schema graphile_worker authorization auth_service;

comment on schema public is 'The three claim functions, so that they resolve everywhere. Nothing here is exposed over HTTP.';
comment on schema api is
$$Personal and team finance

Tables and functions of the data surface. Send `Authorization: Bearer <JWT>` with a token from POST /api/auth/token. A row belongs to one user (personal context, organization_id is null) or to an organization (team context); who sees and changes what is decided by row rules from the token's claims.$$;
comment on schema auth is 'Accounts, sessions, organizations and keys: the auth service''s tables. Not reachable by the data surface.';
comment on schema private is 'Machinery behind the two surfaces: permissions, settings, migrations. Not exposed.';
comment on schema graphile_worker is 'The mail queue''s own tables, owned and migrated by graphile-worker.';

grant usage on schema api to anon, authenticated;
grant usage on schema private to anon, authenticated, authenticator, auth_service;
grant usage on schema auth to auth_service;

-- What both surfaces must agree on and neither can know alone.
create table private.settings (
  singleton boolean primary key default true check (singleton),
  public_url text not null,
  key_rotation_requested_at timestamptz
);
comment on table private.settings is 'One row.';
comment on column private.settings.public_url is 'base_url of the service: the only audience a token may name. Written by db/migrate.ts on every run.';
comment on column private.settings.key_rotation_requested_at is 'When an operator last asked for a new signing key.';
grant select on private.settings, private.migrations to auth_service;

-- requires functions/claims.sql
