/** What columns are usually called, for the files of banks that have no preset. The first name that a file has is taken. */
import type { Columns } from './layout.ts'

/** Not a fee: whether an amount has it in it or beside it is for the bank to say. */
type Field = Exclude<keyof Columns, 'metadata' | 'payer' | 'account' | 'fee'>

const USUAL: Record<Field, string> = {
  date: 'transaction date|date|booking date|posting date|posted date|post date|completed date|value date|buchungstag|buchungsdatum|buchung|datum'
    + "|valutadatum|valuta|date de l'opération|date d'opération|date opération|date operation|fecha|fecha operación|fecha de operación|data|data operazione"
    + '|data contabile|data movimento|boekdatum|transactiedatum|bokföringsdag|bokføringsdato|dato|data transakcji|data operacji|date/time|created',
  amount: 'amount|transaction amount|betrag|umsatz|montant|importe|importo|bedrag|belopp|beløb|beløp|valor|kwota|net amount|value',
  debit: 'debit|debit amount|money out|paid out|withdrawal|withdrawals|withdrawal amount|belastung|lastschrift|soll|ausgang|débit|debe|cargo|dare|addebiti'
    + '|uscite|ut|ut fra konto',
  credit: 'credit|credit amount|money in|paid in|deposit|deposits|deposit amount|gutschrift|haben|eingang|crédit|haber|abono|avere|accrediti|entrate|inn'
    + '|inn på konto',
  direction: 'af bij|direction|credit/debit|debit/credit|cr/dr|dr/cr|soll/haben|s/h|credit debit indicator',
  name: 'payee|merchant|merchant name|name|counterparty|counterparty name|partner name|beneficiary|auftraggeber/empfänger|beguenstigter/zahlungspflichtiger'
    + '|begünstigter/zahlungspflichtiger|name zahlungsbeteiligter|empfänger|naam|naam / omschrijving|libellé|libelle|concepto|descrizione|descripción'
    + '|description|transaction description|beschreibung|beschreibung1|buchungstext|verwendungszweck|omschrijving|beskrivning|tekst|narrative|details|memo'
    + '|transaction|text|title',
  description: 'memo|notes|note|description|verwendungszweck|payment reference|remittance information|narrative|details|mededelingen|omschrijving'
    + '|beschreibung2|buchungstext|communication|observaciones|causale',
  reference_no: 'reference|reference number|referenz|kundenreferenz|check number|cheque number|check or slip #|betalingskenmerk',
  // not "id": it often only counts the lines of the file
  external_id: 'transaction id|transaction-id|transactionid|transaction identifier|transaktions-id|transaktions-nr.|fitid',
  currency: 'currency|currency code|währung|waehrung|devise|divisa|moneda|munt|valutasort|waluta|ccy',
  status: 'status|state',
}

/** A header's name without its case, and with single spaces. */
export const plainName = (name: string): string => name.normalize('NFC').trim().toLowerCase().replace(/\s+/g, ' ')

const withoutUnit = (name: string) => plainName(name).replace(/\s*\([^()]*\)$/, '')

/**
 * The columns of a header line by their usual names.
 *
 * @returns undefined if they do not say when, how much and what
 */
export function usualColumns(header: string[]): Columns | undefined {
  const names = header.map(withoutUnit)
  const taken = new Set<number>()
  const find = (field: Field): number | undefined => {
    const name = USUAL[field].split('|').find((usual) => names.some((own, place) => own === usual && !taken.has(place)))
    if (name === undefined) return undefined
    const place = names.findIndex((own, at) => own === name && !taken.has(at))
    taken.add(place)
    return place
  }
  const date = find('date')
  const amount = find('amount')
  const [debit, credit] = amount === undefined ? [find('debit'), find('credit')] : []
  const name = find('name')
  if (date === undefined || name === undefined || (amount === undefined && (debit === undefined || credit === undefined))) return undefined
  const columns = {
    date,
    amount,
    debit,
    credit,
    name,
    direction: find('direction'),
    description: find('description'),
    reference_no: find('reference_no'),
  }
  const rest = { external_id: find('external_id'), currency: find('currency'), status: find('status') }
  return Object.fromEntries(Object.entries({ ...columns, ...rest }).filter(([, place]) => place !== undefined)) as unknown as Columns
}
