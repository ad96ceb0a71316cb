-- What the reports select, as conditions on api.transactions in SQL text: the planner then uses an index for them, and a row
-- is asked quickly. Nothing of what was sent becomes part of that text as it is: a field is one of the filters' list, and a
-- value is a quoted literal made from a typed value.

create or replace function private.range_condition(p_field text, p_ranges anymultirange) returns text
  language sql stable set search_path = ''
  -- a text, because PostgreSQL parses no other body of a function of any type
as $$
  select case
    when isempty(p_ranges) then 'false'
    -- a list of values is searched by its hash
    when (select bool_and(coalesce(lower(r) = upper(r), false)) from unnest(p_ranges) r) then format('%I = any (%L)', p_field, array(select lower(r) from unnest(p_ranges) r))
    when (select count(*) from unnest(p_ranges)) > 1 then format('%I::%s <@ %L::%s', p_field, pg_typeof(lower(p_ranges)), p_ranges, pg_typeof(p_ranges))
    -- two comparisons find an index; quote_literal of an end that is not there is null, which concat_ws leaves out
    else coalesce(nullif(concat_ws(' and ',
      quote_ident(p_field) || case when lower_inc(p_ranges) then ' >= ' else ' > ' end || quote_literal(lower(p_ranges)),
      quote_ident(p_field) || case when upper_inc(p_ranges) then ' <= ' else ' < ' end || quote_literal(upper(p_ranges))), ''), 'true')
  end
$$;
comment on function private.range_condition(text, anymultirange) is 'That a column is within ranges, as SQL text.';

create or replace function private.date_condition(p_moments tstzmultirange, p_days datemultirange) returns text
  language sql stable set search_path = ''
  return concat_ws(' and ',
    -- first what an index can be asked
    private.range_condition('transaction_date', tstzmultirange(private.reach(p_moments, p_days))),
    case when p_moments <> '{(,)}' or p_days <> '{(,)}' then
      format('case when booked_on is null then %s else %s end', private.range_condition('transaction_date', p_moments), private.range_condition('booked_on', p_days))
    end);
comment on function private.date_condition(tstzmultirange, datemultirange) is
  'That a transaction is within some moments, or one with a day of its own within some days, as SQL text.';

create or replace function private.days_condition(p_days daterange) returns text
  language sql stable set search_path = ''
  return private.date_condition(private.moments(datemultirange(p_days)), datemultirange(p_days));
comment on function private.days_condition(daterange) is
  'That a transaction is within some whole days, as SQL text: by its own day, or by its moment in the request''s time zone.';

create or replace function private.transaction_terms(p_filters jsonb) returns table (field text, condition text)
  language sql stable rows 1 set search_path = ''
begin atomic
  select c.field, case c.kind
      -- one subquery that is asked by its hash: for the planner, which knows of no tenant how many rows it has, a join could as
      -- well ask one by one
      when 'tag' then format(
        '(id in (select transaction_id from api.transaction_tags where %s)) is %s true',
        case when c.texts is null then 'true' else format('tag_id = any (%L)', c.texts) end, case when c.is_negated then 'not' end)
      when 'search' then format('(name ~~* any (%1$L) or description ~~* any (%1$L) or reference_no ~~* any (%1$L))', c.texts)
      else format(case when c.takes_null then '(%1$I is null or %2$s)' else '(%1$I is not null and %2$s)' end, c.field, case c.kind
        when 'number' then private.range_condition(c.field, c.numbers)
        when 'date' then case c.field when 'transaction_date' then private.date_condition(c.moments, c.days) else private.range_condition(c.field, c.moments) end
        else format('%s %I %s any (%L)', case when c.is_negated then 'not' end, c.field, c.likeness, c.texts)
      end)
    end
  from private.transaction_conditions(p_filters) c;
end;
comment on function private.transaction_terms(jsonb) is 'The filters as conditions on api.transactions, as SQL text, all of which must hold; each with the field it is about.';

create or replace function private.context_condition(p_user_id text, p_organization_id text) returns text
  language plpgsql stable set search_path = ''
as $$
begin
  -- someone else's numbers are refused and not just empty
  if p_user_id <> public.uid() or p_organization_id <> public.org_id() or (p_organization_id is not null and public.org_id() is null) then
    perform private.deny('transactions');
  end if;
  -- Not the values themselves: the planner would look up how common they are, take that and the row rule for two things that
  -- have nothing to do with each other, and read from the table what the index of the tenant has.
  return case
    when p_organization_id is null then '(organization_id is null and user_id = (select private.personal_id()))'
    else '(organization_id = (select public.org_id()))'
  end;
end
$$;
comment on function private.context_condition(text, text) is
  'The rows of one context as a condition on any table with an owner pair, as SQL text. It only narrows: the row rules hold besides.';

grant execute on function private.range_condition(text, anymultirange), private.date_condition(tstzmultirange, datemultirange), private.days_condition(daterange),
  private.transaction_terms(jsonb), private.context_condition(text, text) to authenticated;
