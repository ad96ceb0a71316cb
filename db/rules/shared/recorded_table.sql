-- What all money tables share: each statement that changes them is recorded (db/functions/private/activity.sql).

create function pg_temp.keep_activity(p_table text) returns void
  language plpgsql
as $keep$
begin
  execute format($sql$
    create trigger %2$I after insert on api.%1$I
      referencing new table as new_rows
      for each statement execute function private.%5$I();
    create trigger %3$I after update on api.%1$I
      referencing old table as old_rows new table as new_rows
      for each statement execute function private.%6$I();
    create trigger %4$I after delete on api.%1$I
      referencing old table as old_rows
      for each statement execute function private.record_deletion();
  $sql$, p_table, p_table || '_record_creation', p_table || '_record_change', p_table || '_record_deletion',
    case p_table when 'transaction_tags' then 'record_association' else 'record_creation' end,
    case p_table when 'transaction_tags' then 'record_changed_association' else 'record_change' end);
  -- The owner of the database and the auth service have no claims: the deletion of an account deletes all its rows.
  execute format($sql$
    create trigger %2$I before insert on api.%1$I
      for each row
      when (current_setting('request.jwt.claims', true) <> '' and private.one_more('created') > private.most_rows_of_change())
      execute function private.refuse_large_change();
    create trigger %3$I before update or delete on api.%1$I
      for each row
      when (current_setting('request.jwt.claims', true) <> '' and private.one_more('changed') > private.most_rows_of_change())
      execute function private.refuse_large_change();
  $sql$, p_table, p_table || '_0_count_created', p_table || '_0_count_changed');
end
$keep$;
