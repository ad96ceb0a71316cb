-- Accounts get the day of their opening balance and the day on which they were closed, and two more types.

-- The columns are empty in all rows, and each row satisfied the narrower list of types.
-- squawk-ignore-file constraint-missing-not-valid

alter table api.accounts
  add column opened_on private.day,
  add column closed_on private.day,
  add constraint accounts_opened_on_in_range check (opened_on >= '1900-01-01' and opened_on < '2200-01-01'),
  add constraint accounts_closed_on_in_range check (closed_on >= '1900-01-01' and closed_on < '2200-01-01'),
  add constraint accounts_days_in_order check (opened_on <= closed_on),
  drop constraint accounts_type_known,
  add constraint accounts_type_known check (type in ('checking', 'savings', 'credit_card', 'cash', 'investment', 'loan', 'asset'));
