/**
 * Words of banks in many languages: for the direction of an amount, the status of a row, balances,
 * and columns of fees.
 */
import type { Direction, Status } from './layout.ts'
import { plainName } from './usual-columns.ts'

const OUT =
  'debit|debits|dbit|dr|dr.|d|db|deb|debet|débit|débito|debito|débitos|debitos|out|outgoing|money out|paid out|s|soll|af|afschrijving|withdrawal|withdraw'
  + '|withdrawals|w|wd|-|−|expense|expenses|spent|spending|payment out|lastschrift|belastung|ausgang|ausgabe|abgang'
  + '|cargo|cargos|debe|gasto|egreso|retiro|salida|saída|saida|despesa|dare|addebito|uscita|dépense|sortie|retrait|uttag|ut|udgift|uttak|utgift|obciążenie|obciazenie'
  + '|wydatek|wn|výdaj|vydaj|odchozí|odchozi|má dáti|md|terhelés|terheles|borç|borc|gider|расход|списание|дебет|дт|χρέωση|χ|支払|支払い|出金|払出|引出|支出'
const IN =
  'credit|credits|crdt|cr|cr.|c|cred|kredit|crédit|crédito|credito|créditos|creditos|in|incoming|money in|paid in|h|haben|bij|bijschrijving|deposit'
  + '|deposits|+|income|received|payment in|gutschrift|eingang|einnahme|zugang|abono|abonos|haber|ingreso|entrada|receita|avere|accredito|entrata'
  + '|recette|entrée|dépôt|insättning|in på konto|inn|indtægt|innskudd|inntekt|uznanie|przychód|przychod|wpływ|wplyw|ma|příjem|prijem|příchozí|prichozi|dal'
  + '|jóváírás|jovairas|alacak|gelir|доход|приход|зачисление|кредит|кт|πίστωση|π|入金|預入|預かり|受入|収入'

const PENDING =
  'pending|vorgemerkt|umsatz vorgemerkt|offen|authorised|authorized|authorisation|authorization|processing|in progress|in process|hold|on hold|held'
  + '|uncleared|unposted|not posted|reserved|reserviert|reservation|reserverad|reserveret|reservert|in bearbeitung|en attente|en cours|à venir|pendiente|en proceso|pendente'
  + '|in sospeso|in elaborazione|non contabilizzato|in behandeling|gereserveerd|oczekująca|oczekująca na rozliczenie|blokada|w realizacji|čekající|cekajici|blokace'
  + '|függőben|beklemede|в обработке|ожидание|холд|scheduled|waiting|initiated|outstanding|upcoming|ausstehend'
const FAILED =
  'failed|failure|declined|denied|reverted|rejected|cancelled|canceled|voided|void|expired|error|unsuccessful|abgelehnt|storniert'
  + '|fehlgeschlagen|abgebrochen|zurückgewiesen|refusé|refusée|annulé|annulée|rejeté|rejetée|échoué|rechazado|rechazada|cancelado|cancelada|anulado|fallido|recusado|recusada|rifiutato'
  + '|annullato|stornato|geweigerd|geannuleerd|mislukt|odrzucona|anulowana|zrušeno|zamítnuto|elutasított|reddedildi|iptal|avvisad|makulerad|отклонено|отменено'
const PAID =
  'paid|booked|posted|accepted|accepté|acceptée|berechnet|geaccepteerd|completed|complete|cleared|settled|reconciled|done|ok|success|successful|succeeded|processed|executed|finalized|final|confirmed'
  + '|approved|book|gebucht|umsatz gebucht|verbucht|gutgeschrieben|ausgeführt|abgeschlossen|erledigt|comptabilisé|comptabilisée|exécuté|exécutée|effectué|validé|contabilizado'
  + '|contabilizada|realizado|realizada|completado|completada|liquidado|concluído|concluida|efetivado|contabilizzato|contabilizzata|eseguito|eseguita|completato|geboekt|verwerkt|uitgevoerd|voltooid'
  + '|zaksięgowana|zaksięgowano|rozliczona|zrealizowana|zaúčtováno|zaúčtovaná|provedeno|könyvelt|teljesült|gerçekleşti|tamamlandı|bokförd|bokfört|bokført|genomförd|udført|utført|posteret'
  + '|исполнено|выполнено|проведено'

const OPENINGS =
  'opening balance|beginning balance|starting balance|initial balance|previous balance|balance brought forward|brought forward|balance b/f|b/f'
  + "|anfangssaldo|anfangsbestand|eröffnungssaldo|alter saldo|alter kontostand|saldovortrag|saldo vortrag|solde initial|solde d'ouverture|ancien solde|solde précédent"
  + '|saldo inicial|saldo de apertura|saldo de abertura|saldo anterior|saldo iniziale|saldo di apertura|beginsaldo|openingssaldo|vorig saldo|startsaldo'
  + '|ingående saldo|ingående balans|inngående saldo|saldo początkowe|počáteční zůstatek|nyitó egyenleg|начальный остаток|期首残高|期初余额|前月繰越|前期繰越|繰越残高'
const BALANCES = 'closing balance|ending balance|new balance|current balance|final balance|balance'
  + '|balance carried forward|carried forward|total debits|total credits|total withdrawals|total deposits|subtotal|grand total'
  + '|endsaldo|schlusssaldo|abschlusssaldo|neuer saldo|saldo|kontostand|neuer kontostand|summe|zwischensumme|gesamtsumme'
  + '|solde final|nouveau solde|solde|sous-total|saldo final|saldo finale|eindsaldo|nieuw saldo|totaal|totale|utgående saldo|saldo końcowe|konečný zůstatek'
const OPENING_NAMES = new Set(OPENINGS.split('|'))
const BALANCE_NAMES = new Set(BALANCES.split('|'))

const plainBalance = (name: string) =>
  plainName(name).replace(/[:.]$/, '').replace(
    / (?:as of|as at|on|per|am|vom|zum|au|al|op|na dzień) [\d./-]+$/,
    '',
  )

/** Returns true if the name is that of an opening balance. */
export const isOpeningName = (name: string): boolean => OPENING_NAMES.has(plainBalance(name))

/**
 * Returns true if the name is that of a balance or a sum. A shop could have such a name, so the
 * caller reports a problem.
 */
export const isBalanceName = (name: string): boolean =>
  isOpeningName(name) || BALANCE_NAMES.has(plainBalance(name))

const FEES =
  'fee|fees|fee amount|transaction fee|bank fee|charge|charges|commission|commissions|gebühr|gebühren|entgelt|spesen|provision|kosten|frais|commissione|commissioni|spese'
  + '|comisión|comisiones|comissão|tarifa|tarifas|avgift|gebyr|prowizja|opłata|poplatek|poplatky|díj|jutalék|комиссия|ücret|komisyon'

/** Usual names of a column of fees. The amount may or may not include the fee. */
export const FEE_NAMES: ReadonlySet<string> = new Set(FEES.split('|'))

const withValue = <Value>(words: string, value: Value) =>
  words.split('|').map((word): [string, Value] => [plainName(word), value])

export const DIRECTIONS: ReadonlyMap<string, Direction> = new Map([
  ...withValue<Direction>(OUT, 'out'),
  ...withValue<Direction>(IN, 'in'),
])

export const STATUSES: ReadonlyMap<string, Status> = new Map([
  ...withValue<Status>(PENDING, 'pending'),
  ...withValue<Status>(FAILED, 'failed'),
  ...withValue<Status>(PAID, 'paid'),
])
