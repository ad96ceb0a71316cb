-- Teams.

create table auth.organizations (
  id text primary key,
  name text not null,
  slug text not null,
  logo text,
  metadata text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint organizations_slug_unique unique (slug)
);
comment on table auth.organizations is 'A team. Deleting one deletes all of its data.';
comment on column auth.organizations.metadata is 'A JSON object as text, because the engine writes it so.';

grant select, insert, update, delete on auth.organizations to auth_service;

-- requires functions/row_triggers.sql
create trigger organizations_updated_at
  before update on auth.organizations
  for each row execute function private.touch_updated_at();
