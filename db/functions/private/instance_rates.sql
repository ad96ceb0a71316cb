-- The daily download of exchange rates, for the auth service. It may store rates of the instance only by these functions. One process of
-- several downloads at a time.

create or replace function private.claim_rate_download(p_url text) returns boolean
  language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- another process takes over if this one ends before it completes
  update private.rate_downloads
    set failures = case when url = p_url then failures else 0 end, url = p_url, next_at = now() + interval '10 minutes'
    where next_at <= now() or url is distinct from p_url;
  return found;
end
$$;
comment on function private.claim_rate_download(text) is
  'Whether the caller must download the rates now: an attempt is due, or the URL is another than at the last one. No other process gets true for ten minutes.';

create or replace function private.store_instance_rates(p_days date[], p_currencies text[], p_rates numeric[]) returns bigint
  language plpgsql volatile security definer set search_path = ''
as $$
declare
  stored bigint;
begin
  if exists (select from unnest(p_days) d where d is null or d < '1999-01-01' or d > current_date + 1) then
    perform private.invalid('a day of the rates is not between 1999 and tomorrow', 'Nothing was stored.');
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
  'Stores rates of the instance: on a day, one euro is worth the rate in a currency. Ignores currencies that are not supported. Returns the number of new and changed rates.';

-- The bank publishes at about 16:00 in Frankfurt.
create or replace function private.complete_rate_download() returns void
  language sql volatile security definer set search_path = ''
begin atomic
  update private.rate_downloads set
    failures = 0, stored_at = now(),
    next_at = (((now() at time zone 'Europe/Berlin' - interval '17 hours')::date + 1) + time '17:00') at time zone 'Europe/Berlin';
end;
comment on function private.complete_rate_download() is 'Ends a successful download. The next one is due at 17:00 in Frankfurt.';

create or replace function private.fail_rate_download() returns void
  language sql volatile security definer set search_path = ''
begin atomic
  update private.rate_downloads set failures = failures + 1, next_at = now() + least(interval '6 hours', interval '5 minutes' * 2 ^ least(failures, 10));
end;
comment on function private.fail_rate_download() is 'Ends a failed download. The next one is due in 5 minutes, after further failures in twice the time, at most in 6 hours.';

create or replace function private.rate_download_failures() returns bigint
  language sql stable security definer set search_path = ''
  return (select failures from private.rate_downloads);
comment on function private.rate_download_failures() is 'The number of failed downloads of exchange rates since the last successful one.';

grant execute on function private.claim_rate_download(text), private.store_instance_rates(date[], text[], numeric[]), private.complete_rate_download(),
  private.fail_rate_download(), private.rate_download_failures() to auth_service;
