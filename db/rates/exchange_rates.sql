-- after: activity/activity_rows, rates/tables
-- Exchange rates that a user or a team has stored.

comment on table api.exchange_rates is
$$Your own exchange rates

One `base` was worth `rate` `quote` from `on_date` on, until the next rate of the two. Reports with `p_convert_to` use
the context's rates: yours in the personal context, the organization's in a team.

A currency that the euro has replaced, such as `hrk` or `bgn`, has a fixed rate since then. Another rate of it from
that day on is 400 `22023`.

A context has one rate for a day and a pair in one direction. `POST` with `Prefer: resolution=merge-duplicates`
creates or replaces it: of a team with `on_conflict=organization_id,base,quote,on_date`, of your own with
`on_conflict=user_id,organization_id,base,quote,on_date`.$$;
comment on column api.exchange_rates.id is 'Identifier';
comment on column api.exchange_rates.on_date is 'First day of the rate: a date between 1900 and 2199';
comment on column api.exchange_rates.base is
  'The base currency, of which one unit is priced: ISO 4217 code, such as `usd`, `eur` or `jpy`, stored in lower '
  'case';
comment on column api.exchange_rates.quote is
  'The currency of the price, not equal to base: ISO 4217 code, such as `usd`, `eur` or `jpy`, stored in lower case';
comment on column api.exchange_rates.rate is 'Price of one unit of base in units of quote; above 0, 12 decimal places';
comment on column api.exchange_rates.user_id is 'Id of the user who created it. Filled from the JWT; cannot be changed';
comment on column api.exchange_rates.organization_id is
  'The team it belongs to. Filled from the JWT when an organization is active; send null for a personal exchange '
  'rate; cannot be changed';
comment on column api.exchange_rates.tenant is
  'The owner of the row: `o:` and the organization''s id, or `u:` and the user''s id for a personal row. Set by the '
  'service. `tenant=eq.…` lists one workspace';
comment on column api.exchange_rates.created_at is 'Set by the service';
comment on column api.exchange_rates.updated_at is 'Set by the service at each change';


alter table api.exchange_rates enable row level security;
create policy exchange_rates_read on api.exchange_rates for select to authenticated
  using (private.is_not_explained()
    and (tenant = (select private.personal_tenant())
      or tenant = (select private.team_tenant('exchange_rates', 'list'))));
create policy exchange_rates_create on api.exchange_rates for insert to authenticated
  with check (
    case
      when tenant = (select private.personal_tenant())
        or tenant = (select private.team_tenant('exchange_rates', 'create')) then true
      else private.deny('exchange_rates')
    end);
create policy exchange_rates_update on api.exchange_rates for update to authenticated
  using (tenant = (select private.personal_tenant())
    or tenant = (select private.team_tenant('exchange_rates', 'list')))
  with check (
    case
      when tenant = (select private.personal_tenant())
        or tenant = (select private.team_tenant('exchange_rates', 'update')) then true
      else private.deny('exchange_rates')
    end);
create policy exchange_rates_delete on api.exchange_rates for delete to authenticated
  using (tenant = (select private.personal_tenant())
    or tenant = (select private.team_tenant('exchange_rates', 'list')));
insert into private.role_permissions (role, resource, action) select role, 'exchange_rates', action from usual_rights;
grant select on api.exchange_rates to anon;
grant select, insert, update, delete on api.exchange_rates to authenticated;

create or replace function private.exchange_rates_before_row() returns trigger
  language plpgsql set search_path = ''
as $$
declare
  by_caller constant boolean := current_user = 'authenticated';
  broken text;
  replaced record;
begin
  if private.count_exceeds_limit(tg_op) then
    perform private.reject_many_rows();
  end if;
  if tg_op = 'DELETE' then
    if by_caller and old.organization_id is not null and not private.can('exchange_rates', 'delete') then
      perform private.deny('exchange_rates');
    end if;
    return old;
  end if;
  if tg_op = 'INSERT' then
    if by_caller then
      new.user_id := private.owner_of_new('exchange_rates', new.id, new.user_id);
      new.created_at := now();
      new.updated_at := now();
    end if;
  else
    if by_caller and (old.id <> new.id or old.user_id is distinct from new.user_id
      or old.organization_id is distinct from new.organization_id) then
      perform private.deny('exchange_rates');
    end if;
    -- the deletion of a user clears user_id, which is not an edit
    if new.user_id is not distinct from old.user_id then
      new.created_at := old.created_at;
      new.updated_at := private.edited_at(old.updated_at);
    end if;
  end if;
  new.tenant := private.tenant_of(new.user_id, new.organization_id);
  new.base := lower(new.base);
  new.quote := lower(new.quote);
  if tg_op = 'INSERT' and by_caller and private.is_merge() then
    perform private.reject_repeated_row(new.id::text);
  end if;
  if by_caller then
    broken := case
      when new.id is null then 'id'
      when new.on_date is null then 'on_date'
      when new.base is null then 'base'
      when new.quote is null then 'quote'
      when new.rate is null then 'rate'
      when new.created_at is null then 'created_at'
      when new.updated_at is null then 'updated_at'
      when new.base = new.quote then 'exchange_rates_are_of_two_currencies'
      when new.base !~ '^[a-z]{3}$' then 'exchange_rates_base_form'
      when new.user_id is null and new.organization_id is null then 'exchange_rates_have_an_owner'
      when new.on_date < '1900-01-01' or new.on_date >= '2200-01-01' then 'exchange_rates_on_date_in_range'
      when new.quote !~ '^[a-z]{3}$' then 'exchange_rates_quote_form'
      when new.rate <= 0 or new.rate = 'NaN' then 'exchange_rates_rate_is_positive'
      when new.base is distinct from old.base and not private.is_currency(new.base) then 'exchange_rates_base_known'
      when new.quote is distinct from old.quote and not private.is_currency(new.quote) then 'exchange_rates_quote_known'
    end;
    if broken is not null then
      perform private.reject_row(tg_relid, tg_op, new, broken);
    end if;
    select * into replaced
      from private.euro_rates() e
      where e.currency in (new.base, new.quote) and e.since <= new.on_date
      limit 1;
    if found and (new.base, new.quote, new.on_date, new.rate)
      is distinct from (old.base, old.quote, old.on_date, old.rate) then
      perform private.check_policy(tg_relid, tg_op, new);
      perform private.invalid(
        format('%s was replaced by the euro on %s', upper(replaced.currency), replaced.since),
        format('The rate is fixed at 1 EUR = %s %s. Enter a EUR rate instead.', replaced.rate,
          upper(replaced.currency)));
    end if;
  end if;
  return new;
end
$$;
comment on function private.exchange_rates_before_row() is
  'Fills in, preserves and checks the columns of a row of exchange_rates.';

create trigger "1_before_row" before insert or update or delete on api.exchange_rates
  for each row execute function private.exchange_rates_before_row();
create trigger "2_record_creation" after insert on api.exchange_rates
  referencing new table as new_rows
  for each statement execute function private.record_creation();
create trigger "2_record_change" after update on api.exchange_rates
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.record_change();
create trigger "2_record_deletion" after delete on api.exchange_rates
  referencing old table as old_rows
  for each statement execute function private.record_deletion();
