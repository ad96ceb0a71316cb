-- Runs after _refusals.sql. Each amount is stored with two decimals, unless its currency has more that would be lost. Each column that
-- holds a currency takes one that there is, and an amount has no decimals where its currency has none. All of it holds for what is
-- written from now on: a row of before keeps its currency when another column of it changes, which a constraint would not let it. So each
-- is a trigger, and one that is about currencies has the name of a rule, which client/fields.ts has too.

do $currencies$
declare
  -- nearly every row is of one of these, so they are compared first
  usual constant text[] := '{usd,eur,gbp,chf,cad,aud}';
  known constant text := (select format('%L::text[]', array_agg(code order by array_position(usual, code), code)) from private.currencies);
  whole constant text := (select format('%L::text[]', array_agg(code order by code <> 'jpy', code)) from private.currencies where decimals = 0);
  held record;
  rule record;
  amount record;
begin
  for held in
    select c.oid::regclass as name, c.relname, a.attname as currency,
      -- the amount that is in this currency, which nobody can tell where a row has two
      case when count(*) over (partition by c.oid) = 1 then (
        select m.attname from pg_attribute m
        where m.attrelid = c.oid and not m.attisdropped and m.atttypid = 'numeric'::regtype and m.atttypmod = -1
      ) end as amount
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_constraint k on k.conrelid = c.oid and k.contype = 'c' and k.conname = format('%s_%s_form', c.relname, a.attname)
    where c.relnamespace = 'api'::regnamespace and pg_get_expr(k.conbin, k.conrelid) like '%^[a-z]{3}$%'
  loop
    for rule in
      select * from (values
        (2, held.currency || '_known', format('new.%I <> all (%s)', held.currency, known), array[held.currency]),
        (3, held.amount || '_fits_currency',
          case when held.amount is not null then
            format('new.%1$I <> all (%2$L::text[]) and new.%1$I = any (%3$s) and new.%4$I <> trunc(new.%4$I)', held.currency, usual, whole, held.amount) end,
          array[held.amount, held.currency])
      ) as rules (place, name, is_broken, columns)
      where rules.name is not null
    loop
      -- after explain_refusal(), which refuses what is no three letters
      execute format('create trigger %I before insert on %s for each row when (%s) execute function private.refuse_row(%s)',
        format('%s_z_%s_%s', held.relname, rule.place, rule.name), held.name, rule.is_broken,
        (select string_agg(quote_literal(argument), ', ') from unnest(format('%s_%s', held.relname, rule.name) || rule.columns::text[]) as argument));
      execute format('create trigger %I before update on %s for each row when ((%s) and (%s)) execute function private.refuse_row(%s)',
        format('%s_z_%s_changed_%s', held.relname, rule.place, rule.name), held.name, rule.is_broken,
        (select string_agg(format('new.%I is distinct from old.%1$I', changed), ' or ') from unnest(rule.columns) as changed),
        (select string_agg(quote_literal(argument), ', ') from unnest(format('%s_%s', held.relname, rule.name) || rule.columns::text[]) as argument));
    end loop;
  end loop;

  -- a numeric without a scale is an amount: db/lints/amounts_unrounded.sql
  for amount in
    select c.oid::regclass as name, c.relname, m.attname as column, coalesce(currency.attname, 'currency') as currency,
      coalesce('new.' || quote_ident(currency.attname), 'private.currency_of_transaction(new.transaction_id)') as its_currency
    from pg_class c
    join pg_attribute m on m.attrelid = c.oid and m.attnum > 0 and not m.attisdropped and m.atttypid = 'numeric'::regtype and m.atttypmod = -1
    -- a line item has its transaction's
    left join pg_attribute currency on currency.attrelid = c.oid and currency.attname ~ 'currency$' and not currency.attisdropped
    where c.relnamespace = 'api'::regnamespace and c.relkind = 'r'
  loop
    -- Before explain_refusal(), so that constraints are asked of what is stored. NaN is left to them; it is greater than all numbers.
    for rule in
      select * from (values
        (1, amount.column || '_in_range', format('abs(new.%1$I) >= 999999999999.995 and new.%1$I <> ''NaN''', amount.column),
          'refuse_overflow', array[amount.column]),
        (2, amount.column || '_fits_currency', format('scale(new.%1$I) > 2 and not private.fits_cents(new.%1$I, %2$s)', amount.column, amount.its_currency),
          'refuse_row', array[format('%s_%s_fits_currency', amount.relname, amount.column), amount.column, amount.currency]),
        (3, 'round_' || amount.column, format('scale(new.%I) <> 2', amount.column), 'round_' || amount.column, '{}'::text[])
      ) as rules (place, name, is_broken, refused_by, arguments)
    loop
      execute format('create trigger %I before insert or update on %s for each row when (%s) execute function private.%I(%s)',
        format('%s_z_0_%s_%s', amount.relname, rule.place, rule.name), amount.name, rule.is_broken, rule.refused_by,
        (select string_agg(quote_literal(argument), ', ') from unnest(rule.arguments) as argument));
    end loop;
  end loop;
end
$currencies$;
