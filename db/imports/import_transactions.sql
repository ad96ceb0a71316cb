-- after: core

-- Over 80 lines, because the dry run and the import stand side by side. Both classify the rows by the same call.
create or replace function api.import_transactions(
  p_rows jsonb,
  p_source text default 'import',
  p_account_id uuid default null,
  p_file_name text default null,
  p_dry_run boolean default true,
  p_match boolean default true,
  p_link_transfers boolean default true,
  p_again boolean default false,
  p_balance text default null,
  p_balance_on text default null
) returns table (row_number integer, verdict text, reason text, transaction_id uuid, rule_id uuid,
  suggested_category_id uuid, because text)
  -- The statement has dozens of steps that each may use work_mem. With the default, 5,000 rows exceed the memory of a
  -- server process.
  language plpgsql volatile set search_path = '' set work_mem = '512kB'
as $$
declare
  account_currency text;
  stated constant numeric := private.read_number(p_balance);
  balance_day date;
  invalid bigint := 0;
  closed bigint := 0;
  examples text;
  new_values jsonb;
  updates jsonb[];
  matches jsonb[];
  versions jsonb[];
  filed jsonb[];
  import_id uuid;
begin
  -- the statement of a month without transactions has a balance and no rows
  if jsonb_typeof(p_rows) is distinct from 'array'
    or jsonb_array_length(p_rows) not between (num_nonnulls(p_balance, p_balance_on) = 0)::integer and 5000 then
    perform private.invalid('p_rows must be an array of 1 to 5000 rows',
      'Split a larger file into several requests. Rows that already exist are not imported again.');
  end if;
  if p_source is null or char_length(p_source) not between 1 and 64 then
    perform private.invalid('p_source must have 1 to 64 characters',
      'Send the origin of the rows, such as the name of the bank.');
  end if;
  if char_length(p_file_name) not between 1 and 255 then
    perform private.invalid('p_file_name must have 1 to 255 characters', 'Omit it if there is none.');
  end if;
  -- a dry run checks this too, because a caller without the right could not store the new rows
  if public.org_id() is not null
    and not (private.can('imports', 'create') and private.can('transactions', 'create')) then
    perform private.deny('transactions');
  end if;
  if p_account_id is not null then
    select a.currency into account_currency from api.accounts a
      where a.id = p_account_id and a.tenant = private.context_tenant();
    if not found then
      raise sqlstate 'PT404' using message = 'account not found',
        hint = 'p_account_id must be the ID of an account in the active workspace.';
    end if;
  end if;
  balance_day := private.read_stated_balance(stated, p_balance_on, account_currency);

  if coalesce(p_dry_run, true) then
    return query
      with classified as materialized (
        select *
        from private.classify_import(p_rows, p_source, p_account_id, account_currency, p_match is not false,
          p_link_transfers is not false, p_again is true)
      )
      select j.row_number, j.verdict, j.reason, case when j.verdict <> 'new' then j.transaction_id end, f.rule_id,
        f.suggested_category_id, f.because
      from classified j
      left join private.file_import_rows((select json_agg(n) from classified n where n.verdict in ('new', 'transfer')),
        p_account_id) f
        on f.row_number = j.row_number
      where j.row_number <= jsonb_array_length(p_rows)
      order by j.row_number;
    return;
  end if;

  for row_number, verdict, reason, transaction_id, import_id, new_values, rule_id, suggested_category_id, because in
    with classified as materialized (
      select *
      from private.classify_import(p_rows, p_source, p_account_id, account_currency, p_match is not false,
        p_link_transfers is not false, p_again is true)
    ), rules as materialized (
      select f.*
      from private.file_import_rows((select json_agg(n) from classified n where n.verdict in ('new', 'transfer')),
        p_account_id) f
    ), begun as materialized (
      select private.begin_import(p_source, p_account_id, p_file_name,
        count(*) filter (where j.verdict in ('new', 'updated', 'matched', 'transfer'))) as id
      from classified j
      having bool_or(j.verdict in ('new', 'updated', 'matched', 'transfer')) and not bool_or(j.verdict = 'invalid')
    ), stored as (
      insert into api.transactions (
        id, name, amount, transaction_date, booked_on, currency, source, external_id, category_id, reference_no,
        description, status, metadata, account_id, import_id, transfer_id)
      select j.new_id, coalesce(r.name, j.name), j.amount, j.transaction_date, j.booked_on, j.currency, p_source,
        j.external_id,
        coalesce(j.category_id, r.category_id), j.reference_no, j.description, j.status,
        j.metadata, p_account_id, begun.id, case when r.is_transfer then j.new_id else j.transfer_id end
      from classified j cross join begun left join rules r on r.row_number = j.row_number
      where j.verdict in ('new', 'transfer')
    )
    select j.row_number, j.verdict, j.reason, case j.verdict when 'new' then j.new_id else j.transaction_id end,
      (select id from begun),
      case
        when j.verdict in ('updated', 'changed', 'matched', 'transfer', 'deleted') or j.is_closed
          then to_jsonb(j) || jsonb_build_object('set_name', r.name, 'tags', r.tags)
        when num_nonnulls(r.name, r.tags) > 0
          then jsonb_build_object('new_id', j.new_id, 'name', j.name, 'set_name', r.name, 'tags', r.tags)
      end,
      r.rule_id, r.suggested_category_id, r.because
    from classified j left join rules r on r.row_number = j.row_number
    order by j.row_number
  loop
    if verdict = 'invalid' then
      invalid := invalid + 1;
      closed := closed + (new_values is not null)::integer;
      if invalid <= 3 then
        examples := concat_ws('. ', examples, format('Row %s: %s', row_number, reason));
      end if;
    elsif verdict = 'updated' then
      updates := array_append(updates, new_values);
    elsif num_nonnulls(new_values ->> 'set_name', new_values ->> 'tags') > 0 then
      filed := array_append(filed, new_values);
    end if;
    if verdict in ('matched', 'transfer') or verdict = 'updated' and new_values ->> 'said' is not null then
      matches := array_append(matches, new_values);
    end if;
    if verdict in ('updated', 'changed', 'matched', 'deleted') then
      versions := array_append(versions, new_values);
    end if;
    -- the rows after those of the file are of earlier files, whose match has changed
    continue when row_number > jsonb_array_length(p_rows);
    return next;
  end loop;
  if invalid = 0 and updates is not null then
    perform private.store_import_updates(updates);
  end if;
  if invalid = 0 and filed is not null then
    perform private.store_import_rules(import_id, filed);
  end if;
  if invalid = 0 and matches is not null then
    perform private.store_import_matches(import_id, matches);
  end if;
  if invalid = 0 and versions is not null and p_account_id is not null then
    perform private.store_bank_versions(p_account_id, versions);
  end if;
  if invalid = 0 and balance_day is not null then
    perform private.store_stated_balance(import_id, p_account_id, stated, balance_day);
  end if;
  perform set_config('private.import', '', true);
  if invalid > 0 and invalid = closed then
    perform private.reject_closed(private.closed_until(p_account_id, public.uid(), public.org_id()));
  end if;
  if invalid > 0 then
    perform private.invalid(
      format('%s of %s rows can''t be imported. %s', invalid, jsonb_array_length(p_rows), examples),
      'Nothing was saved. A dry run reports the problem in each row.');
  end if;
end
$$;
comment on function api.import_transactions(jsonb, text, uuid, text, boolean, boolean, boolean, boolean, text, text) is
  E'Imports the rows of a bank''s file, without duplicates\n\n'
  '`p_rows` is an array of 1 to 5,000 objects, or an empty array with `p_balance`. The objects have `name` and '
  '`amount` and, if the file has them, `transaction_date`, `currency`, `external_id`, `category_id`, '
  '`reference_no`, `description`, `status` and `metadata`, in the form of a transaction. An amount is a number or '
  'a text such as `"-12.50"`. A day is the same in every time zone, and stored as `booked_on`. Null is a value '
  'that the file does not have. `p_source` names the origin of the rows: together with the account and the '
  '`external_id` it identifies a row in later imports. `p_account_id` is an account of the active context, with '
  'the currency of the rows. `p_file_name` is only displayed.\n\n'
  'Returns for each row, in the order sent: `row_number` from 1, `verdict`, `reason` and `transaction_id`.\n\n'
  '- `new`: the row is stored. `reason` says if the bank has given its id to another transaction too, or if it is '
  'perhaps a transaction of a closed day.\n'
  '- `duplicate`: it exists already, perhaps under another id: imported from another format of the account''s file, '
  'with the same day and amount and a similar text. What the bank said before of a transaction counts too.\n'
  '- `updated`: it exists, and the bank has new values for fields that no user has edited. The fields in `reason` '
  'are updated; category, tags and a user''s own description stay.\n'
  '- `changed`: it exists, and differs in the fields in `reason`. It stays unchanged, because a user''s edits have '
  'priority.\n'
  '- `matched`: a user entered it, a subscription recorded it, or the bank announced it under another id. The '
  'transaction gets the id, day and status of the bank, and keeps its name, category, tags and notes. It has the '
  'same account and amount, and is up to five days away. The nearest day comes first, then the most similar name; '
  'for a recorded subscription first a row with a word of its title. This holds also among the files: the row that '
  'had the transaction before is matched anew or stored, and `reason` names it.\n'
  '- `transfer`: the row is stored, and it and `transaction_id` become the two halves of a transfer. That '
  'transaction has the opposite amount in another account of the context with the same currency, and is up to five '
  'days away. One of these links the two: a text that names the other account; all words of one text in the other; a '
  'word or a code of the bank for a transfer, without a payee beside it; or a rule or a user that marks one as a '
  'transfer. Without a proof, or if several are as near, the row is `new`, and `reason` begins with `possible '
  'transfer`.\n'
  '- `deleted`: it was imported before, also from another format of the account''s file, and a user deleted it. Only '
  '`p_again` stores it.\n'
  '- `invalid`: it cannot be stored, and `reason` explains the error. A row that would add or change a transaction '
  'on a closed day is invalid; the import is 409 if all invalid rows are.\n\n'
  'A `new` row gets the changes of the first of your `rules` that matches it, and a `transfer` its name and tags: '
  '`rule_id` names the rule. A `category_id` in the row has priority, and such a row is not marked as a transfer. '
  'For a row without a category then, `suggested_category_id` is a suggestion, as of `/rpc/suggest_categories`, '
  'which the import does not store. `because` is the reason for both.\n\n'
  '`p_balance` is the balance that the file states for the account, at the end of the day `p_balance_on` '
  '(YYYY-MM-DD). The import stores it in `balances` with the source `statement`, also if it has no new rows. It '
  'replaces another balance of that day, also one that a user entered. 400 for one of the two without the other, '
  'or without `p_account_id`.\n\n'
  '`p_match` false recognizes rows only by their id, `p_link_transfers` false links no transfers.\n\n'
  'A row without a `status` is booked. A booked row never becomes pending again, and an older file never restores '
  'former values.\n\n'
  'A row without an `external_id` is identified by its account, day, amount, currency and name, and its number '
  'among equal rows of its file. So importing the same file again changes nothing, and files may overlap by whole '
  'days.\n\n'
  'With `p_dry_run`, the default, nothing is written. With `p_dry_run` false all `new`, `updated`, `matched` and '
  '`transfer` rows are stored in the active context, as one import that `DELETE /imports` reverts. If one row is '
  'invalid, none is stored: 400 with the first one. 404 for an account that is not of the active context. 403 if your '
  'role may not create. 409 if other writes take too long.';
grant execute on function
  api.import_transactions(jsonb, text, uuid, text, boolean, boolean, boolean, boolean, text, text) to authenticated;
