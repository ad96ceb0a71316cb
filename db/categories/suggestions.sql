-- after: transactions/tables
-- Categories learned from the transactions of a context. Nothing is stored: each suggestion counts the stored
-- transactions of the same payee. So an undo also reverts what was learned.

create or replace function private.payee_key(p_name text) returns text
  -- without a SET clause, so that the planner can inline it and use the index of its expression
  language sql immutable parallel safe
  return coalesce(
    nullif(
      btrim(
        regexp_replace(lower(normalize(p_name, nfkc)),
          '([[:alpha:]]*[0-9]+[[:alpha:]]+[[:alnum:]]*|[0-9]+|[^[:alnum:]]+)+', ' ', 'g')),
      ''),
    lower(normalize(p_name, nfkc)));
comment on function private.payee_key(text) is
  E'The payee in the name of a transaction\n\n'
  'In lower case, without digits, dates, punctuation, and references such as `2K4TT3`. If nothing is left, the whole '
  'name.';

create or replace function private.payee_of_tenant(p_tenant text, p_payee text) returns text
  language sql immutable parallel safe
  return p_tenant || ' ' || p_payee;
comment on function private.payee_of_tenant(text, text) is
  'The key of a tenant''s payee in an index. Keys of two tenants may be equal, so compare the tenant too.';

-- Runs with the definer's rights, because under row security the planner cannot use an index on an expression. The
-- conditions on the tenant are those of the policy of transactions. They follow the OFFSET, so that the planner uses
-- no other index.
create or replace function private.learned_categories(p_payees text[], p_signs integer[], p_are_personal boolean[])
  returns table (
    payee text, sign integer, is_personal boolean, category_id uuid, agreeing bigint, seen bigint, newest uuid[])
  language sql stable security definer set search_path = '' set enable_seqscan = off set jit = off
begin atomic
  with asked as materialized (
    select distinct a.payee, a.sign, a.is_personal, t.tenant
    from unnest(p_payees, p_signs, p_are_personal) as a (payee, sign, is_personal)
    join (
      select true as is_personal, private.personal_tenant() as tenant
      union all
      select false, private.team_tenant('transactions', 'list')
    ) as t on t.is_personal = a.is_personal
  )
  select a.payee, a.sign, a.is_personal, c.category_id, c.agreeing,
    sum(c.agreeing) over (partition by a.payee, a.sign, a.is_personal)::bigint, c.newest
  from asked a
  cross join lateral (
    select l.category_id, count(*) as agreeing, (array_agg(l.id order by l.transaction_date desc, l.id))[:6] as newest
    from (
      select t.id, t.category_id, t.amount, t.transaction_date, t.tenant
      from api.transactions t
      where private.payee_of_tenant(t.tenant, private.payee_key(t.name)) = private.payee_of_tenant(a.tenant, a.payee)
        and t.category_id is not null and t.transfer_id is null
      offset 0
    ) as l
    where sign(l.amount) = a.sign
      and l.tenant = a.tenant
    group by l.category_id
  ) c;
end;
comment on function private.learned_categories(text[], integer[], boolean[]) is
  'The categories of the caller''s transactions of some payees: how many transactions of a payee and sign have this '
  'category, how many have any, and the six newest with this one. is_personal: in the personal context, otherwise '
  'in the active organization.';

create or replace function private.category_suggestions(
  p_names text[], p_amounts numeric[], p_transaction_ids uuid[], p_own_categories uuid[], p_are_personal boolean[]
)
  returns table (place integer, category_id uuid, share numeric, seen bigint, because text)
  language sql stable set search_path = '' set jit = off
begin atomic
  with asked as materialized (
    select a.place::integer, private.payee_key(a.name) as payee, sign(a.amount)::integer as sign, a.transaction_id,
      a.own_category, a.is_personal
    from unnest(p_names, p_amounts, p_transaction_ids, p_own_categories, p_are_personal)
      with ordinality as a (name, amount, transaction_id, own_category, is_personal, place)
  ), learned as materialized (
    select l.* from private.learned_categories(
      (select array_agg(a.payee order by a.place) from asked a),
      (select array_agg(a.sign order by a.place) from asked a),
      (select array_agg(a.is_personal order by a.place) from asked a)) l
  ), best as (
    select distinct on (a.place) a.place, a.payee, a.transaction_id, c.*
    from asked a
    left join learned l on l.payee = a.payee and l.sign = a.sign and l.is_personal = a.is_personal
    -- a transaction does not learn from itself
    left join lateral (
      select l.category_id, l.newest,
        l.agreeing - (coalesce(l.category_id = a.own_category, false))::integer as agreeing,
        nullif(l.seen - (a.own_category is not null)::integer, 0) as seen
    ) c on true
    order by a.place, c.agreeing desc nulls last, c.category_id
  ), decided as (
    select b.*, k.name as category,
      coalesce(b.agreeing >= 3 and 5 * b.agreeing >= 4 * b.seen and k.id is not null, false) as is_suggested
    from best b left join api.categories k on k.id = b.category_id
  )
  select d.place, case when d.is_suggested then d.category_id end, round(d.agreeing::numeric / d.seen, 4),
    coalesce(d.seen, 0),
    case
      when d.seen is null then format('no transaction with "%s" has a category yet', d.payee)
      when d.is_suggested
        then format('%s of %s transactions with "%s" are in %s, such as %s', d.agreeing, d.seen, d.payee, d.category,
        array_to_string((array_remove(d.newest, d.transaction_id))[:5], ', '))
      when d.agreeing < 3 then format('fewer than three transactions with "%s" have the same category', d.payee)
      else format('only %s of %s transactions with "%s" have the same category', d.agreeing, d.seen, d.payee)
    end
  from decided d
  order by d.place;
end;
comment on function private.category_suggestions(text[], numeric[], uuid[], uuid[], boolean[]) is
  E'The category that transactions of the same payee and sign have\n\n'
  'A category is suggested if at least three transactions and four fifths of all agree. p_transaction_ids and '
  'p_own_categories are null for a row that is not stored, and p_own_categories also for one that others do not learn '
  'from. `share` is the part that agrees, of `seen` transactions with a category.';

grant execute on function private.payee_key(text), private.payee_of_tenant(text, text),
  private.learned_categories(text[], integer[], boolean[]),
  private.category_suggestions(text[], numeric[], uuid[], uuid[], boolean[]) to authenticated;
