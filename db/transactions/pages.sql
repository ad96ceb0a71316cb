-- after: core
-- A list of transactions that shows two tenants, newest first, reads only the rows of its page. PostgreSQL has no
-- ordered plan for the rows of two tenants. It would read all rows, join each embedded table, sort, and cut. So the
-- policy for select adds a condition on the date: that of the oldest row of the page, which the index of each tenant
-- finds.
--
-- The edge has read the request, and sends the last row of its page in the header x-page: edge/lists.ts. It removes
-- such a header of the client. A client without the edge that sends it hides rows only from itself.

create or replace function private.rows_of_page(p_list text) returns bigint
  language sql stable parallel safe
  return substring(
    nullif(current_setting('request.headers', true), '')::json ->> 'x-page'
    from '^' || p_list || ' (\d{1,8})$')::bigint;
comment on function private.rows_of_page(text) is
  E'The last row number of the page, if the request is such a list, newest first; null for any other request\n\n'
  '`p_list` is `transactions` or `get_filtered_transactions`.';

create or replace function private.oldest_of_page(p_rows bigint) returns timestamptz
  language plpgsql stable security definer set search_path = ''
as $$
declare
  personal constant text := private.personal_tenant();
  team constant text := private.team_tenant('transactions', 'list');
begin
  if p_rows is null then
    return '-infinity'::timestamptz;
  end if;
  return coalesce((
    select d.transaction_date
    from (
      (select t.transaction_date from api.transactions t
        where t.tenant = personal order by t.transaction_date desc limit p_rows)
      union all
      (select t.transaction_date from api.transactions t
        where t.tenant = team order by t.transaction_date desc limit p_rows)
    ) d
    order by d.transaction_date desc offset greatest(p_rows, 1) - 1 limit 1
  ), '-infinity');
end
$$;
comment on function private.oldest_of_page(bigint) is
  'The date of the transaction number p_rows of the caller, newest first; -infinity if there are fewer, or for null.';

grant execute on function private.rows_of_page(text), private.oldest_of_page(bigint) to authenticated;
