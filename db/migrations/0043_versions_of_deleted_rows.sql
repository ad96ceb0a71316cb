-- Rows that were deleted before migration 0038 have no versions, and any row with their id counted as deleted. Their values at the deletion
-- are their version now. Rows from before migration 0033 have no values either: no release had them, and their ids no longer count.

update private.deleted_bank_rows set versions = array[jsonb_build_object('name', name, 'amount', amount, 'day', day)]
  where versions is null and amount is not null;
