-- after: calendars/tables
-- The due days behind the address of a calendar. The function knows the tenant by the secret alone, so the auth
-- service cannot read the due days of another one.

create or replace function private.calendar_days(p_secret_hash bytea)
  returns table (
    name text, organization text, subscription_id uuid, title text, due_on date, kind text, amount numeric,
    currency text)
  language plpgsql volatile security definer set search_path = ''
as $$
declare
  most_days constant integer := 2000;
  today constant date := (now() at time zone 'UTC')::date;
  calendar auth.calendars;
  member_role text;
  organization_name text;
  former_claims constant text := current_setting('request.jwt.claims', true);
  first_day date := today - 31;
  days integer := 0;
  found_days integer;
begin
  select c.* into calendar from auth.calendars c where c.secret_hash = p_secret_hash;
  if calendar.id is null then
    return;
  end if;
  if calendar.organization_id is not null then
    select m.role, o.name into member_role, organization_name
      from auth.members m join auth.organizations o on o.id = m.organization_id
      join private.role_permissions p on p.role = m.role and p.resource = 'subscriptions' and p.action = 'list'
      where m.organization_id = calendar.organization_id and m.user_id = calendar.user_id;
    if member_role is null then
      return;
    end if;
  end if;
  update auth.calendars c set last_read_at = now()
    where c.id = calendar.id and (c.last_read_at is null or c.last_read_at < now() - interval '1 minute');
  -- the calendar exists, also without due days
  return query select calendar.name, organization_name, null::uuid, null::text, null::date, null::text, null::numeric,
    null::text;
  perform set_config('request.jwt.claims', jsonb_strip_nulls(jsonb_build_object('user_id', calendar.user_id,
    'claims', jsonb_build_object('organization_id', calendar.organization_id, 'organization_role', member_role)))::text,
    true);
  -- by the month, so that many due days take no more time than the first two thousand
  while first_day <= today + 366 and days < most_days loop
    begin
      return query
        select calendar.name, organization_name, d.subscription_id, d.title, d.due_on, d.kind,
          case when calendar.has_amounts then d.amount end,
          case when calendar.has_amounts then d.currency end
        from private.due_occurrences(first_day, least(first_day + 30, today + 366), private.max_occurrences()) d
        order by d.due_on, d.title, d.subscription_id limit most_days - days;
      get diagnostics found_days = row_count;
    exception when invalid_parameter_value then
      -- a month with more due days than a report adds up ends the calendar
      exit;
    end;
    days := days + found_days;
    first_day := first_day + 31;
  end loop;
  perform set_config('request.jwt.claims', coalesce(former_claims, ''), true);
end
$$;
comment on function private.calendar_days(bytea) is
  'The due days of a calendar''s context, from 31 days ago to 366 days from now, at most 2,000 and the earliest '
  'first. The first row is the calendar without a day. Amounts are null unless the calendar has them. No row for an '
  'unknown secret.';
grant execute on function private.calendar_days(bytea) to auth_service;
