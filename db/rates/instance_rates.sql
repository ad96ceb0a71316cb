-- after: rates/tables
-- The daily download of exchange rates, for the auth service. It may store rates of the instance only by this function.

create or replace function private.store_instance_rates(
  p_days date[], p_currencies text[], p_rates numeric[]
) returns bigint
  language plpgsql volatile security definer set search_path = ''
as $$
declare
  stored bigint;
begin
  if exists (select from unnest(p_days) d where d is null or d < '1999-01-01' or d > current_date + 1) then
    perform private.invalid('a date in the rates is not between 1999 and tomorrow', 'Nothing was saved.');
  end if;
  insert into private.instance_rates as r (on_date, currency, rate)
    select u.on_date, u.currency, u.rate from unnest(p_days, p_currencies, p_rates) u (on_date, currency, rate)
    -- the bank also published currencies that the euro has replaced
    where private.is_currency(u.currency) and u.currency <> 'eur'
    on conflict (currency, on_date) do update set rate = excluded.rate where r.rate <> excluded.rate;
  get diagnostics stored = row_count;
  return stored;
end
$$;
comment on function private.store_instance_rates(date[], text[], numeric[]) is
  'Stores rates of the instance: on a day, one euro is worth the rate in a currency. Ignores currencies that are '
  'not supported. Returns the number of new and changed rates.';

grant execute on function private.store_instance_rates(date[], text[], numeric[]) to auth_service;

comment on table private.instance_rates is
  'The exchange rates of the instance: on a day, one euro was worth `rate` of the currency. Written by '
  'private.store_instance_rates().';
