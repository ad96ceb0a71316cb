-- A bank's day is a day: a transaction that was sent with a whole day keeps that day beside its moment. An import takes over
-- the bank's later word, so the database remembers its changes and the edits of a person.

-- The migration gives stored rows their day, and builds four of their indexes anew. A million rows take a minute, in which nobody
-- writes.
-- squawk-ignore-file require-concurrent-index-creation, require-concurrent-index-deletion, constraint-missing-not-valid

alter table api.transactions add column booked_on private.day;
-- These answer other columns from now on, which no function may while it stays.
drop function if exists api.get_filtered_transactions(jsonb), private.transaction_terms(jsonb), private.transaction_conditions(jsonb),
  private.filter_conditions(jsonb), private.judge_import(jsonb, text, uuid, text), private.read_import(jsonb, text);

drop index api.transactions_personal_dates, api.transactions_team_dates, api.transactions_category_dates, api.transactions_account;

-- A row keeps its updated_at, and so counts as edited or not as before.
alter table api.transactions disable trigger user;
with days as (
  select t.id,
    case
      when (t.transaction_date at time zone 'UTC')::time = '00:00' then (t.transaction_date at time zone 'UTC')::date
      -- The first moment of a day, seen from UTC, for each zone from ten hours behind it to thirteen ahead.
      when (t.transfer_id is not null or t.source = 'subscription' or i.id is not null)
        and extract(minute from t.transaction_date at time zone 'UTC')::integer % 15 = 0 and date_trunc('minute', t.transaction_date) = t.transaction_date
        then (t.transaction_date at time zone 'UTC' + interval '13 hours')::date
    end as day
  from api.transactions t
  -- A file of days has one time of day in winter and one in summer; a file of moments has more.
  left join (
    select import_id as id from api.transactions where import_id is not null
    group by 1 having count(distinct (transaction_date at time zone 'UTC')::time) <= 2
  ) i on i.id = t.import_id
)
update api.transactions t set booked_on = days.day from days where days.id = t.id and days.day is not null;
alter table api.transactions enable trigger user;

-- A moment of the day somewhere on Earth.
alter table api.transactions add constraint transactions_booked_on_is_day_of_date check (
  transaction_date >= booked_on::timestamp at time zone 'UTC' - interval '14 hours'
  and transaction_date < booked_on::timestamp at time zone 'UTC' + interval '36 hours');

-- In the order that 0007_money.sql explains.
create index transactions_personal_dates on api.transactions (user_id, transaction_date desc)
  include (amount, currency, status, category_id, organization_id, transfer_id, booked_on) where organization_id is null;
create index transactions_team_dates on api.transactions (organization_id, transaction_date desc)
  include (amount, currency, status, category_id, user_id, transfer_id, booked_on) where organization_id is not null;
create index transactions_category_dates on api.transactions (category_id, transaction_date desc) where category_id is not null;
create index transactions_account on api.transactions (account_id, transaction_date desc)
  include (amount, status, user_id, organization_id, booked_on) where account_id is not null;
analyze api.transactions;

-- Imported transactions that a person has edited, with the bank's own values. Null is unknown.
create table private.bank_values (
  transaction_id uuid primary key,
  said jsonb
);
insert into private.bank_values (transaction_id)
  select id from api.transactions where import_id is not null and updated_at <> created_at;

-- The transactions that an import has changed, with the bank's values before and after.
create table private.import_updates (
  transaction_id uuid,
  import_id uuid,
  before jsonb not null,
  after jsonb not null,
  -- nothing but imports had changed it
  was_untouched boolean not null,
  taken_back_at timestamptz,
  primary key (transaction_id, import_id)
);
create index import_updates_import on private.import_updates (import_id);
