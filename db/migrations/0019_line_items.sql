-- The parts a transaction is made of. Whose they are is their transaction's matter, so there is no owner pair here.

create table api.line_items (
  id uuid primary key default gen_random_uuid(),
  transaction_id uuid not null references api.transactions on delete cascade,
  name text not null,
  amount numeric(14,2) not null,
  quantity numeric(14,3) not null default 1,
  category_id uuid references api.categories on delete set null,
  constraint line_items_name_length check (char_length(name) between 1 and 255),
  constraint line_items_amount_is_number check (amount <> 'NaN'),
  constraint line_items_quantity_is_number check (quantity <> 'NaN')
);
create index line_items_transaction_id on api.line_items (transaction_id);
create index line_items_category_id on api.line_items (category_id) where category_id is not null;

comment on table api.line_items is
$$Line items of transactions

Visible and writable as their transaction is, and deleted with it. Read them where they belong: `/transactions?select=*,line_items(*)`, or `/line_items?transaction_id=eq.<id>`.$$;
comment on column api.line_items.id is 'Identifier';
comment on column api.line_items.transaction_id is 'The transaction it is part of';
comment on column api.line_items.name is 'What it is, 1 to 255 characters';
comment on column api.line_items.amount is 'Amount in the transaction''s currency. 2 decimal places, more are rounded half away from zero';
comment on column api.line_items.quantity is 'How many. 3 decimal places';
comment on column api.line_items.category_id is 'A category of the transaction''s context';

alter table api.line_items enable row level security;
-- The transaction is asked with its own row rule in force.
create policy line_items_read on api.line_items
  for select to authenticated
  using (exists (select from api.transactions t where t.id = transaction_id));
create policy line_items_create on api.line_items
  for insert to authenticated
  with check (
    exists (
      select from api.transactions t
      where t.id = transaction_id and (t.organization_id is null or (select private.can('line_items', 'create')))
    )
    or private.deny('line_items')
  );
create policy line_items_update on api.line_items
  for update to authenticated
  using (exists (select from api.transactions t where t.id = transaction_id))
  with check (
    exists (
      select from api.transactions t
      where t.id = transaction_id and (t.organization_id is null or (select private.can('line_items', 'update')))
    )
    or private.deny('line_items')
  );
create policy line_items_delete on api.line_items
  for delete to authenticated
  using (exists (select from api.transactions t where t.id = transaction_id));

-- anon may ask and has no policy, so it reads nothing; it is not granted anything else.
grant select on api.line_items to anon;
grant select, insert, update, delete on api.line_items to authenticated;

-- requires functions/owner_pair.sql
-- requires functions/references.sql
-- requires functions/transaction_parts.sql
create trigger line_items_check_transaction_of_new
  before insert on api.line_items
  for each row execute function private.check_transaction();
create trigger line_items_check_transaction_of_moved
  before update on api.line_items
  for each row
  when (old.transaction_id <> new.transaction_id)
  execute function private.check_transaction();
create trigger line_items_keep_id
  before update on api.line_items
  for each row
  when (old.id <> new.id)
  execute function private.keep_id();
create trigger line_items_require_delete
  before delete on api.line_items
  for each row execute function private.require_part_delete();
create trigger line_items_check_category
  after insert or update of category_id, transaction_id on api.line_items
  for each row
  when (new.category_id is not null)
  execute function private.check_line_item_category();
