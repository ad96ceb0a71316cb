-- What every row with user_id and organization_id is held to, its own or its transaction's: who reaches it, that neither of
-- the two changes, and which role deletes.

-- Which rows of a table a caller sees, as a condition. `p_sees` is what else must hold of a team's.
create function pg_temp.visible_rows(p_table text, p_sees text default null) returns text
  language sql
  return format(
    $sql$((organization_id is null and user_id = (select private.personal_id())) or (%s))$sql$,
    concat_ws(' and ', format('(organization_id = (select public.org_id()) and (select private.can(%L, %L)))', p_table, 'list'),
      -- A second time what the index is asked already. Where the planner has no statistics of a table, it takes a two-hundredth
      -- of all rows for the team's; this makes a two-hundredth of that, and so a caller's rows few, as they are.
      'organization_id = (select public.org_id())', '(' || p_sees || ')'));

create function pg_temp.protect_tenant(p_table text, p_sees text default null) returns void
  language plpgsql
as $protect$
declare
  -- a caller reaches the personal rows that are theirs, and the active organization's if the role may
  mine constant text := '(organization_id is null and user_id = (select private.personal_id()))';
  ours constant text := '(organization_id = (select public.org_id()) and (select private.can(%L, %L)))';
  -- A change that the role does not allow is an error and not "no rows". CASE, because PostgreSQL promises its order and
  -- not that of OR.
  allowed constant text := format('case when %s or %s then true else private.deny(%L) end', mine, ours, p_table);
begin
  perform pg_temp.grant_rows(p_table, pg_temp.visible_rows(p_table, p_sees), format(allowed, p_table, 'create'), format(allowed, p_table, 'update'));

  execute format($sql$
    create trigger %2$I before update on api.%1$I
      for each row
      when (%4$s old.user_id is distinct from new.user_id or old.organization_id is distinct from new.organization_id)
      execute function private.keep_identity();
    create trigger %3$I before delete on api.%1$I
      for each row
      when (old.organization_id is not null)
      execute function private.require_delete();
  $sql$, p_table, p_table || '_keep_owner', p_table || '_require_delete',
    (select 'old.id <> new.id or' from pg_attribute where attrelid = format('api.%I', p_table)::regclass and attname = 'id'));
  -- where widgets stand moves no money
  if p_table <> 'dashboards' then
    perform pg_temp.keep_activity(p_table);
  end if;
  if exists (select from pg_attribute where attrelid = format('api.%I', p_table)::regclass and attname = 'id') then
    execute format('comment on column api.%I.id is %L', p_table, 'Identifier');
  end if;
end
$protect$;
