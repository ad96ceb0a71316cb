-- after: core/reset
-- Steps that the before_row() triggers of the tables share. They apply to requests. The owner of the database and the
-- actions of foreign keys are exempt.
--
-- The owner pair is user_id and organization_id. The columns' defaults fill both from the token. before_row() refuses
-- another user's id and any change of the pair. A policy cannot refuse a change, because it does not see the old row.

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
comment on function private.row_exists(text, uuid) is
  'Whether a table has a row with this id, including rows that the caller does not see.';

create or replace function private.may_name_row() returns boolean
  language sql stable
  return current_setting('request.method', true) = 'PUT'
    or current_setting('request.headers', true) like '%resolution=%';
comment on function private.may_name_row() is
  'Whether the request can name an existing row: a PUT or an upsert. The planner inlines it, because a bulk creation '
  'asks for each row.';

create or replace function private.reject_hidden_row(p_table text, p_id uuid) returns void
  language plpgsql stable set search_path = ''
as $$
declare
  visible boolean;
begin
  execute format('select exists (select from api.%I where id = $1)', p_table) into visible using p_id;
  -- row security refuses it too, but with another message
  if not visible and private.row_exists(p_table, p_id) then
    perform private.deny(p_table);
  end if;
end
$$;
comment on function private.reject_hidden_row(text, uuid) is
  'Refuses a PUT or an upsert on the id of a row that the caller does not see.';

create or replace function private.owner_of_new(p_table text, p_id uuid, p_user_id text) returns text
  language plpgsql set search_path = ''
as $$
declare
  settled boolean;
begin
  if private.may_name_row() then
    perform private.reject_hidden_row(p_table, p_id);
  end if;
  if p_user_id = public.uid() then
    return p_user_id;
  end if;
  -- an upsert or a PUT may send another member's row back unchanged, with that member's user_id
  execute format('select exists (select from api.%I where id = $1 and user_id is not distinct from $2)', p_table)
    into settled using p_id, p_user_id;
  if settled then
    return p_user_id;
  end if;
  if p_user_id is not null then
    perform private.deny(p_table);
  end if;
  return public.uid();
end
$$;
comment on function private.owner_of_new(text, uuid, text) is
  'Returns the user_id of a caller''s new row: the caller''s own id if null was sent. Refuses another user''s id.';

create or replace function private.is_merge() returns boolean
  language sql stable
  return current_setting('request.headers', true) like '%resolution=merge-duplicates%';
comment on function private.is_merge() is 'Whether the request is an upsert that updates existing rows.';

-- An upsert that names a row twice. PostgREST 12.0 returns the code and status below; PostgREST 16 returns PostgreSQL's
-- own 21000 with status 500. One request is one statement on one table. The settings hold the keys that it has named,
-- and end with it. There are 64, so that a search in one of them is short.
create or replace function private.reject_repeated_row(p_key text) returns void
  language plpgsql set search_path = ''
as $$
declare
  setting constant text := 'named_rows.n' || (hashtextextended(p_key, 0) & 63);
  named constant text := coalesce(current_setting(setting, true), '');
begin
  if strpos(named, p_key) > 0 then
    perform private.reject('21000', 'the request contains the same row twice',
      'Send each row only once. A row is identified by its key, or by its source and external_id.');
  end if;
  perform set_config(setting, named || p_key || ',', true);
end
$$;
comment on function private.reject_repeated_row(text) is
  'Refuses an upsert that names a row twice by its key: 400 with the code 21000.';

grant execute on function private.row_exists(text, uuid), private.may_name_row(), private.reject_hidden_row(text, uuid),
  private.owner_of_new(text, uuid, text), private.is_merge(), private.reject_repeated_row(text) to authenticated;

create or replace function private.left_out() returns text
  -- stable, because PostgreSQL would call an immutable function before it checks the right to the table
  language sql stable parallel safe
  return null::text;
comment on function private.left_out() is 'The default of a column that before_row() fills: null.';
grant execute on function private.left_out() to authenticated;

create or replace function private.edited_at(p_before timestamptz) returns timestamptz
  language sql stable parallel safe
  return case when current_setting('private.is_backfill', true) = 'true' then p_before else now() end;
comment on function private.edited_at(timestamptz) is
  'updated_at of a changed row. It stays in a backfill, which is not an edit: db/backfills.';
grant execute on function private.edited_at(timestamptz) to authenticated;

-- for tables that requests do not write
create or replace function private.set_updated_at() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  new.updated_at := now();
  return new;
end
$$;
comment on function private.set_updated_at() is 'Sets updated_at and ignores the value that was sent.';
