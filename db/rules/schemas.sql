-- What each schema is for, and who may enter it.

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
