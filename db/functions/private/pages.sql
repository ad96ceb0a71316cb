-- A list of transactions, newest first, reads only the rows of its page. PostgreSQL has no ordered plan for the rows of two tenants that a
-- policy joins with OR. It would read all rows, join each embedded table, sort, and cut. So the policy for select adds a condition on the
-- date: that of the oldest row of the page, which two indexes find.
--
-- A policy has no access to the limit. The text of the statement contains the parameter numbers of limit and offset. The context of an error
-- contains their values, up to log_parameter_max_length_on_error bytes. pre_request() sets that length for these requests. For any other
-- statement the condition is always true.

create or replace function private.rows_of_page(p_list text) returns bigint
  language plpgsql stable set search_path = ''
as $$
declare
  query constant text := pg_catalog.current_query();
  source constant text := case p_list when 'transactions' then '"api"."transactions"' else '"transactions"' end;
  -- the statement before and after its ORDER BY
  before constant text := rtrim(split_part(query, ' ORDER BY ' || source || '."transaction_date" DESC', 1));
  after constant text := split_part(query, ' ORDER BY ' || source || '."transaction_date" DESC', 2);
  tables constant text := replace(query, source || '.', '');
  value constant text := $pattern$(?:NULL|'(?:[^']|'')*')$pattern$;
  -- the parameter numbers of limit and offset
  parameter_numbers text[];
  context text;
  parameters text;
begin
  -- The list has no filters and no count of all rows. `ON TRUE` is the end of an embed.
  parameter_numbers := case
    when strpos(query, 'INNER JOIN') > 0 then null
    -- the statement names the table once
    when p_list = 'transactions' and length(tables) - length(replace(tables, source, '')) = length(source)
      and (right(before, 7) = 'ON TRUE' or right(before, 25) = 'FROM "api"."transactions"'
        or right(before, 80) ~ '(?:ON TRUE|FROM "api"\."transactions") +WHERE +"api"\."transactions"\."organization_id" IS NULL$')
      then regexp_match(after, '^ [^$]*LIMIT \$(\d+) OFFSET \$(\d+) \) +SELECT null::bigint AS total_result_set,')
    when p_list = 'get_filtered_transactions' and strpos(before, ' SELECT null::bigint AS total_result_set,') > 0
      and (right(before, 7) = 'ON TRUE' or right(before, 37) = 'FROM "pgrst_source" AS "transactions"')
      then regexp_match(after, '^ *(?:, "transactions"\."id" *(?:ASC *)?)?LIMIT \$(\d+) OFFSET \$(\d+)\) _postgrest_t$')
  end;
  if parameter_numbers is null then
    return null;
  end if;
  begin
    raise no_data_found;
  exception
    when no_data_found then get stacked diagnostics context = pg_exception_context;
  end;
  -- The first line is this function, the second the statement. A function in between would add a line.
  parameters := substring(context from '^[^\n]*\n[^\n$]*(\$1 = .*)$');
  if parameters !~ format('^\$1 = %1$s(?:, \$\d+ = %1$s)*$', value) then
    return null;
  end if;
  return substring(parameters from format($pattern$(?:^|, )\$%s = '(\d{1,8})'$pattern$, parameter_numbers[1]))::bigint
    + substring(parameters from format($pattern$(?:^|, )\$%s = '(\d{1,8})'$pattern$, parameter_numbers[2]))::bigint;
end
$$;
comment on function private.rows_of_page(text) is
$$The last row number of the page, if the statement is a list of PostgREST's that is newest first; null for any other statement

`p_list` is `transactions` or `get_filtered_transactions`. The order of the second ends with the id, as the function's does, or with the date.$$;

create or replace function private.oldest_of_page(p_rows bigint) returns timestamptz
  language plpgsql stable security definer set search_path = ''
as $$
declare
  personal_user constant text := private.personal_id();
  team text := public.org_id();
begin
  if p_rows is null then
    return '-infinity';
  end if;
  if team is not null and (not private.can('transactions', 'list') or pg_catalog.current_query() ~ '"organization_id" IS NULL +ORDER BY') then
    team := null;
  end if;
  return coalesce((
    select d.transaction_date
    from (
      (select t.transaction_date from api.transactions t
        where t.organization_id is null and t.user_id = personal_user order by t.transaction_date desc limit p_rows)
      union all
      (select t.transaction_date from api.transactions t
        where t.organization_id = team order by t.transaction_date desc limit p_rows)
    ) d
    order by d.transaction_date desc offset greatest(p_rows, 1) - 1 limit 1
  ), '-infinity');
end
$$;
comment on function private.oldest_of_page(bigint) is 'The date of the transaction number p_rows of the caller, newest first; -infinity if there are fewer, or for null.';

grant execute on function private.rows_of_page(text), private.oldest_of_page(bigint) to authenticated;
