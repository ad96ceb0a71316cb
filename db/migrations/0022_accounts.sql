-- Where money is kept.

create table api.accounts (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  type text not null,
  currency text not null default 'usd',
  balance numeric(14,2) not null default 0,
  description text,
  institution text,
  account_number text,
  color text,
  icon text,
  user_id text default public.uid() references auth.users on delete set null,
  organization_id text default public.org_id() references auth.organizations on delete cascade,
  metadata jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint accounts_name_length check (char_length(name) between 1 and 255),
  constraint accounts_type_known check (type in ('checking', 'savings', 'credit_card', 'cash', 'investment')),
  constraint accounts_currency_form check (currency ~ '^[a-z]{3}$'),
  constraint accounts_balance_is_number check (balance <> 'NaN'),
  constraint accounts_description_length check (char_length(description) <= 5000),
  constraint accounts_institution_length check (char_length(institution) <= 255),
  constraint accounts_account_number_is_masked check (account_number ~ '^[0-9]{1,4}$'),
  constraint accounts_color_is_hex check (color ~ '^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$'),
  constraint accounts_icon_length check (char_length(icon) <= 100),
  constraint accounts_metadata_size check (octet_length(metadata::text) <= 16384),
  constraint accounts_metadata_depth check (not jsonb_path_exists(metadata, '$.**{17}')),
  constraint accounts_have_an_owner check (user_id is not null or organization_id is not null)
);
create index accounts_personal on api.accounts (user_id, organization_id, name);
create index accounts_team on api.accounts (organization_id, name);
-- see transactions
alter table api.accounts
  alter column user_id set (n_distinct = -0.03),
  alter column organization_id set (n_distinct = -0.03);

comment on table api.accounts is
$$Accounts: where money is kept

You see your personal ones and, while an organization is active, the organization's.$$;
comment on column api.accounts.id is 'Identifier';
comment on column api.accounts.name is 'Name, 1 to 255 characters';
comment on column api.accounts.type is '`checking`, `savings`, `credit_card`, `cash` or `investment`';
comment on column api.accounts.currency is 'Three letters, stored in lower case';
comment on column api.accounts.balance is 'Balance, may be negative. 2 decimal places, more are rounded half away from zero';
comment on column api.accounts.description is 'Up to 5000 characters';
comment on column api.accounts.institution is 'Bank or broker, up to 255 characters';
comment on column api.accounts.account_number is 'The last four digits only. Whatever is sent, no more is stored';
comment on column api.accounts.color is 'Hex code: `#rgb`, `#rrggbb` or `#rrggbbaa`';
comment on column api.accounts.icon is 'Icon identifier, up to 100 characters';
comment on column api.accounts.user_id is 'Owner. Filled from the JWT; cannot be changed';
comment on column api.accounts.organization_id is 'The team it belongs to. Filled from the JWT when an organization is active; send null for a personal account; cannot be changed';
comment on column api.accounts.metadata is 'Free JSON, up to 16 KiB and 16 levels';
comment on column api.accounts.created_at is 'Set by the service';
comment on column api.accounts.updated_at is 'Set by the service at each change';

alter table api.accounts enable row level security;
create policy accounts_read on api.accounts
  for select to authenticated
  using (
    (organization_id is null and user_id = (select public.uid()))
    or (organization_id = (select public.org_id()) and (select private.can('accounts', 'list')))
  );
create policy accounts_create on api.accounts
  for insert to authenticated
  with check (
    (organization_id is null and user_id = (select public.uid()))
    or (organization_id = (select public.org_id()) and (select private.can('accounts', 'create')))
    or private.deny('accounts')
  );
create policy accounts_update on api.accounts
  for update to authenticated
  using (
    (organization_id is null and user_id = (select public.uid()))
    or (organization_id = (select public.org_id()) and (select private.can('accounts', 'list')))
  )
  with check (
    (organization_id is null and user_id = (select public.uid()))
    or (organization_id = (select public.org_id()) and (select private.can('accounts', 'update')))
    or private.deny('accounts')
  );
create policy accounts_delete on api.accounts
  for delete to authenticated
  using (
    (organization_id is null and user_id = (select public.uid()))
    or (organization_id = (select public.org_id()) and (select private.can('accounts', 'list')))
  );

-- anon may ask and has no policy, so it reads nothing; it is not granted anything else.
grant select on api.accounts to anon;
grant select, insert, update, delete on api.accounts to authenticated;

-- requires functions/row_triggers.sql
-- requires functions/owner_pair.sql
-- requires functions/account_numbers.sql
create trigger accounts_set_owner
  before insert on api.accounts
  for each row execute function private.set_owner();
create trigger accounts_keep_owner
  before update on api.accounts
  for each row
  when (old.id <> new.id or old.user_id is distinct from new.user_id or old.organization_id is distinct from new.organization_id)
  execute function private.keep_owner();
create trigger accounts_require_delete
  before delete on api.accounts
  for each row
  when (old.organization_id is not null)
  execute function private.require_delete();
create trigger accounts_mask_account_number
  before insert or update of account_number on api.accounts
  for each row
  when (new.account_number is not null)
  execute function private.mask_account_number();
create trigger accounts_lower_currency
  before insert or update of currency on api.accounts
  for each row
  when (new.currency <> lower(new.currency))
  execute function private.lower_currency();
create trigger accounts_set_timestamps
  before insert or update on api.accounts
  for each row execute function private.set_timestamps();
