-- after: core
-- Checks of new API keys, webhooks and calendars. PostgreSQL runs the triggers of a table by their names: the limit,
-- then the role. Each check locks its row until the transaction ends. So a second new row cannot exceed the limit,
-- and a concurrent change of the role does not miss the new row.

create or replace function auth.check_limit() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  is_full boolean;
begin
  perform from auth.users where id = new.user_id for no key update;
  execute format('select count(*) >= %s from %s where user_id = $1 and %s', tg_argv[0], tg_relid::regclass,
    coalesce(tg_argv[2], 'true'))
    into is_full using new.user_id;
  if is_full then
    raise exception using errcode = 'P0001', message = tg_argv[1];
  end if;
  return new;
end
$$;
comment on function auth.check_limit() is
  'Refuses a row if its user has the maximum number of rows. Arguments: the maximum, the code of the refusal, and '
  'the condition for rows that count.';
revoke execute on function auth.check_limit() from public;

create or replace function auth.check_role() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  perform from auth.members m
    where m.organization_id = new.organization_id and m.user_id = new.user_id
      and auth.role_rank(m.role) >= auth.role_rank(coalesce(tg_argv[0], to_jsonb(new) ->> 'role'))
    for share;
  if not found then
    raise exception using errcode = 'P0001', message = 'FORBIDDEN';
  end if;
  return new;
end
$$;
comment on function auth.check_role() is
  'Refuses a row of an organization if its user has a lower role there than the argument, or else than the row.';
revoke execute on function auth.check_role() from public;
