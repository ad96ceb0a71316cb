-- The owner pair is user_id and organization_id. These triggers fill both from the token, refuse somebody else's, and refuse
-- to change either once the row exists. A policy cannot do the last, because it does not see the row as it was before.
--
-- The triggers bind the callers of the data surface. They let the owner of the database and foreign keys' own actions pass.

create or replace function private.row_exists(p_table text, p_id uuid) returns boolean
  language plpgsql stable security definer set search_path = ''
as $$
declare
  answer boolean;
begin
  execute format('select exists (select from api.%I where id = $1)', p_table) into answer using p_id;
  return answer;
end
$$;
comment on function private.row_exists(text, uuid) is 'Whether an id is taken, by whomever.';
grant execute on function private.row_exists(text, uuid) to authenticated;

create or replace function private.refuse_hidden_row(p_table text, p_id uuid) returns void
  language plpgsql stable set search_path = ''
as $$
declare
  visible boolean;
begin
  -- only an upsert or PUT can reach a row that exists; row security would refuse it too, in words of its own
  if current_setting('request.method', true) = 'PUT' or current_setting('request.headers', true) like '%resolution=%' then
    execute format('select exists (select from api.%I where id = $1)', p_table) into visible using p_id;
    if not visible and private.row_exists(p_table, p_id) then
      perform private.deny(p_table);
    end if;
  end if;
end
$$;
comment on function private.refuse_hidden_row(text, uuid) is 'Refuses an upsert on the id of a row that the caller does not see.';
grant execute on function private.refuse_hidden_row(text, uuid) to authenticated;

create or replace function private.set_owner() returns trigger
  language plpgsql set search_path = ''
as $$
declare
  settled boolean;
begin
  if current_user <> 'authenticated' then
    return new;
  end if;
  perform private.refuse_hidden_row(tg_table_name, new.id);
  if new.user_id = public.uid() then
    return new;
  end if;
  -- Another member's row of this organization may be sent back as it was read, by an upsert or PUT: the owner in it is
  -- then not a claim but the truth.
  execute format('select exists (select from api.%I where id = $1 and user_id is not distinct from $2)', tg_table_name)
    into settled using new.id, new.user_id;
  if not settled then
    if new.user_id is not null then
      perform private.deny(tg_table_name);
    end if;
    new.user_id := public.uid();
  end if;
  return new;
end
$$;
comment on function private.set_owner() is 'Fills user_id from the JWT and refuses somebody else''s.';

create or replace function private.keep_owner() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if current_user = 'authenticated' then
    perform private.deny(tg_table_name);
  end if;
  return new;
end
$$;
comment on function private.keep_owner() is 'Refuses to move a row to another id, user or organization. The trigger''s condition says when.';

-- A delete has no new row that a policy could check, so the right is asked here.
create or replace function private.require_delete() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if current_user = 'authenticated' and not private.can(tg_table_name, 'delete') then
    perform private.deny(tg_table_name);
  end if;
  return old;
end
$$;
comment on function private.require_delete() is 'Refuses the delete of an organization''s row to a role without that right.';

create or replace function private.same_tenant(a_user_id text, a_organization_id text, b_user_id text, b_organization_id text)
  returns boolean
  language sql immutable parallel safe set search_path = ''
begin atomic
  select case
    when a_organization_id is null and b_organization_id is null then a_user_id = b_user_id
    else coalesce(a_organization_id = b_organization_id, false)
  end;
end;
comment on function private.same_tenant(text, text, text, text) is
  'Whether two owner pairs are one tenant: the same organization, or the same user''s personal context.';
