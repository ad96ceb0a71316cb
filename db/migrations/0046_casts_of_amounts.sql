-- Filters read amounts as PostgreSQL does: PostgREST would also use a cast from text for eq(any), which takes an array.
drop cast if exists (text as private.amount);
drop cast if exists (text as private.opening_balance);
drop cast if exists (text as private.quantity);
drop cast if exists (text as private.rate);
