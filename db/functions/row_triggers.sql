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
