-- after: rates/tables

create or replace function private.instance_currencies() returns setof text
  language sql stable security definer rows 40 set search_path = ''
begin atomic
  -- one index look-up for each currency, of possibly thousands of days
  with recursive found (currency) as (
    select min(currency) from private.instance_rates
    union all
    select (select min(r.currency) from private.instance_rates r where r.currency > f.currency)
    from found f
    where f.currency is not null
  )
  select currency from found where currency is not null;
end;
comment on function private.instance_currencies() is 'The currencies that have rates of the instance.';
grant execute on function private.instance_currencies() to authenticated;

create or replace function api.get_instance_rates(on_date text default null)
  returns table (base text, quote text, rate numeric, published_on date)
  language plpgsql stable set search_path = ''
as $$
declare
  wanted constant date := case when on_date is null then current_date
    else coalesce(private.whole_day(on_date), private.to_moment(on_date, 'on_date', false)::date) end;
begin
  return query
    select 'eur', c.currency, r.rate, r.on_date
    from private.instance_currencies() as c (currency)
    cross join lateral private.instance_rates_on(c.currency, array[wanted]) r
    order by c.currency;
end
$$;
comment on function api.get_instance_rates(text) is
  E'The exchange rates of the instance on a day\n\n'
  'The instance downloads the reference rates of the European Central Bank once a day, if its operator has '
  'switched that on. `on_date` (YYYY-MM-DD) is today by default. Each row: one unit of `base`, which is `eur`, is '
  'worth `rate` units of `quote`, published on `published_on`: the latest on or before the day. Ordered by '
  '`quote`. A currency has no row if its latest rate is more than 31 days old.\n\n'
  'Reports with `p_convert_to` use these rates where your context has none of its own. 400 for an invalid day.';
grant execute on function api.get_instance_rates(text) to authenticated;
