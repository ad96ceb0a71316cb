-- Triggers that any table may use.

create or replace function private.touch_updated_at() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  new.updated_at := now();
  return new;
end
$$;
comment on function private.touch_updated_at() is 'Sets updated_at at each update, whatever was sent.';

create or replace function private.set_timestamps() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' then
    new.created_at := old.created_at;
    new.updated_at := now();
  elsif current_user = 'authenticated' then
    -- the owner may restore rows with the times they had
    new.created_at := now();
    new.updated_at := now();
  end if;
  return new;
end
$$;
comment on function private.set_timestamps() is 'Sets created_at and updated_at, whatever was sent.';

create or replace function private.set_created_at() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' then
    new.created_at := old.created_at;
  elsif current_user = 'authenticated' then
    new.created_at := now();
  end if;
  return new;
end
$$;
comment on function private.set_created_at() is 'Sets created_at, whatever was sent.';

create or replace function private.lower_currency() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  new.currency := lower(new.currency);
  return new;
end
$$;
comment on function private.lower_currency() is 'USD and usd are the same currency; it is stored in lower case.';
