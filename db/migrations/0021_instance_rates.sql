-- Exchange rates of the instance: the auth service downloads them once a day if the operator has set EXCHANGE_RATES_URL.

create table private.instance_rates (
  currency text not null,
  on_date date not null,
  rate numeric(24,12) not null,
  primary key (currency, on_date),
  constraint instance_rates_rate_is_positive check (rate > 0 and rate <> 'NaN')
);

create table private.rate_downloads (
  singleton boolean primary key default true check (singleton),
  url text,
  next_at timestamptz not null default now(),
  failures bigint not null default 0,
  stored_at timestamptz
);
insert into private.rate_downloads default values;
