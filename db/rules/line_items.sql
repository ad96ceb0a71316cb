-- The parts a transaction is made of.

comment on table api.line_items is
$$Line items of transactions

Visible and writable as their transaction is, and deleted with it. Read them where they belong: `/transactions?select=*,line_items(*)`, or `/line_items?transaction_id=eq.<id>`.$$;
comment on column api.line_items.transaction_id is 'The transaction it is part of';
comment on column api.line_items.name is 'What it is, 1 to 255 characters';
comment on column api.line_items.amount is 'Amount in the transaction''s currency. 2 decimal places, more are rounded half away from zero';
comment on column api.line_items.quantity is 'How many. 3 decimal places';
comment on column api.line_items.category_id is 'A category of the transaction''s context';
comment on column api.line_items.id is 'Identifier';

select pg_temp.protect_part('line_items');

create trigger line_items_keep_id
  before update on api.line_items
  for each row
  when (old.id <> new.id)
  execute function private.keep_identity();
create trigger line_items_check_category
  after insert or update of category_id, transaction_id on api.line_items
  for each row
  when (new.category_id is not null)
  execute function private.check_line_item_category();
