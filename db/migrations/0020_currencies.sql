-- The codes are in private.currency_codes().

-- Nothing of the service reads the table.
-- squawk-ignore ban-drop-table
drop table private.currencies;
