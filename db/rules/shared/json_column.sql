-- What all columns share that hold a caller's JSON, beside the size and the depth that the history gives them.

create function pg_temp.bound_numbers(p_table text, p_column text) returns void
  language plpgsql
as $bound$
declare
  -- PostgreSQL asks a row's constraints in the order of their names: this one before <table>_<column>_size, which prints
  bound constant text := format('%s_%s_numbers', p_table, p_column);
begin
  if exists (select from pg_constraint where conrelid = format('api.%I', p_table)::regclass and conname = bound) then
    return;
  end if;
  -- Not valid: no stored row is read. What is stored has been printed within its size already, and is asked when it is changed.
  execute format('alter table api.%I add constraint %I check (private.plain_numbers(%I)) not valid', p_table, bound, p_column);
end
$bound$;
