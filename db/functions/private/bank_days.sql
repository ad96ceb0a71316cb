-- A transaction that was sent with a whole day has that day in booked_on, and the day's first moment in the request's time zone in
-- transaction_date. So what a bank booked on a day is of that day for every member, wherever they are.
--
-- A caller may send transaction_date, booked_on or both. These triggers settle one by the other.

create or replace function private.read_date_of_new() returns trigger
  language plpgsql set search_path = ''
as $$
declare
  day constant date := private.marked_day(new.transaction_date);
begin
  if day is not null then
    if new.booked_on <> day then
      perform private.refuse_other_day(tg_relid, tg_op, new);
    end if;
    new.booked_on := day;
    -- An upsert changes the columns that were sent, so read_date_of_changed() has to know of the day.
    perform set_config('private.whole_day', new.id || ' ' || day, true);
  end if;
  new.transaction_date := new.booked_on::timestamptz;
  return new;
end
$$;
comment on function private.read_date_of_new() is 'Gives a new transaction that has a whole day, in one of its two dates, the other.';

create or replace function private.read_booked_on_of_changed() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  perform set_config('private.sent_day', concat_ws(' ', new.id, new.booked_on), true);
  if new.booked_on is distinct from old.booked_on and new.transaction_date = old.transaction_date and new.transaction_date::date <> new.booked_on then
    new.transaction_date := new.booked_on::timestamptz;
  end if;
  return new;
end
$$;
comment on function private.read_booked_on_of_changed() is
  'Gives a transaction of which a request changes the day alone a moment of that day. Notes that the request sent one, for read_date_of_changed().';

create or replace function private.read_date_of_changed() returns trigger
  language plpgsql set search_path = ''
as $$
declare
  whole text[] := string_to_array(current_setting('private.whole_day', true), ' ');
  sent text[] := string_to_array(current_setting('private.sent_day', true), ' ');
  day date := private.marked_day(new.transaction_date);
begin
  if day is null and whole[1] = new.id::text then
    day := whole[2];
  end if;
  if day is not null then
    if sent[1] = new.id::text and sent[2] <> day::text then
      perform private.refuse_other_day(tg_relid, tg_op, new);
    end if;
    new.booked_on := day;
    new.transaction_date := day::timestamptz;
  elsif new.transaction_date <> old.transaction_date and sent[1] is distinct from new.id::text then
    -- another moment is no bank's day any more
    new.booked_on := null;
  end if;
  return new;
end
$$;
comment on function private.read_date_of_changed() is
  'Gives a transaction its day where a request changes its date to a whole day, and takes the day away where it changes to a moment.';

create or replace function private.refuse_other_day(p_table regclass, p_operation text, p_row anyelement) returns void
  language plpgsql set search_path = ''
as $$
begin
  perform private.ask_policy(p_table, p_operation, p_row);
  perform private.refuse_value(p_table, 'transactions_booked_on_is_day_of_date', '{transaction_date,booked_on}');
end
$$;
comment on function private.refuse_other_day(regclass, text, anyelement) is 'Refuses a transaction with a whole day in transaction_date and another in booked_on: 23514 (HTTP 400).';
grant execute on function private.refuse_other_day(regclass, text, anyelement) to authenticated;
