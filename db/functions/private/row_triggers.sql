-- Triggers that any table may use.

create or replace function private.set_timestamps() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  -- the owner of the database may restore a row with the times it had
  if tg_op = 'INSERT' and current_user <> 'authenticated' then
    return new;
  end if;
  -- the deletion of a user clears the column, and is no change of what anybody has written
  if tg_op = 'UPDATE' and tg_table_schema = 'api' and current_user <> 'authenticated' then
    if new.user_id is distinct from old.user_id then
      return new;
    end if;
  end if;
  if 'created_at' = any (tg_argv) then
    new.created_at := case tg_op when 'INSERT' then now() else old.created_at end;
  end if;
  if 'updated_at' = any (tg_argv) then
    new.updated_at := now();
  end if;
  return new;
end
$$;
comment on function private.set_timestamps() is 'Sets created_at and updated_at, whatever was sent; of the two those that the trigger names. A user who is deleted leaves both as they are.';

create or replace function private.keep_identity() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if current_user = 'authenticated' then
    perform private.deny(tg_table_name);
  end if;
  return new;
end
$$;
comment on function private.keep_identity() is 'Refuses a caller who gives a row another id, user or organization. The trigger''s condition says when.';

create or replace function private.lower_currency() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  new.currency := lower(new.currency);
  return new;
end
$$;
comment on function private.lower_currency() is 'Stores a currency in lower case, because USD and usd are the same.';

create or replace function private.lower_currencies() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  new.base := lower(new.base);
  new.quote := lower(new.quote);
  return new;
end
$$;
comment on function private.lower_currencies() is 'Stores the two currencies of an exchange rate in lower case.';

create or replace function private.lower_budget_currency() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  new.budget_currency := lower(new.budget_currency);
  return new;
end
$$;
comment on function private.lower_budget_currency() is 'Stores the currency of a category''s budget in lower case.';
