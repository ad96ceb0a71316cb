-- What line items and tag associations share. They have no owner pair, so every rule asks their transaction, under the row
-- rules of transactions.

create function pg_temp.protect_part(p_table text) returns void
  language plpgsql
as $protect$
declare
  visible constant text := 'exists (select from api.transactions t where t.id = transaction_id)';
  -- CASE, because PostgreSQL promises its order and not that of OR
  allowed constant text :=
    'case when exists (select from api.transactions t'
    ' where t.id = transaction_id and (t.organization_id is null or (select private.can(%1$L, %2$L))))'
    ' then true else private.deny(%1$L) end';
begin
  perform pg_temp.grant_rows(p_table, visible, format(allowed, p_table, 'create'), format(allowed, p_table, 'update'));

  execute format($sql$
    create trigger %2$I before insert on api.%1$I
      for each row execute function private.check_transaction();
    create trigger %3$I before update on api.%1$I
      for each row
      when (old.transaction_id <> new.transaction_id)
      execute function private.check_transaction();
    create trigger %4$I before delete on api.%1$I
      for each row execute function private.require_part_delete();
  $sql$, p_table, p_table || '_check_transaction_of_new', p_table || '_check_transaction_of_moved', p_table || '_require_delete');
  perform pg_temp.keep_turns(p_table);
end
$protect$;
