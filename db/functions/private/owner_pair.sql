-- The owner pair is user_id and organization_id. The columns' defaults fill both from the token. set_owner() refuses
-- somebody else's user_id, and keep_identity() in row_triggers.sql any change of the pair. A policy cannot refuse a change,
-- because it does not see the row as it was.
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
comment on function private.row_exists(text, uuid) is 'Whether a table has a row of this id, also one that the caller does not see.';
grant execute on function private.row_exists(text, uuid) to authenticated;

create or replace function private.refuse_hidden_row(p_table text, p_id uuid) returns void
  language plpgsql stable set search_path = ''
as $$
declare
  visible boolean;
begin
  -- only an upsert or a PUT reaches a row that exists; row security refuses it too, but in other words
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
  -- an upsert or a PUT may send another member's row back as it was read, with that member's user_id
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
comment on function private.set_owner() is 'Fills user_id from the JWT where null was sent, and refuses somebody else''s.';

-- A policy for delete can hide a row but not refuse, so the right is asked here.
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
comment on function private.require_delete() is 'Refuses a role without the right to delete an organization''s row.';

create or replace function private.same_tenant(a_user_id text, a_organization_id text, b_user_id text, b_organization_id text)
  returns boolean
  -- no setting of its own: it becomes part of the query that asks it for each row
  language sql immutable parallel safe
begin atomic
  select case
    when a_organization_id is null and b_organization_id is null then a_user_id = b_user_id
    else coalesce(a_organization_id = b_organization_id, false)
  end;
end;
comment on function private.same_tenant(text, text, text, text) is
  'Whether two owner pairs are one tenant: the same organization, or the same user''s personal context.';
