create or replace function api.undo(p_activity_id uuid) returns jsonb
  language plpgsql volatile set search_path = ''
as $$
declare
  -- row security applies here: activity that the caller does not see is not found
  change constant uuid := (select a.change_id from api.activity a where a.id = p_activity_id);
begin
  if change is null then
    raise sqlstate 'PT404' using message = 'activity not found', hint = 'p_activity_id is the id of a row of activity that you see.';
  end if;
  return private.take_back(change);
end
$$;
comment on function api.undo(uuid) is
$$Takes back what a request did

All that the request of this row of activity did to your personal rows and, while an organization is active, to the organization's: what it deleted returns with its ids, times and users, what it changed is as it was before, what it created is deleted. All of it happens or nothing. The undo is a request like any other: it is in activity, and can be taken back.

Answers {`change_id`, `create`, `update`, `delete`}: the `change_id` of its own activity, and how many rows it created, updated and deleted. 404 when you do not see the row of activity; 403 when your role may not do the opposite of what was done; 409 when a row is no longer as the request left it, or something has come to refer to what it created, so that a second undo is 409 too.$$;
grant execute on function api.undo(uuid) to authenticated;
