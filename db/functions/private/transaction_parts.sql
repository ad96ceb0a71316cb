-- Line items and tag associations belong to whomever their transaction belongs to. They have its owner pair, so that a row
-- rule knows whose they are without asking for the transaction: of a personal one user_id, of a team's organization_id and
-- no user, because whoever created it may leave. The pair is true because it is copied here, a part moves within its tenant
-- alone, and a transaction keeps its pair (keep_identity()) or hands a new one on (pass_owner_on()).

create or replace function private.set_owner_of_part() returns trigger
  -- a connection keeps the plan, also one of when there were few transactions, which would read all of them for each part
  language plpgsql set search_path = '' set enable_seqscan = off
as $$
declare
  whole record;
begin
  if current_user = 'authenticated' and tg_op = 'INSERT' and tg_table_name = 'line_items' then
    perform private.refuse_hidden_row(tg_table_name, (to_jsonb(new) ->> 'id')::uuid);
  end if;
  -- without a transaction there is nobody whose row it would be, so the policy cannot be asked first
  if new.transaction_id is null then
    perform private.refuse_null(tg_relid, 'transaction_id');
  end if;
  -- row security applies here: a transaction that the caller does not see is not found
  select case when organization_id is null then user_id end as user_id, organization_id into whole
    from api.transactions where id = new.transaction_id;
  if not found then
    perform private.refuse_reference(tg_table_name, 'transaction_id', 'transactions');
  end if;
  if current_user = 'authenticated' then
    if tg_op = 'UPDATE' then
      if (old.user_id, old.organization_id) is distinct from (whole.user_id, whole.organization_id) then
        perform private.refuse_reference(tg_table_name, 'transaction_id', 'transactions');
      end if;
      -- keep_identity() refuses another pair
      return new;
    end if;
    if coalesce(new.user_id, whole.user_id) is distinct from whole.user_id
      or coalesce(new.organization_id, whole.organization_id) is distinct from whole.organization_id then
      perform private.deny(tg_table_name);
    end if;
  end if;
  new.user_id := whole.user_id;
  new.organization_id := whole.organization_id;
  return new;
end
$$;
comment on function private.set_owner_of_part() is
  'Fills the owner pair from the transaction. Refuses a transaction_id that the caller does not see, a move to another tenant''s transaction, and another pair than the transaction''s.';

-- Callers cannot move a transaction to another tenant. The owner of the database can, and its parts must not stay behind.
create or replace function private.pass_owner_on() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  -- set_owner_of_part() fills in what the pair is now
  update api.line_items set organization_id = new.organization_id, user_id = new.user_id where transaction_id = new.id;
  update api.transaction_tags set organization_id = new.organization_id, user_id = new.user_id where transaction_id = new.id;
  return null;
end
$$;
comment on function private.pass_owner_on() is 'Gives the parts of a transaction its new owner pair.';

create or replace function private.check_tag() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if not exists (
    select from api.tags g
    where g.id = new.tag_id and private.same_tenant(g.user_id, g.organization_id, new.user_id, new.organization_id)
  ) then
    perform private.refuse_reference(tg_table_name, 'tag_id', 'tags');
  end if;
  return null;
end
$$;
comment on function private.check_tag() is 'Refuses a tag of another tenant than the transaction''s.';
