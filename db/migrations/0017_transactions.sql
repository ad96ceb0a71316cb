-- Money that moved, or will: the first table of the product, and the pattern the others follow.
--
-- A policy lets a caller reach the rows it may see. A change the caller's role does not allow must be an error and not
-- "no rows", so the checks of new rows end in private.deny() and deletes ask a trigger.

create table api.transactions (
  id uuid primary key default gen_random_uuid(),
  amount numeric(14,2) not null,
  name text not null,
  currency text not null default 'usd',
  user_id text default public.uid() references auth.users on delete set null,
  organization_id text default public.org_id() references auth.organizations on delete cascade,
  external_id text,
  category_id uuid references api.categories on delete set null,
  reference_no text,
  description text,
  status text not null default 'paid',
  source text not null default 'manual',
  metadata jsonb,
  transaction_date timestamptz not null default now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint transactions_amount_is_number check (amount <> 'NaN'),
  constraint transactions_name_length check (char_length(name) between 1 and 255),
  constraint transactions_currency_form check (currency ~ '^[a-z]{3}$'),
  constraint transactions_external_id_length check (char_length(external_id) between 1 and 255),
  constraint transactions_reference_no_length check (char_length(reference_no) <= 255),
  constraint transactions_description_length check (char_length(description) <= 5000),
  constraint transactions_status_known check (status in ('paid', 'pending', 'failed')),
  constraint transactions_source_length check (char_length(source) between 1 and 64),
  constraint transactions_metadata_size check (octet_length(metadata::text) <= 16384),
  constraint transactions_metadata_depth check (not jsonb_path_exists(metadata, '$.**{17}')),
  constraint transactions_date_in_range check (transaction_date >= '1900-01-01 00:00:00+00' and transaction_date < '2200-01-01 00:00:00+00'),
  -- a user who leaves takes the personal rows along (0024) and leaves the team's
  constraint transactions_have_an_owner check (user_id is not null or organization_id is not null)
);
-- Each begins with a tenant. An index that began with the date would tempt the planner to walk everybody's rows in the
-- hope of meeting fifty visible ones soon.
create index transactions_personal on api.transactions (user_id, organization_id, transaction_date desc);
create index transactions_team on api.transactions (organization_id, transaction_date desc);
create index transactions_category_id on api.transactions (category_id) where category_id is not null;
create unique index transactions_personal_import on api.transactions (user_id, source, external_id)
  where organization_id is null and external_id is not null;
create unique index transactions_team_import on api.transactions (organization_id, source, external_id)
  where organization_id is not null and external_id is not null;
-- For the planner a tenant is some thirty rows, however large the table. It cannot know who asks; from the average it
-- would conclude that fifty visible rows are met soon anywhere, and for a caller with forty-nine it would read everybody's.
alter table api.transactions
  alter column user_id set (n_distinct = -0.03),
  alter column organization_id set (n_distinct = -0.03);

comment on table api.transactions is
$$Transactions: what was paid, is pending or failed

You see your personal transactions and, while an organization is active, the organization's; `organization_id=eq.<id>` or `organization_id=is.null` narrows a list to one of the two. The newest: `order=transaction_date.desc&limit=50`. With many thousand rows add a range, such as `transaction_date=gte.2025-01-01`, which is the fastest way to them.

Imports can be replayed. A row with an `external_id` is known by its context, `source` and `external_id`. Send the same rows again with `Prefer: resolution=merge-duplicates` or `Prefer: resolution=ignore-duplicates` and `on_conflict=id` (or leave it out): each stays one row, in a team also when another member sends them. Without a resolution a row that is already there answers 409.

Deleting a transaction deletes its line items and tag associations. Embed with `select=*,category:categories(id,name),line_items(*),tags(*)`.$$;
comment on column api.transactions.id is 'Identifier';
comment on column api.transactions.amount is 'Amount, negative for an expense. 2 decimal places, more are rounded half away from zero; below 1,000,000,000,000';
comment on column api.transactions.name is 'Title, 1 to 255 characters';
comment on column api.transactions.currency is 'Three letters, stored in lower case';
comment on column api.transactions.user_id is 'Who created it. Filled from the JWT; cannot be changed';
comment on column api.transactions.organization_id is 'The team it belongs to. Filled from the JWT when an organization is active; send null for a personal transaction; cannot be changed';
comment on column api.transactions.external_id is 'Reference of an imported row, up to 255 characters; unique per context and source';
comment on column api.transactions.category_id is 'A category of the same context';
comment on column api.transactions.reference_no is 'Reference or invoice number, up to 255 characters';
comment on column api.transactions.description is 'Up to 5000 characters';
comment on column api.transactions.status is '`paid`, `pending` or `failed`';
comment on column api.transactions.source is 'Where the row comes from, up to 64 characters';
comment on column api.transactions.metadata is 'Free JSON, up to 16 KiB and 16 levels';
comment on column api.transactions.transaction_date is 'When it took place: a date or date-time between 1900 and 2199. Default current time';
comment on column api.transactions.created_at is 'Set by the service';
comment on column api.transactions.updated_at is 'Set by the service at each change';

alter table api.transactions enable row level security;
create policy transactions_read on api.transactions
  for select to authenticated
  using (
    (organization_id is null and user_id = (select public.uid()))
    or (organization_id = (select public.org_id()) and (select private.can('transactions', 'list')))
  );
create policy transactions_create on api.transactions
  for insert to authenticated
  with check (
    (organization_id is null and user_id = (select public.uid()))
    or (organization_id = (select public.org_id()) and (select private.can('transactions', 'create')))
    or private.deny('transactions')
  );
create policy transactions_update on api.transactions
  for update to authenticated
  using (
    (organization_id is null and user_id = (select public.uid()))
    or (organization_id = (select public.org_id()) and (select private.can('transactions', 'list')))
  )
  with check (
    (organization_id is null and user_id = (select public.uid()))
    or (organization_id = (select public.org_id()) and (select private.can('transactions', 'update')))
    or private.deny('transactions')
  );
create policy transactions_delete on api.transactions
  for delete to authenticated
  using (
    (organization_id is null and user_id = (select public.uid()))
    or (organization_id = (select public.org_id()) and (select private.can('transactions', 'list')))
  );

-- anon may ask and has no policy, so it reads nothing; it is not granted anything else.
grant select on api.transactions to anon;
grant select, insert, update, delete on api.transactions to authenticated;

-- Triggers of one event run in the order of their names: the owner is known before an import is recognized by it.
-- requires functions/row_triggers.sql
-- requires functions/owner_pair.sql
-- requires functions/references.sql
-- requires functions/imports.sql
create trigger transactions_1_set_owner
  before insert on api.transactions
  for each row execute function private.set_owner();
create trigger transactions_2_recognize_import
  before insert on api.transactions
  for each row
  when (new.external_id is not null and current_user = 'authenticated')
  execute function private.recognize_import();
create trigger transactions_keep_owner
  before update on api.transactions
  for each row
  when (old.id <> new.id or old.user_id is distinct from new.user_id or old.organization_id is distinct from new.organization_id)
  execute function private.keep_owner();
create trigger transactions_require_delete
  before delete on api.transactions
  for each row
  when (old.organization_id is not null)
  execute function private.require_delete();
create trigger transactions_lower_currency
  before insert or update of currency on api.transactions
  for each row
  when (new.currency <> lower(new.currency))
  execute function private.lower_currency();
create trigger transactions_set_timestamps
  before insert or update on api.transactions
  for each row execute function private.set_timestamps();
create trigger transactions_check_category
  after insert or update of category_id on api.transactions
  for each row
  when (new.category_id is not null)
  execute function private.check_category();
