-- Money that moved, or will. Its own rules come after the ones of every owned table.

comment on table api.transactions is
$$Transactions: what was paid, is pending or failed

You see your personal transactions and, while an organization is active, the organization's; `organization_id=eq.<id>`, or `organization_id=is.null&user_id=eq.<your id>`, narrows a list to one of the two. With `order=transaction_date.desc,id&limit=50` the newest are read and no others; with a filter too where a list is narrowed so.

Imports can be replayed. A row with an `external_id` is known by its context, `source` and `external_id`. Send the same rows again with `Prefer: resolution=merge-duplicates` or `Prefer: resolution=ignore-duplicates` and `on_conflict=id` (or leave it out): each stays one row, in a team also when another member sends them. Without a resolution a row that is already there answers 409.

Deleting a transaction deletes its line items and tag associations. Embed with `select=*,category:categories(id,name),line_items(*),tags(*)`.$$;
comment on column api.transactions.amount is 'Amount, negative for an expense. 2 decimal places, more are rounded half away from zero; a third is refused where the currency has 3, such as `kwd`; a whole number in a currency without decimals, such as `jpy`; below 1,000,000,000,000';
comment on column api.transactions.name is 'Title, 1 to 255 characters';
comment on column api.transactions.currency is 'ISO 4217 code, such as `usd`, `eur` or `jpy`, stored in lower case. Default the account''s; without an account `usd`';
comment on column api.transactions.external_id is 'Reference of an imported row, 1 to 255 characters; unique per context and source';
comment on column api.transactions.category_id is 'Id of a category of the same context';
comment on column api.transactions.reference_no is 'Reference or invoice number, up to 255 characters';
comment on column api.transactions.description is 'Up to 5000 characters';
comment on column api.transactions.status is '`paid`, `pending` or `failed`';
comment on column api.transactions.source is 'Where the row comes from, 1 to 64 characters';
comment on column api.transactions.metadata is 'Free JSON, up to 16 KiB and 16 levels; its numbers are below 1e30 and have up to 50 decimal places';
comment on column api.transactions.account_id is 'Id of an account of the same context and currency';
comment on column api.transactions.transfer_id is 'What the two halves of a transfer share. Set by `/rpc/create_transfer`, or with both halves of a transfer in one request; cannot be changed';
comment on column api.transactions.import_id is 'The import it came with. Set by `/rpc/import_transactions`';
comment on column api.transactions.transaction_date is
  'When it took place: a date or date-time between 1900 and 2199. A date is the first moment of that day in the request''s time zone, and sets `booked_on`. Default current time';
comment on column api.transactions.booked_on is
  'The day on which a bank booked it, the same for every member and time zone: a date that `transaction_date` lies on somewhere. Set where `transaction_date` is sent as a whole day; null where it is a moment. Reports and budgets count by it';

select pg_temp.protect_owned('transactions', 'transaction');
select pg_temp.bound_numbers('transactions', 'metadata');

-- A list reads no row that is older than its page: db/functions/private/pages.sql. Another statement ends otherwise before such an
-- order, or has none, and does not ask.
do $page$
begin
  execute format(
    $sql$alter policy transactions_read on api.transactions using (private.is_plain_query() and transaction_date >= (
      select case
        when right(rtrim(split_part(pg_catalog.current_query(), ' ORDER BY "api"."transactions"."transaction_date" DESC', 1)), 7) in ('ON TRUE', 'ctions"', 'IS NULL')
          then private.oldest_of_page(private.rows_of_page('transactions'))
        else '-infinity' end) and (%s))$sql$,
    pg_temp.visible_rows('transactions'));
end
$page$;

-- Triggers of one event run in the order of their names. This one comes after set_owner(), because it asks for the owner.
create trigger transactions_2_recognize_import
  before insert on api.transactions
  for each row
  -- api.import_transactions() has looked already
  when (new.external_id is not null and new.import_id is null and current_user = 'authenticated')
  execute function private.recognize_import();
-- A default cannot ask for the account, so it stands for what the two triggers put there; no currency is written so.
alter table api.transactions alter column currency set default 'the account''s, or usd';
create trigger transactions_3_take_currency
  before insert on api.transactions
  for each row
  when (new.currency = 'the account''s, or usd' and new.account_id is not null)
  execute function private.take_currency();
create trigger transactions_3_take_usd
  before insert on api.transactions
  for each row
  when (new.currency = 'the account''s, or usd' and new.account_id is null)
  execute function private.take_usd();
create trigger transactions_4_read_date
  before insert on api.transactions
  for each row
  -- a moment that was sent is never exactly this one
  when ((new.transaction_date > '5000-01-01 00:00:00+00' and new.transaction_date < 'infinity' or new.booked_on is not null and new.transaction_date = now())
    and current_user = 'authenticated')
  execute function private.read_date_of_new();
create trigger transactions_4_read_booked_on_of_changed
  before update of booked_on on api.transactions
  for each row
  when (current_user = 'authenticated')
  execute function private.read_booked_on_of_changed();
create trigger transactions_4_read_date_of_changed
  before update of transaction_date on api.transactions
  for each row
  when ((new.transaction_date <> old.transaction_date or current_setting('private.whole_day', true) like new.id || ' %') and current_user = 'authenticated')
  execute function private.read_date_of_changed();
create trigger transactions_4_keep_import
  before insert on api.transactions
  for each row
  when (new.import_id is not null and current_user = 'authenticated')
  execute function private.keep_import();
create trigger transactions_4_keep_import_of_changed
  before update on api.transactions
  for each row
  when (old.import_id is distinct from new.import_id and current_user = 'authenticated')
  execute function private.keep_import();
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
create trigger transactions_check_account
  after insert or update of account_id, currency on api.transactions
  for each row
  when (new.account_id is not null)
  execute function private.check_account();
create trigger transactions_keep_created_transfer
  after insert on api.transactions
  for each row
  when (new.transfer_id is not null and current_user = 'authenticated')
  execute function private.keep_transfer();
create trigger transactions_keep_changed_transfer
  after update on api.transactions
  for each row
  when ((old.transfer_id is not null or new.transfer_id is not null) and current_user = 'authenticated')
  execute function private.keep_transfer();
create trigger transactions_keep_transfer_of_items
  after update of transfer_id on api.transactions
  for each row
  when (new.transfer_id is not null and old.transfer_id is distinct from new.transfer_id)
  execute function private.keep_transfer_of_items();
create trigger transactions_change_other_halves
  after update on api.transactions
  referencing new table as written
  for each statement
  when (current_user = 'authenticated')
  execute function private.change_other_halves();
create trigger transactions_keep_bank_values
  after update on api.transactions
  for each row
  -- Columns are compared one by one. PostgreSQL shows a comparison of rows in another way after a restore, and a backup would not pass its drill.
  when (old.import_id is not null and current_user = 'authenticated' and (
    old.amount is distinct from new.amount
    or old.name is distinct from new.name
    or old.status is distinct from new.status
    or old.transaction_date is distinct from new.transaction_date
    or old.booked_on is distinct from new.booked_on
    or old.reference_no is distinct from new.reference_no
    or old.description is distinct from new.description
    or old.metadata is distinct from new.metadata))
  execute function private.keep_bank_values();
-- only an undo stores a row with the times it had
create trigger transactions_distrust_bank_values
  after insert on api.transactions
  for each row
  when (new.import_id is not null and new.updated_at <> new.created_at)
  execute function private.distrust_bank_values();
create trigger transactions_forget_bank_values
  after delete on api.transactions
  referencing old table as gone
  for each statement execute function private.forget_bank_values();
create trigger transactions_delete_other_halves
  after delete on api.transactions
  referencing old table as gone
  for each statement execute function private.delete_other_halves();
-- these two refuse by the names that private.require_line_items_fit() says
create constraint trigger line_items_fit
  after update of amount on api.transactions
  deferrable initially deferred
  for each row
  when (abs(new.amount) < abs(old.amount))
  execute function private.check_line_items_of_transaction();
create constraint trigger line_items_amount_fits_currency
  after update of amount, currency on api.transactions
  deferrable initially deferred
  for each row
  when (new.currency <> old.currency)
  execute function private.check_line_items_of_transaction();
create trigger transactions_pass_owner_on
  after update of user_id, organization_id on api.transactions
  for each row
  -- the user of a team's transaction is not its parts'
  when (old.organization_id is distinct from new.organization_id or new.organization_id is null and old.user_id is distinct from new.user_id)
  execute function private.pass_owner_on();
