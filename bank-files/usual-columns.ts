/**
 * Finds the columns of a CSV file without a preset by their usual names in many languages. The
 * first matching name wins.
 */
import { currencyIn } from './entries.ts'
import { type Columns, textColumns } from './layout.ts'

/** Without the fee: `feeAt` decides if the amount includes it. */
type Field = Exclude<keyof Columns, 'metadata' | 'payer' | 'account' | 'fee'>

const USUAL: Record<Field, string> = {
  date:
    'transaction date|date|booking date|posting date|posted date|post date|completed date|value date|run date|trans. date|trans date|txn date|tran date'
    + "|date processed|date posted|effective date|entry date|datetime|buchungstag|buchungsdatum|buchung|datum|date de l'opération"
    + "|date d'opération|date opération|date operation|date de transaction|date de comptabilisation|date de valeur|dateop|date comptable|fecha|fecha operación|fecha de operación"
    + '|fecha de la operación|fecha contable|data|data operazione|data contabile|data movimento|data lançamento|data do lançamento|boekdatum|transactiedatum|bokföringsdag'
    + '|bokføringsdato|bogføringsdato|transaktionsdatum|dato|data transakcji|data operacji|data księgowania|datum provedení|datum zaúčtování|datum transakce'
    + '|könyvelés dátuma|könyvelési dátum|tranzakció dátuma|dátum|tarih|işlem tarihi|дата|дата операции|дата платежа|ημερομηνία|ημ/νία|date/time|created|booked at|transfer date|posted transactions date|f. operativa|f.valor|f. valor|boekingsdatum|uitvoeringsdatum|datum verwerkt|datum transactie|data mov.|data lanc.'
    + '|data registrazione|bokföringsdatum|reskontradatum|bokf. datum|kirjauspäivä|maksupäivä|dátum zaúčtovania|data finalizare tranzactie|belegdatum|wertstellung|valutadatum|valuta'
    + "|date d'exécution|date de l'execution|日付|取引日|年月日|お取引日|お取り引き日|取扱日|お取扱日|利用日|ご利用日|勘定日",
  amount:
    "amount|transaction amount|betrag|umsatz|montant|montant de l'opération|importe|importo|bedrag|belopp|beløb|beløp|valor|kwota|kwota operacji"
    + '|kwota transakcji|částka|suma|iznos|összeg|tutar|сумма|сумма операции|ποσό|amt|net amount|value|net|gross|buchungsbetrag|credit/debit amount|billing amount|montante|määrä|määrä euroa|summa|objem|zaúčtovaná částka'
    + '|částka v měně účtu|tranzakció összege|montant operation|montant opération|金額|取引金額|入出金|利用金額|ご利用金額',
  debit:
    'debit|debits|debit amount|debit amt|money out|paid out|withdrawal|withdrawals|withdrawal amount|withdrawal amt|withdrawal amt.|outflow|belastung|lastschrift'
    + '|soll|ausgang|ausgaben|débit|débits|dépenses|debe|cargo|cargos|dare|addebiti|uscite|débito|débitos|saída|saídas|ut|uttak|ut fra konto|uit|obciążenia|obciążenie|výdaje|terhelés|importo dare|funds out'
    + '|お支払金額|お支払い金額|支払金額|支払い金額|出金|出金金額|出金額|お引出し|お引き出し|お引出金額|お引出額|お引き出し額|引出金額|払出金額|支出',
  credit:
    'credit|credits|credit amount|credit amt|money in|paid in|deposit|deposits|deposit amount|deposit amt|deposit amt.|inflow|gutschrift|haben|eingang|einnahmen'
    + '|crédit|crédits|recettes|haber|abono|abonos|avere|accrediti|entrate|crédito|créditos|entrada|entradas|in|inn|innskudd|inn på konto|uznania|uznanie|příjmy|jóváírás|importo avere|funds in'
    + '|お預り金額|お預かり金額|預り金額|預かり金額|預入金額|お預入れ|お預け入れ|お預入金額|お預入額|お預け入れ額|入金|入金金額|入金額|受入金額|収入',
  direction:
    'af bij|af/bij|creditdebet|debet/credit|direction|credit/debit|debit/credit|debit or credit|debit credit|cr/dr|dr/cr|soll/haben|s/h|d/c|c/d|credit debit indicator'
    + '|débito/crédito|crédito/débito|débit/crédit|dare/avere|+/-|-/+|sign|amount sign|vorzeichen|πρόσημο ποσού',
  name:
    'payee|name of counterparty|nom de la contrepartie|merchant|merchant name|merchantname|name|name / description|counter party|counterparty name|counterparty|naam van de tegenpartij|naam tegenpartij bevat|counterparty name|counter party name|partner name|beneficiary|auftraggeber/empfänger'
    + '|beguenstigter/zahlungspflichtiger|begünstigter/zahlungspflichtiger|name zahlungsbeteiligter|empfänger|tegenrekeninghouder|naam tegenpartij|tegenpartij|naam'
    + '|naam / omschrijving|namn|begünstigter / auftraggeber|auftraggeber / begünstigter|sender / empfänger|zahlungsempfänger|partnername|saaja/maksaja|saajan nimi|nimi|otsikko'
    + '|názov protiúčtu|counteraccount name|avisierungstext|transaktionsbeschreibung|meddelande|forklaring|libelle simplifie|libelle operation'
    + '|descrizione operazioni|tranzactii finalizate|αιτιολογία|memo/description|transaction remarks|transaction ref1|nome|other party|odbiorca/zleceniodawca|kontrahent|nadawca / odbiorca|název protistrany|název protiúčtu|protistrana|partner neve|контрагент|libellé|libelle|concepto'
    + '|descrizione|operazione|descripción|description 1|description1|description|transaction description|original description|transaction details|narration|label|lançamento|histórico|descrição|rubrik|remarque'
    + '|beschreibung|beschreibung1|buchungstext|verwendungszweck|omschrijving|beskrivning|beskrivelse|tekst|opis|opis transakcji|opis operacji|tytuł|popis|közlemény|megnevezés'
    + '|açıklama|описание|назначение платежа|περιγραφή|narrative|details|particulars|memo|transaction|text|title|action'
    + "|libellé opération|détail de l'opération|detail de l'operation|摘要内容|お取り扱い内容|お取引内容|取引内容|入出金内容|利用店名・商品名|利用店名|ご利用店名|お店|内容|摘要|詳細1",
  description:
    'memo|notes|note|description|verwendungszweck|payment reference|remittance information|narrative|narration|details|dettagli|mededelingen|omschrijving'
    + '|beschreibung2|buchungstext|rubrik|communication|observaciones|causale|tytuł|zpráva|zpráva pro příjemce|közlemény|назначение платежа|notifications|selitys|viesti|poznámka|buchungs-details'
    + "|détail de l'écriture|descrizione completa|transaction details|description|opis|opis transakcji|descrição|mededeling|détails|摘要|メモ|備考|詳細2",
  reference_no:
    'reference|reference number|referenz|kundenreferenz|check number|cheque number|check or slip #|chq./ref.no.|betalingskenmerk',
  // not "id", which often is only a line number
  external_id:
    'transaction id|transaction-id|transactionid|transaction identifier|transaktions-id|transaktions-nr.|n° de transaction|identificador|fitid',
  currency:
    'currency|currency code|währung|waehrung|devise|monnaie|monn.|divisa|moneda|moeda|munt|valutacode|valutasort|waluta|měna|mena|devizanem|para birimi|валюта|ccy|buchungswährung|valuutta|měna účtu|tranzakció devizaneme|posted currency|billing currency|account currency|devise du compte|通貨',
  status:
    'status|state|statetype|transaction status|buchungsstatus|statut|état|estado|situação|stato|contabilizzazione|stan|stav|állapot|durum|статус',
}

/** Returns all usual names of columns. */
export const usualNames = (): string[] => Object.values(USUAL).flatMap((names) => names.split('|'))

/** Returns a column name in lower case. Underscores and repeated spaces become single spaces. */
export const plainName = (name: string): string =>
  name.normalize('NFC').trim().toLowerCase().replace(/[\s_]+/g, ' ').trim()

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'))

/**
 * A unit at the end of a column name: `(€)`, `CZK`, `in EUR`, `en euro`, `(円)`, but not `(cents)`,
 * in which the amounts are other ones.
 */
const UNIT =
  /\s*[(（](?!(?:in )?(?:cents?|k|pence|minor units?)[)）])([^()（）]*)[)）]$|\s(?:in |en )?([A-Z]{3}|€|\$|£|euros?)$/

const unitIn = (name: string) => {
  const found = UNIT.exec(name.replace(/[\s_]+/g, ' ').trim())
  const isUnit = found?.[1] !== undefined || found?.[2] === undefined ||
    !/^[A-Z]{3}$/.test(found[2]) || CURRENCIES.has(found[2])
  return isUnit ? found : null
}

/** Returns the currency at the end of a column name. */
export const unitOf = (name: string): string | undefined => {
  const found = unitIn(name)
  const text = found?.[1] ?? found?.[2]
  return /^euros?$/i.test(text ?? '') ? 'eur' : text === '円' ? 'jpy' : currencyIn(text)
}

/** Returns `plainName` of a column name, without the unit at its end. */
export const withoutUnit = (name: string): string =>
  plainName(name.replace(/[\s_]+/g, ' ').trim().slice(0, unitIn(name)?.index))

/** Returns `Transaction Date` for `TransactionDate`. */
const spaced = (name: string) => name.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')

/**
 * Returns the columns of a header line by their usual names; undefined if the date, the amount or
 * the name is missing.
 */
export function usualColumns(header: string[]): Columns | undefined {
  const spellings = [withoutUnit, plainName, (name: string) => plainName(spaced(name))]
  const names = header.map((name) =>
    spellings.map((spelling) => spelling(name.replace(/^#(?=\S)/, '')))
  )
  const used = new Set<number>()
  const find = (field: Field): number | undefined => {
    for (const usual of USUAL[field].split('|').map(plainName)) {
      const index = names.findIndex((of, at) => of.includes(usual) && !used.has(at))
      if (index === -1) continue
      used.add(index)
      return index
    }
    return undefined
  }
  const date = find('date')
  const amount = find('amount')
  const [debit, credit] = amount === undefined ? [find('debit'), find('credit')] : []
  // two columns of one name can be two amounts
  const isTwice = [amount, debit, credit].some((at) =>
    at !== undefined && names.some(([, name], other) => other !== at && name === names[at]![1])
  )
  const name = find('name')
  if (
    isTwice || date === undefined || name === undefined ||
    (amount === undefined && (debit === undefined || credit === undefined))
  ) return undefined
  const columns = {
    date,
    amount,
    debit,
    credit,
    name,
    direction: find('direction'),
    ...Object.fromEntries(textColumns.map((column) => [column, find(column)])),
  }
  const rest = {
    external_id: find('external_id'),
    currency: find('currency'),
    status: find('status'),
  }
  return Object.fromEntries(
    Object.entries({ ...columns, ...rest }).filter(([, index]) => index !== undefined),
  ) as unknown as Columns
}
