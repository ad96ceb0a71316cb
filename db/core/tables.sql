-- after: core/reset

create domain private."application/vnd.rest.object+json" as json;
create type private.one_row as (seen bigint, first json);
create domain private.amount as numeric;
create domain private.day as date;
create domain private.first_day as date default current_date;
create domain private.moment as timestamptz default now();
create domain private.opening_balance as numeric default 0.00;
create domain private.quantity as numeric(14,3) default 1;
create domain private.rate as numeric(24,12);

-- Settings that both surfaces read.
create table private.settings (
  singleton boolean primary key default true,
  public_url text not null,
  key_rotation_requested_at timestamptz,
  tokens_issued_after bigint not null default 0,
  file_max_bytes bigint not null,
  files_per_transaction integer not null,
  files_quota bigint not null,
  files_team_quota bigint not null,
  constraint settings_singleton_check check (singleton)
);

create table private.role_permissions (
  role text not null,
  -- the table's name
  resource text not null,
  -- list_private also shows the organization's private dashboards
  action text not null,
  constraint role_permissions_pkey primary key (role, resource, action),
  constraint role_permissions_action_check check (
    action in ('list', 'get', 'create', 'update', 'delete', 'list_private', 'list_own')
  ),
  constraint role_permissions_role_check check (role in ('owner', 'admin', 'editor', 'viewer'))
);

create table private.tenants (
  tenant text primary key,
  position bigint not null default 0,
  change uuid not null default gen_random_uuid(),
  -- the change before it
  after uuid,
  cell text
) with (fillfactor = 50);
create index tenants_elsewhere on private.tenants (tenant) where cell is not null;
insert into private.tenants (tenant) values ('a:');
