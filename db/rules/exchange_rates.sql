-- What currencies were worth, as a person or a team has it.

comment on table api.exchange_rates is
$$Exchange rates of one's own

One `base` was worth `rate` `quote` from `on_date` on, until the next rate of the two. Reports that are asked to convert take the context's rates: yours in the personal context, the organization's in a team.

A context has one rate for a day and a pair in one direction. `POST` with `Prefer: resolution=merge-duplicates` sets it, whether it is there or not: of a team with `on_conflict=organization_id,base,quote,on_date`, of your own with `on_conflict=user_id,organization_id,base,quote,on_date`.$$;
comment on column api.exchange_rates.on_date is 'The first day it holds: a date between 1900 and 2199';
comment on column api.exchange_rates.base is 'Currency of which one unit is meant: ISO 4217 code, such as `usd`, `eur` or `jpy`, stored in lower case';
comment on column api.exchange_rates.quote is 'Currency in which it is said, another than base: ISO 4217 code, such as `usd`, `eur` or `jpy`, stored in lower case';
comment on column api.exchange_rates.rate is 'How many units of quote one unit of base was worth; above 0, 12 decimal places';

select pg_temp.protect_owned('exchange_rates', 'exchange rate');

create trigger exchange_rates_lower_currencies
  before insert or update of base, quote on api.exchange_rates
  for each row
  when (new.base <> lower(new.base) or new.quote <> lower(new.quote))
  execute function private.lower_currencies();
