-- after: transactions/tables
-- Computed fields. PostgREST presents a function of one unnamed row as a column of that table, and not as a function
-- of /rpc.

create or replace function api.search_text(api.transactions) returns text
  language sql immutable parallel safe
  return private.search_text($1.name, $1.description, $1.reference_no);
comment on function api.search_text(api.transactions) is
  'Name, description and reference in lower case and without accents, for a search: `search_text=like.*uber*` finds '
  '`Über`. Letters such as `ß`, `æ` and `ø` are `ss`, `ae` and `o`. If a text has other letters than ASCII, the '
  'texts follow as they were written. Not part of `*`';
grant execute on function api.search_text(api.transactions) to authenticated;

create or replace function api.sort_name(api.transactions) returns text
  language sql immutable parallel safe
  return private.folded($1.name);
comment on function api.sort_name(api.transactions) is
  'Name in lower case and without accents, for an order that is the same in every database: `order=sort_name` is '
  'apfel, Äpfel, Zebra. Not part of `*`';
grant execute on function api.sort_name(api.transactions) to authenticated;
