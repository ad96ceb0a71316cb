-- after: core/permissions
-- A tenant owns rows: u:<user id> the personal ones of a user, o:<organization id> those of an organization.
--
-- Its position counts the transactions that have written to it. The first change of a transaction raises it
-- (db/changes). The lock of the row lasts until the commit, so the writers of a tenant take turns, and positions are in
-- the order of the commits, without gaps.
--
-- pre_request() locks the tenants of a request that may write. Without this, two statements that change the same rows
-- in opposite orders could deadlock. PostgreSQL would cancel one of them with 40P01, which PostgREST returns as 500.
-- Examples are a bulk update against an upsert, and the deletion of a category against a row that gets the category.
--
-- All transactions lock tenants in descending order, so the locks cannot deadlock: a request its user and then its
-- organization. A job of the owner locks the tenants before their rows, because a request may wait for these rows.
--
-- a:<user id> owns no rows. Its change is another one after each end of a session, membership, role or key of the user.
-- The row a: is for all users.
--
-- The rows of a tenant can be in another database: its cell. This database then refuses each request and each write of
-- the tenant, also if it still has a former copy of the rows. Only `admin tenant move` sets the cell.
--
-- The functions without arguments are about the caller. Policies write (select private.personal_tenant()), so that a
-- query evaluates it once.

create or replace function private.tenant_of(p_user_id text, p_organization_id text) returns text
  -- without a SET clause, so that the planner can inline it into the query
  language sql immutable parallel safe
  return case when p_organization_id is null then 'u:' || p_user_id else 'o:' || p_organization_id end;
comment on function private.tenant_of(text, text) is
  'The tenant of an owner pair: o:<organization id>, or u:<user id> without an organization.';

create or replace function private.add_tenants() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.tenants (tenant)
    select kind || new.id
    from unnest(case tg_table_name when 'users' then array['u:', 'a:'] else array['o:'] end) as kind
    on conflict do nothing;
  return null;
end
$$;
comment on function private.add_tenants() is 'Adds the tenants of a new user or organization.';

create or replace function private.lock_tenant(p_tenant text) returns void
  language sql volatile security definer set search_path = ''
begin atomic
  select from private.tenants where tenant = p_tenant for no key update;
end;
comment on function private.lock_tenant(text) is 'Waits until no other transaction writes to a tenant.';

create or replace function private.lock_tenant_of_request(p_tenant text) returns void
  language plpgsql strict security definer set search_path = ''
as $$
begin
  -- most requests wait for no other one, and then need no subtransaction
  perform from private.tenants where tenant = p_tenant for no key update skip locked;
  if not found then
    begin
      perform private.lock_tenant(p_tenant);
    exception
      when lock_not_available then
        raise sqlstate 'PT409' using
          message = 'another change to this data is still in progress',
          hint = 'Nothing was saved. Try again.';
    end;
  end if;
end
$$;
comment on function private.lock_tenant_of_request(text) is
  'Waits until no other transaction writes to a tenant. Raises 409 if that takes longer than lock_timeout.';

create or replace function private.lock_tenants() returns void
  language plpgsql volatile set search_path = ''
as $$
begin
  perform private.lock_tenant_of_request(private.personal_tenant());
  -- A role without the right to write must not delay the members who write. A role that may write rows of any table may
  -- write transactions.
  perform private.lock_tenant_of_request(private.team_tenant('transactions', 'create'));
end
$$;
comment on function private.lock_tenants() is 'Locks the tenants to which the caller may write.';
grant execute on function private.tenant_of(text, text) to authenticated, auth_service;

create or replace function private.reject_elsewhere() returns void
  language plpgsql volatile set search_path = ''
as $$
begin
  perform private.reject('TENANT_MOVED', 'this workspace is in another database',
    'Nothing was saved. Send the request to that database.', 503, '{"Retry-After": "1"}');
end
$$;
comment on function private.reject_elsewhere() is
  'Refuses a request of a tenant whose rows are in another database: 503.';

create or replace function private.is_elsewhere(p_tenant text) returns boolean
  language sql stable security definer set search_path = ''
begin atomic
  select exists (select from private.tenants where tenant = p_tenant and cell is not null);
end;
comment on function private.is_elsewhere(text) is 'Whether the rows of a tenant are in another database.';
grant execute on function private.is_elsewhere(text) to auth_service;

create or replace function private.raise_position(p_tenant text) returns void
  language plpgsql volatile security definer set search_path = ''
as $$
declare
  of_transaction text := nullif(current_setting('private.change', true), '');
  elsewhere text;
begin
  if of_transaction is null then
    -- the setting ends with the transaction
    of_transaction := set_config('private.change', gen_random_uuid()::text, true);
  end if;
  update private.tenants set position = position + 1, change = of_transaction::uuid, after = change
    where tenant = p_tenant and change <> of_transaction::uuid
    returning cell into elsewhere;
  if elsewhere is not null then
    perform private.reject_elsewhere();
  end if;
end
$$;
comment on function private.raise_position(text) is
  'Raises the position of a tenant, once in a transaction. Refuses a tenant whose rows are in another database.';

comment on table private.tenants is
  'The position of each tenant: the number of transactions that have changed its rows.';
comment on column private.tenants.change is
  'A random id of the transaction that raised the position. After a restore another transaction can have the position.';
comment on column private.tenants.after is 'The change of the position before.';
comment on column private.tenants.cell is
  'The database that has the rows of the tenant. Null: this one.';

create or replace function private.personal_tenant() returns text
  language sql stable parallel safe
  return 'u:' || private.personal_id();
comment on function private.personal_tenant() is
  'The tenant of the caller''s personal rows; null for a token of a team''s API key.';

create or replace function private.team_tenant(p_resource text, p_action text) returns text
  -- a body of SQL would be planned again in each query
  language plpgsql stable parallel safe set search_path = ''
as $$
begin
  return case when private.can(p_resource, p_action) then 'o:' || public.org_id() end;
end
$$;
comment on function private.team_tenant(text, text) is
  'The tenant of the active organization if the caller''s role has this right there; null otherwise.';

create or replace function private.context_tenant() returns text
  language sql stable parallel safe
  return private.tenant_of(public.uid(), public.org_id());
comment on function private.context_tenant() is
  'The tenant of the caller''s context: the active organization, or the user without one.';
grant execute on function private.personal_tenant(), private.team_tenant(text, text), private.context_tenant()
  to authenticated;
