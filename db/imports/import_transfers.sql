-- after: imports/import_matches
-- The other halves of transfers between two own accounts.
--
-- An opposite amount within five days is only a candidate, because a purchase and a refund may have the same amount.
-- The money arrives on the
-- day on which it leaves, or later, or one day before. One of three proofs is needed, or a mark by a rule or a user:
-- 1. One side has the number of the other's account. Or it has its name, and the other has no word of its own, such
--    as that of a shop.
--    No side names only other accounts.
-- 2. The own words of one side are among those of the other, and at least half of them. No word speaks of a rent, a
--    salary or a refund.
-- 3. One side has a word for a transfer between own accounts, and no side has a word of its own or for cash, a card
--    or a direct debit.

create or replace function private.transfer_words() returns text[]
  language sql immutable parallel safe
  return regexp_split_to_array(private.folded(
    'transfer transfers transferred xfer tfr umbuchung umbuchungen umgebucht übertrag uebertrag giroconto girofondo '
    'traspaso intern interne internes interna interno internal'),
    '\s+');
comment on function private.transfer_words() is
  'Words and codes that banks use for a transfer between two accounts of one owner. Words that they print on every '
  'payment, such as Überweisung, are not among them.';

create or replace function private.generic_words() returns text[]
  language sql immutable parallel safe
  return regexp_split_to_array(private.folded(
    'to an am im in on of at by or no nr de du di da do la le el al en et und der die das den the and for from with '
    'via von vom nach für fur zur zum per des les del della van het een naar para por con una til til av '
    || 'payment payments paid zahlung paiement pago pagamento betaling einzahlung auszahlung eingang ausgang incoming '
      'outgoing received sent autopay auto automatic thank you '
    || 'card karte kartenzahlung carte tarjeta carta kaart visa mastercard maestro debit credit kredit lastschrift '
      'gutschrift dauerauftrag auftrag bank '
    || 'account accounts acct acc konto kontos compte cuenta conto rekening private privat personal business joint '
      'current main sepa online mobile direct standing order instant echtzeit '
    || 'deposit withdrawal cash bargeld purchase transaction transaktion buchung entry reference referenz ref '
      'confirmation number nummer iban bic monthly month monat '
    || 'january february march april may june july august september october november december '
    || 'januar februar märz mai juni juli oktober dezember jan feb mar apr jun jul aug sep oct nov dec '
    || 'überweisung ueberweisung virement vir transferencia transferência bonifico overboeking overschrijving '
      'överföring overføring overførsel przelew převod prevod tilisiirto átutalás havale'),
    '\s+') || private.transfer_words();
comment on function private.generic_words() is
  'Words of bank statements that say nothing about the other side of a payment, as words_of() returns them.';

-- Each row of p_rows has row_number, name, amount, day, currency, description, status and metadata.
-- Over 80 lines, because it is one statement: its parts share common table expressions.
create or replace function private.transfer_candidates(p_rows json, p_account_id uuid, p_excluded uuid[])
  returns table (
    row_number integer, transaction_id uuid, distance integer, strength integer, takes_mark boolean, is_closed boolean,
    pair_group text, created_at timestamptz, reason text)
  language sql stable security definer set search_path = '' set enable_seqscan = off set enable_sort = off
begin atomic
  with rows as materialized (
    select r.*
    from json_to_recordset(p_rows) as r (
      row_number integer, name text, amount numeric, day date, currency text, description text, status text,
      metadata jsonb)
    where r.status <> 'failed' and r.amount <> 0
  ), accounts as materialized (
    select a.id, a.name, a.institution, a.account_number,
      private.words_of(concat_ws(' ', a.name, a.institution)) as words
    from api.accounts a
    where a.tenant = (select private.context_tenant())
  ), account_names as materialized (
    select a.id, n.words, k.word
    from accounts a
    cross join lateral (values (private.words_of(a.name)), (private.words_of(a.institution))) as n (words)
    -- a name of generic words alone names no account
    cross join lateral (
      select word
      from unnest(n.words) as word
      where char_length(word) >= 3 and word <> all (private.generic_words())
      order by char_length(word) desc, word
      limit 1
    ) k
  ), candidates as materialized (
    select g.amount as row_amount, g.day as row_day, t.*
    from (select distinct r.amount, r.day, r.currency from rows r) as g
    cross join lateral (
      select t.id, t.name, t.description, t.metadata, t.account_id, t.external_id, t.created_at,
        t.transfer_id is not null as is_marked,
        coalesce(t.booked_on, t.transaction_date::date) as day,
        ((select private.has_closed_days())
          and private.closing_day(t.booked_on, t.transaction_date) <= private.closed_until(t.account_id, t.user_id,
            t.organization_id)) is true as is_closed
      from private.rows_of_amount(- g.amount, g.day, 5) t
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
    select x.id, x.account_id, w.words,
      w.words && private.transfer_words() and not w.words && '{uberweisung,ueberweisung}' as is_transfer,
      array_to_string(w.words, ' ') ~
        '\m(refund|revers|chargeback|cashback|rebate|payroll|salar|wage|pension|rent|landlord|invoice|dividend|'
        'erstatt|ruckerstatt|rueckerstatt|retoure|storno|gehalt|lohn|miete|rechnung|remboursement|loyer|facture|'
        'reembolso|devoluci|nomina|alquiler|factura|rimborso|stipendio|affitto|fattura|terugbetaling|huur|factuur|'
        'estorno|aluguel|aterbetalning|lon\M|lonn|loneu|lonov|hyra|husleie|wynagrodzenie|zwrot|czynsz)' as is_other,
      w.words &&
        '{cash,bargeld,withdrawal,auszahlung,lastschrift,kartenzahlung,purchase,retrait,prelevement,efectivo,recibo,'
        'prelievo,addebito,incasso}'
      or w.words @> '{direct,debit}'
        or w.words && '{card,karte,carte,tarjeta,carta,kaart}'
          and not w.words && '{credit,kredit,credito,visa,mastercard,amex}' as is_spent,
      array(
        select word
        from unnest(private.words_of(concat_ws(' ', x.name, x.description))) as word
        where word ~ '[[:alpha:]]|^[0-9]{6,}$' and word <> all (private.generic_words())
      ) as own_words,
      array(
        select word
        from unnest(w.words) as word
        where (word ~ '^([[:alpha:]]{2,}|x+[0-9]+)$' or word ~ '^[a-z]{2}[0-9]{2}[a-z0-9]{11,30}$')
          and word <> all (private.generic_words())
      ) as named_words
    from (
      select r.row_number::text as id, p_account_id as account_id, r.name, r.description, r.metadata
      from rows r where exists (select from candidates c where c.row_amount = r.amount and c.row_day = r.day)
      union all
      select distinct on (c.id) c.id::text, c.account_id, c.name, c.description, c.metadata from candidates c order by 1
    ) x
    cross join lateral (
      select private.words_of(
        concat_ws(' ', x.name, x.description, x.metadata ->> 'type', x.metadata ->> 'kind', x.metadata ->> 'category',
          x.metadata ->> 'iban'))
        -- an IBAN in groups of four
        || array(
          select lower(replace(found.iban[1], ' ', ''))
          from regexp_matches(concat_ws(' ', x.name, x.description),
            '\m([A-Z]{2}[0-9]{2}(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,3})?)\M', 'g') as found (iban)) as words
      -- otherwise PostgreSQL would compute the words again for each use
      offset 0
    ) w
  ), words as materialized (
    select t.id, t.account_id, word from texts t cross join unnest(t.words) as word
  ), named as materialized (
    -- the name that the own account has too, such as that of its bank, is no name of another one
    select w.id, n.id as account_id, false as by_number
    from words w
    join account_names n on n.word = w.word
    join texts t on t.id = w.id
    join accounts own on own.id = w.account_id
    where n.id <> w.account_id and n.words <@ t.words and not n.words <@ own.words
    union
    -- the number itself if it is no year, a masked one, or an IBAN
    select w.id, a.id, true
    from words w join accounts a on right(w.word, 3) = right(a.account_number, 3)
    where a.id <> w.account_id and char_length(a.account_number) >= 3
      and (
        w.word = a.account_number and char_length(w.word) >= 4 and w.word !~ '^(19|20|21)..$'
        or w.word ~ ('^(x+|[a-z]{2}[0-9]{2}[a-z0-9]{7,26})' || a.account_number || '$'))
  ), sides as materialized (
    select t.*, coalesce(n.accounts, '{}') as accounts, coalesce(n.numbers, '{}') as numbers
    from texts t
    left join (
      select n.id, array_agg(n.account_id) as accounts, array_agg(n.account_id) filter (where n.by_number) as numbers
      from named n
      group by n.id
    ) n
      on n.id = t.id
  )
  select r.row_number, c.id, abs(c.day - r.day),
    case
      when not o.is_possible then 0
      when c.account_id = any (one.numbers) or p_account_id = any (other.numbers) then 2
      when c.is_marked and not one.is_other then 2
      when one.is_other or other.is_other then 0
      -- the words of a user name no payee
      when c.account_id = any (one.accounts)
        and (
          p_account_id = any (other.accounts) or c.external_id is null or other.own_words <@ (mine.words || its.words))
        or p_account_id = any (other.accounts) and one.own_words <@ (mine.words || its.words) then 2
      when (one.own_words <@ other.own_words or one.own_words @> other.own_words)
        and least(private.common_share(one.own_words, other.own_words),
          private.common_share(other.own_words, one.own_words)) >= 0.5
        -- a service through which all payments go is no counterparty
        and exists (
          select from unnest(one.own_words) as word
          where word = any (other.own_words) and char_length(word) >= 4
            and word <> all (
              '{paypal,venmo,zelle,cashapp,klarna,stripe,sumup,square,twint,bizum,swish,vipps,mobilepay,blik,wero,'
              'wise,revolut,google,apple}')) then 2
      when (one.is_transfer or other.is_transfer) and not one.is_spent and not other.is_spent and not exists (
        select from unnest(one.named_words || other.named_words) as word
        where word <> all (mine.words || its.words)
          and (
            right(word, char_length(mine.account_number)) = mine.account_number
            or right(word, char_length(its.account_number)) = its.account_number
          ) is not true
      ) then 1 + (one.is_transfer and other.is_transfer)::integer
      else 0
    end,
    o.is_possible and not other.is_other, c.is_closed, concat_ws(' ', r.amount, r.day, c.account_id, c.day),
    c.created_at,
    case
      when c.is_closed then format('possible transfer with "%s", which is in a closed period', left(c.name, 100))
      else format('transfer with "%s" on %s in account "%s"', left(c.name, 100), c.day, left(its.name, 100))
    end
  from rows r
  join candidates c on c.row_amount = r.amount and c.row_day = r.day
  join sides one on one.id = r.row_number::text
  join sides other on other.id = c.id::text
  join accounts mine on mine.id = p_account_id
  join accounts its on its.id = c.account_id
  cross join lateral (
    -- a side that names only other accounts excludes this pair
    select not c.is_closed and (c.day - r.day) * sign(r.amount) <= 1
      and (one.accounts = '{}' or c.account_id = any (one.accounts))
        and (other.accounts = '{}' or p_account_id = any (other.accounts)) as is_possible
  ) o;
end;
comment on function private.transfer_candidates(json, uuid, uuid[]) is
  'The pairs of rows of a file and transactions of the opposite amount in other accounts of the context, up to five '
  'days apart. strength: 2 for a proof, 1 for a word of one side, 0 for none. takes_mark: a rule that marks the row '
  'is a proof. The pairs of one pair_group are interchangeable.';

-- A proof of two sides comes first, then the nearest day. A row and a transaction are linked if no other pair is as
-- near. As many rows as transactions of one day and account are linked too, because each choice among them makes the
-- same transfers.
create or replace function private.pair_transfers(p_pairs json)
  returns table (row_number integer, verdict text, transaction_id uuid, reason text)
  language plpgsql stable set search_path = ''
as $$
declare
  done_rows integer[] := '{}'::integer[];
  done_transactions uuid[] := '{}'::uuid[];
  pair record;
begin
  if p_pairs is null then
    return;
  end if;
  for step in 0..11 loop
    for pair in
      with live as (
        select p.*
        from json_to_recordset(p_pairs) as p (row_number integer, transaction_id uuid, distance integer,
          strength integer, pair_group text, created_at timestamptz, reason text)
        where p.strength = 2 - step / 6 and p.distance = step % 6
          and not exists (select from unnest(done_rows) as d (number) where d.number = p.row_number)
          and not exists (select from unnest(done_transactions) as d (id) where d.id = p.transaction_id)
      ), counted as (
        select l.*, count(*) over (partition by l.row_number) as transactions,
          count(*) over (partition by l.transaction_id) as rows,
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
        reason := 'possible transfer: several matches are equally likely, so link two transactions with '
          '/rpc/link_transfer';
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
    select distinct on (p.row_number) p.row_number,
      case when p.is_closed then p.reason
        else 'possible ' || p.reason || ': link the two with /rpc/link_transfer' end
    from json_to_recordset(p_pairs) as p (row_number integer, transaction_id uuid, distance integer, is_closed boolean,
      created_at timestamptz, reason text)
    where not exists (select from unnest(done_rows) as d (number) where d.number = p.row_number)
      and not exists (select from unnest(done_transactions) as d (id) where d.id = p.transaction_id)
    order by p.row_number, p.is_closed, p.distance, p.created_at, p.transaction_id
  loop
    return next;
  end loop;
end
$$;
comment on function private.pair_transfers(json) is
  'The rows of a file that are half of a transfer, with the other half, and those that may be half of one. p_pairs '
  'has pairs of transfer_candidates().';

grant execute on function private.transfer_candidates(json, uuid, uuid[]),
  private.pair_transfers(json) to authenticated;
