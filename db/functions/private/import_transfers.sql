-- The other halves of transfers between two own accounts.
--
-- An opposite amount within five days is only a candidate, because a purchase and a refund may have the same amount. A transfer needs a proof
-- in the texts or the days, or the user. A day makes sense if the money arrives on the day on which it leaves, or later, or one day before.

create or replace function private.generic_words() returns text[]
  language sql immutable parallel safe
  return regexp_split_to_array(
    'the and for from with via von vom nach und für fur der die das den zur zum per des les del della van het een naar para por con una '
    || 'payment payments paid zahlung paiement pago pagamento betaling einzahlung auszahlung eingang ausgang incoming outgoing received sent '
    || 'card karte kartenzahlung carte tarjeta carta kaart visa mastercard maestro debit credit kredit lastschrift gutschrift dauerauftrag auftrag bank '
    || 'account acct konto compte cuenta conto rekening private privat personal business joint current main sepa online mobile direct standing order instant echtzeit '
    || 'deposit withdrawal cash bargeld purchase transaction transaktion buchung entry reference referenz iban bic monthly month monat '
    || 'january february march april may june july august september october november december '
    || 'januar februar märz mai juni juli oktober dezember jan feb mar apr jun jul aug sep oct nov dec '
    || 'transfer transfers xfer tfr umbuchung übertrag uebertrag überweisung ueberweisung virement traspaso transferencia bonifico giroconto overboeking', '\s+');
comment on function private.generic_words() is 'Words of bank statements that say nothing about the other side of a payment, in lower case.';

create or replace function private.names_account(p_words text[], p_account api.accounts) returns boolean
  language sql stable
  return exists (
      select from unnest(array[p_account.name, p_account.institution]) as n (name)
      cross join lateral (select private.words_of(n.name) as words) w
      where w.words <@ p_words and exists (select from unnest(w.words) as word where char_length(word) >= 3 and word <> all (private.generic_words())))
    or char_length(p_account.account_number) >= 3 and exists (
      select from unnest(p_words) as word
      -- the number itself if it is no year, a masked one, or an IBAN
      where word = p_account.account_number and word !~ '^(19|20|21)..$' or word ~ ('^(x+|[a-z]{2}[0-9]{2}[a-z0-9]{7,26})' || p_account.account_number || '$'));
comment on function private.names_account(text[], api.accounts) is
  'Whether the words of a transaction contain the name, the bank or the number of an account. accounts.account_number has the last digits.';

-- Each row of p_rows has row_number, name, amount, day, currency, description, status and metadata.
create or replace function private.transfer_candidates(p_rows jsonb, p_account_id uuid, p_excluded uuid[])
  returns table (row_number integer, transaction_id uuid, distance integer, strength integer, is_in_order boolean, is_closed boolean, pair_group text, created_at timestamptz, reason text)
  language sql stable security definer set search_path = '' set enable_seqscan = off set enable_sort = off
begin atomic
  with rows as materialized (
    select r.*
    from jsonb_to_recordset(p_rows) as r (
      row_number integer, name text, amount numeric, day date, currency text, description text, status text, metadata jsonb)
    where r.status <> 'failed' and r.amount <> 0
  ), accounts as materialized (
    select a as account
    from api.accounts a
    where private.same_tenant(a.user_id, a.organization_id, (select public.uid()), (select public.org_id()))
  ), candidates as materialized (
    select g.amount as row_amount, g.day as row_day, t.*
    from (select distinct r.amount, r.day, r.currency from rows r) as g
    cross join lateral (
      select t.id, t.name, t.description, t.metadata, t.account_id, t.created_at, t.transfer_id is not null as is_marked,
        coalesce(t.booked_on, t.transaction_date::date) as day, a.name as account_name,
        ((select private.has_closed_days())
          and coalesce(t.booked_on, t.transaction_date::date) <= private.closed_until(t.account_id, t.user_id, t.organization_id)) is true as is_closed
      from private.rows_of_amount(- g.amount, g.day) t
      join api.accounts a on a.id = t.account_id
      where t.account_id <> p_account_id and t.currency = g.currency
        -- a transfer without another half has the id of its transaction
        and (t.transfer_id is null or t.transfer_id = t.id)
        and not exists (select from unnest(p_excluded) as x (id) where x.id = t.id)
        -- a half has no line items with a category
        and not exists (select from api.line_items l where l.transaction_id = t.id and l.category_id is not null)
      order by abs(coalesce(t.booked_on, t.transaction_date::date) - g.day), t.created_at, t.id
      limit 200
    ) as t
  ), texts as materialized (
    select x.row_number, x.transaction_id, array(select (a.account).id from accounts a where private.names_account(w.words, a.account)) as named,
      array(
        select word from unnest(private.words_of(concat_ws(' ', x.name, x.description))) as word
        where char_length(word) >= 4 and word ~ '[[:alpha:]]|^[0-9]{6,}$' and word <> all (private.generic_words())) as own_words,
      w.phrase ~ '\m(transfer(s|red)?|xfer|tfr|umbuchung(en)?|umgebucht|übertrag|uebertrag|giroconto|girofondo|traspaso|autopay)\M' as is_transfer,
      w.phrase ~ '\m(transfer(s|red)?|xfer|überweisung|ueberweisung|virement|vir|transferencia|transferência|bonifico|overboeking|overschrijving|överföring|overføring|overførsel|przelew|převod|prevod|tilisiirto|átutalás|havale|book)\M'
        as is_payment,
      w.phrase ~ '\m(refund|revers|chargeback|cashback|rebate|payroll|salar|wage|pension|rent|landlord|invoice|dividend|erstatt|rückerstatt|retoure|storno|gehalt|lohn|miete|rechnung|remboursement|loyer|facture|reembolso|devoluci|nómina|nomina|alquiler|factura|rimborso|stipendio|affitto|fattura|terugbetaling|huur|factuur|estorno|aluguel|återbetalning|lön|hyra|løn|husleie|wynagrodzenie|zwrot|czynsz)'
        as is_other
    from (
      select r.row_number, null::uuid as transaction_id, r.name, r.description, r.metadata from rows r where exists (select from candidates c where c.row_amount = r.amount and c.row_day = r.day)
      union all
      select distinct on (c.id) null::integer as row_number, c.id, c.name, c.description, c.metadata from candidates c order by 2
    ) x
    cross join lateral (
      select private.words_of(concat_ws(' ', x.name, x.description, x.metadata ->> 'type', x.metadata ->> 'kind', x.metadata ->> 'category', x.metadata ->> 'iban'))
        -- an IBAN in groups of four
        || array(
          select lower(replace(found.iban[1], ' ', ''))
          from regexp_matches(concat_ws(' ', x.name, x.description), '\m([A-Z]{2}[0-9]{2}(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,3})?)\M', 'g') as found (iban)) as words
    ) v
    cross join lateral (select v.words, array_to_string(v.words, ' ') as phrase) w
  )
  select r.row_number, c.id, abs(c.day - r.day),
    case
      when c.is_closed or not o.is_in_order then 0
      when c.is_marked or c.account_id = any (one.named) or p_account_id = any (other.named) then 2
      when one.is_other or other.is_other then 0
      when one.is_payment and other.is_payment or one.is_transfer and other.is_transfer
        or least(private.common_share(one.own_words, other.own_words), private.common_share(other.own_words, one.own_words)) >= 0.5 then 2
      -- the text of one side is weaker, and does not count if it names a third account
      when (one.is_transfer or other.is_transfer) and array[p_account_id, c.account_id] @> (one.named || other.named) then 1
      else 0
    end,
    o.is_in_order and not c.is_closed, c.is_closed, concat_ws(' ', r.amount, r.day, c.account_id, c.day), c.created_at,
    case
      when c.is_closed then format('perhaps half of a transfer with "%s" of a closed day', left(c.name, 100))
      else format('transfer with "%s" of %s in account "%s"', left(c.name, 100), c.day, left(c.account_name, 100))
    end
  from rows r
  join candidates c on c.row_amount = r.amount and c.row_day = r.day
  join texts one on one.row_number = r.row_number
  join texts other on other.transaction_id = c.id
  cross join lateral (select (c.day - r.day) * sign(r.amount) <= 1 as is_in_order) o;
end;
comment on function private.transfer_candidates(jsonb, uuid, uuid[]) is
  'The pairs of rows of a file and transactions of the opposite amount in other accounts of the context, up to five days apart. strength: 2 for a proof, 1 for a word of one side, 0 for none. The pairs of one pair_group are interchangeable.';

-- A proof of two sides comes first, then the nearest day. A row and a transaction are linked if no other pair is as near. As many rows as
-- transactions of one day and account are linked too, because each choice among them makes the same transfers.
create or replace function private.pair_transfers(p_pairs jsonb)
  returns table (row_number integer, verdict text, transaction_id uuid, reason text)
  language plpgsql stable set search_path = ''
as $$
declare
  done_rows integer[] := '{}';
  done_transactions uuid[] := '{}';
  pair record;
begin
  if p_pairs is null then
    return;
  end if;
  for step in 0..11 loop
    for pair in
      with live as (
        select p.*
        from jsonb_to_recordset(p_pairs) as p (row_number integer, transaction_id uuid, distance integer, strength integer, pair_group text, created_at timestamptz, reason text)
        where p.strength = 2 - step / 6 and p.distance = step % 6
          and not exists (select from unnest(done_rows) as d (number) where d.number = p.row_number)
          and not exists (select from unnest(done_transactions) as d (id) where d.id = p.transaction_id)
      ), counted as (
        select l.*, count(*) over (partition by l.row_number) as transactions, count(*) over (partition by l.transaction_id) as rows,
          count(*) over (partition by l.pair_group) as grouped,
          dense_rank() over (partition by l.pair_group order by l.row_number) as place_of_row,
          dense_rank() over (partition by l.pair_group order by l.created_at, l.transaction_id) as place_of_transaction
        from live l
      )
      select c.*, c.transactions = c.rows and c.transactions * c.rows = c.grouped as is_clear from counted c
      order by c.row_number, c.place_of_transaction
    loop
      if pair.is_clear then
        continue when pair.place_of_row <> pair.place_of_transaction;
        verdict := 'transfer';
        transaction_id := pair.transaction_id;
        reason := pair.reason;
      else
        done_transactions := done_transactions || pair.transaction_id;
        continue when pair.row_number = done_rows[cardinality(done_rows)];
        verdict := 'new';
        transaction_id := null;
        reason := 'perhaps half of a transfer: more than one pair is as near, and /rpc/link_transfer links two transactions';
      end if;
      row_number := pair.row_number;
      done_rows := done_rows || pair.row_number;
      done_transactions := done_transactions || pair.transaction_id;
      return next;
    end loop;
  end loop;
  verdict := 'new';
  transaction_id := null;
  for row_number, reason in
    select distinct on (p.row_number) p.row_number, case when p.is_closed then p.reason else 'perhaps half of a ' || p.reason || ': /rpc/link_transfer links two transactions' end
    from jsonb_to_recordset(p_pairs) as p (row_number integer, transaction_id uuid, distance integer, is_closed boolean, created_at timestamptz, reason text)
    where not exists (select from unnest(done_rows) as d (number) where d.number = p.row_number)
      and not exists (select from unnest(done_transactions) as d (id) where d.id = p.transaction_id)
    order by p.row_number, p.is_closed, p.distance, p.created_at, p.transaction_id
  loop
    return next;
  end loop;
end
$$;
comment on function private.pair_transfers(jsonb) is
  'The rows of a file that are half of a transfer, with the other half, and those that may be half of one. p_pairs has pairs of transfer_candidates().';

grant execute on function private.transfer_candidates(jsonb, uuid, uuid[]), private.pair_transfers(jsonb) to authenticated;
