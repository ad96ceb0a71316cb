-- The balance that an import has stored, for its deletion.
create table private.import_balances (
  import_id uuid primary key,
  balance_id uuid not null,
  -- the balance and source that it replaced; null if the row is the import's
  replaced jsonb,
  balance numeric not null
);
