create or replace function api.next_due_on(api.subscriptions) returns date
  language plpgsql stable set search_path = ''
as $$
begin
  -- occurrences come in their order, and one at a time: the first that is not recorded ends the search
  return (
    select o.due_on
    from private.occurrences($1, current_date, coalesce($1.ends_on, date '2199-12-31')) o
    where not exists (select from private.recording($1, o.due_on))
    limit 1);
end
$$;
comment on function api.next_due_on(api.subscriptions) is
  'The first day from today on, on which it is due and not recorded; null when there is none. Today is UTC''s, or of the time zone in `Prefer: timezone=…`';
grant execute on function api.next_due_on(api.subscriptions) to authenticated;
