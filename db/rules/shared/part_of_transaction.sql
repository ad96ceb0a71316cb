-- What line items and tag associations share: their owner pair is their transaction's (db/functions/private/transaction_parts.sql).

create function pg_temp.protect_part(p_table text) returns void
  language plpgsql
as $protect$
begin
  perform pg_temp.protect_tenant(p_table);

  execute format($sql$
    create trigger %2$I before insert on api.%1$I
      for each row execute function private.set_owner_of_part();
    create trigger %3$I before update on api.%1$I
      for each row
      when (old.transaction_id <> new.transaction_id
        or old.user_id is distinct from new.user_id or old.organization_id is distinct from new.organization_id)
      execute function private.set_owner_of_part();
    comment on column api.%1$I.user_id is 'Who its transaction belongs to, where that is personal. Filled from it; cannot be changed';
    comment on column api.%1$I.organization_id is 'The team its transaction belongs to. Filled from it; cannot be changed';
  $sql$, p_table, p_table || '_1_set_owner', p_table || '_1_set_owner_of_moved');
  perform pg_temp.keep_turns(p_table);
end
$protect$;
