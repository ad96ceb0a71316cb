-- Money that moved, or will. Its own rules come after the ones of every owned table.

comment on table api.transactions is
$$Transactions: what was paid, is pending or failed

You see your personal transactions and, while an organization is active, the organization's; `organization_id=eq.<id>` or `organization_id=is.null` narrows a list to one of the two. The newest: `order=transaction_date.desc&limit=50`. With many thousand rows add a range, such as `transaction_date=gte.2025-01-01`, which is the fastest way to them.

Imports can be replayed. A row with an `external_id` is known by its context, `source` and `external_id`. Send the same rows again with `Prefer: resolution=merge-duplicates` or `Prefer: resolution=ignore-duplicates` and `on_conflict=id` (or leave it out): each stays one row, in a team also when another member sends them. Without a resolution a row that is already there answers 409.

Deleting a transaction deletes its line items and tag associations. Embed with `select=*,category:categories(id,name),line_items(*),tags(*)`.$$;
comment on column api.transactions.amount is 'Amount, negative for an expense. 2 decimal places, more are rounded half away from zero; below 1,000,000,000,000';
comment on column api.transactions.name is 'Title, 1 to 255 characters';
comment on column api.transactions.currency is 'Three letters, stored in lower case';
comment on column api.transactions.external_id is 'Reference of an imported row, up to 255 characters; unique per context and source';
comment on column api.transactions.category_id is 'A category of the same context';
comment on column api.transactions.reference_no is 'Reference or invoice number, up to 255 characters';
comment on column api.transactions.description is 'Up to 5000 characters';
comment on column api.transactions.status is '`paid`, `pending` or `failed`';
comment on column api.transactions.source is 'Where the row comes from, up to 64 characters';
comment on column api.transactions.metadata is 'Free JSON, up to 16 KiB and 16 levels';
comment on column api.transactions.transaction_date is 'When it took place: a date or date-time between 1900 and 2199. Default current time';

select pg_temp.protect_owned('transactions', 'transaction');

-- Triggers of one event run in the order of their names. This one comes after set_owner(), because it asks for the owner.
create trigger transactions_2_recognize_import
  before insert on api.transactions
  for each row
  when (new.external_id is not null and current_user = 'authenticated')
  execute function private.recognize_import();
create trigger transactions_lower_currency
  before insert or update of currency on api.transactions
  for each row
  when (new.currency <> lower(new.currency))
  execute function private.lower_currency();
create trigger transactions_check_category
  after insert or update of category_id on api.transactions
  for each row
  when (new.category_id is not null)
  execute function private.check_category();
