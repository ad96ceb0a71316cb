create or replace function api.import_transactions(
  p_rows jsonb,
  p_source text default 'import',
  p_account_id uuid default null,
  p_file_name text default null,
  p_dry_run boolean default true
) returns table (row_number integer, verdict text, reason text, transaction_id uuid)
  language plpgsql volatile set search_path = ''
as $$
declare
  account_currency text;
  invalid bigint := 0;
  examples text;
  new_values jsonb;
  updates jsonb[];
begin
  if jsonb_typeof(p_rows) is distinct from 'array' or jsonb_array_length(p_rows) not between 1 and 5000 then
    perform private.invalid('p_rows is not an array of 1 to 5000 rows', 'Send a larger file in parts: a row that is there already is not stored again.');
  end if;
  if p_source is null or char_length(p_source) not between 1 and 64 then
    perform private.invalid('p_source does not have 1 to 64 characters', 'It says where the rows come from, such as the name of a bank.');
  end if;
  if char_length(p_file_name) not between 1 and 255 then
    perform private.invalid('p_file_name does not have 1 to 255 characters', 'Leave it out when there is none.');
  end if;
  -- a dry run checks this too, because a caller without the right could not store the new rows
  if public.org_id() is not null and not (private.can('imports', 'create') and private.can('transactions', 'create')) then
    perform private.deny('transactions');
  end if;
  if p_account_id is not null then
    select a.currency into account_currency from api.accounts a
      where a.id = p_account_id and private.same_tenant(a.user_id, a.organization_id, public.uid(), public.org_id());
    if not found then
      raise sqlstate 'PT404' using message = 'account not found', hint = 'p_account_id is an account of the active context.';
    end if;
  end if;

  if coalesce(p_dry_run, true) then
    return query
      select j.row_number, j.verdict, j.reason, case when j.verdict <> 'new' then j.transaction_id end
      from private.judge_import(p_rows, p_source, p_account_id, account_currency) j;
    return;
  end if;

  -- if two members import the same file, the second waits here and then finds the stored rows
  perform private.lock_tenants('transactions');
  for row_number, verdict, reason, transaction_id, new_values in
    with judged as materialized (
      select * from private.judge_import(p_rows, p_source, p_account_id, account_currency)
    ), begun as materialized (
      select private.begin_import(p_source, p_account_id, p_file_name, count(*) filter (where j.verdict in ('new', 'updated'))) as id
      from judged j
      having bool_or(j.verdict in ('new', 'updated')) and not bool_or(j.verdict = 'invalid')
    ), stored as (
      insert into api.transactions (
        id, name, amount, transaction_date, booked_on, currency, source, external_id, category_id, reference_no, description, status, metadata, account_id, import_id)
      select j.transaction_id, j.name, j.amount, j.transaction_date, j.booked_on, j.currency, p_source, j.external_id, j.category_id, j.reference_no, j.description, j.status,
        j.metadata, p_account_id, begun.id
      from judged j cross join begun
      where j.verdict = 'new'
    )
    select j.row_number, j.verdict, j.reason, j.transaction_id, case when j.verdict = 'updated' then to_jsonb(j) end from judged j
  loop
    if verdict = 'invalid' then
      invalid := invalid + 1;
      if invalid <= 3 then
        examples := concat_ws('. ', examples, format('Row %s: %s', row_number, reason));
      end if;
    elsif verdict = 'updated' then
      updates := array_append(updates, new_values);
    end if;
    return next;
  end loop;
  if invalid = 0 and updates is not null then
    perform private.store_import_updates(updates);
  end if;
  perform set_config('private.import', '', true);
  if invalid > 0 then
    perform private.invalid(
      format('%s of %s rows cannot be imported. %s', invalid, jsonb_array_length(p_rows), examples),
      'Nothing was stored. A dry run says what is wrong with each row.');
  end if;
end
$$;
comment on function api.import_transactions(jsonb, text, uuid, text, boolean) is
$$Imports the rows of a bank's file, without duplicates

`p_rows` is an array of 1 to 5,000 objects with `name` and `amount` and, if the file has them, `transaction_date`, `currency`, `external_id`, `category_id`, `reference_no`, `description`, `status` and `metadata`, in the form of a transaction. An amount is a number or a text such as `"-12.50"`. A day is the same in every time zone, and stored as `booked_on`. Null is a value that the file does not have. `p_source` names the origin of the rows: together with the `external_id` it identifies a row in later imports. `p_account_id` is an account of the active context, with the currency of the rows. `p_file_name` is only displayed.

Returns for each row, in the order sent: `row_number` from 1, `verdict`, `reason` and `transaction_id`. `new`: the row is stored. `duplicate`: it exists already. `updated`: it exists, and the bank has new values for fields that no user has edited. The fields in `reason` are updated; category, tags and a user's own description stay. `changed`: it exists, and differs in the fields in `reason`. It stays unchanged, because a user's edits have priority. `invalid`: it cannot be stored, and `reason` explains the error.

A row without a `status` is booked. A booked row never becomes pending again, and an older file never restores former values.

A row without an `external_id` is identified by its account, day, amount, currency and name, and its number among equal rows of its file. So importing the same file again changes nothing, and files may overlap by whole days.

With `p_dry_run`, the default, nothing is written. With `p_dry_run` false all new and updated rows are stored in the active context, as one import that `DELETE /imports` reverts. If one row is invalid, none is stored: 400 with the first one. 404 for an account that is not of the active context. 403 if your role may not create. 409 if other writes take too long.$$;
grant execute on function api.import_transactions(jsonb, text, uuid, text, boolean) to authenticated;
