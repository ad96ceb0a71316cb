-- The parts a transaction is made of.

comment on table api.line_items is
$$Line items of transactions

Visible and writable as their transaction is, and deleted with it. Read them where they belong: `/transactions?select=*,line_items(*)`, or `/line_items?transaction_id=eq.<id>`.

A half of a transfer is neither income nor expense, so its line items have no category: 400 `22023`.$$;
comment on column api.line_items.transaction_id is 'Id of the transaction it is part of';
comment on column api.line_items.name is 'What it is, 1 to 255 characters';
comment on column api.line_items.amount is 'Amount in the transaction''s currency. 2 decimal places, more are rounded half away from zero; a third is refused where the currency has 3, such as `kwd`; a whole number in a currency without decimals, such as `jpy`';
comment on column api.line_items.quantity is 'How many: a number with 3 decimal places';
comment on column api.line_items.category_id is 'Id of a category of the transaction''s context';

select pg_temp.protect_part('line_items');

create trigger line_items_check_category
  after insert or update of category_id on api.line_items
  for each row
  when (new.category_id is not null)
  execute function private.check_category();
create trigger line_items_note_created
  after insert on api.line_items
  referencing new table as written
  for each statement execute function private.note_line_items();
create trigger line_items_note_changed
  after update on api.line_items
  referencing new table as written old table as overwritten
  for each statement execute function private.note_line_items();
create trigger line_items_keep_items_of_transfer
  after insert on api.line_items
  referencing new table as written
  for each statement
  when (current_user = 'authenticated')
  execute function private.keep_items_of_transfer();
create trigger line_items_keep_changed_items_of_transfer
  after update on api.line_items
  referencing new table as written
  for each statement
  when (current_user = 'authenticated')
  execute function private.keep_items_of_transfer();

comment on table private.line_item_checks is 'Transactions of which the line items are added up when the database transaction ends. Outside of one it is empty.';
create constraint trigger line_item_checks_check
  after insert on private.line_item_checks
  deferrable initially deferred
  for each row execute function private.check_line_items();
