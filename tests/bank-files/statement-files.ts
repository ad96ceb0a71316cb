/** Invented statements in CSV, MT940, CAMT and OFX, and brief forms of their results. */
import type { Statement } from '../../bank-files/index.ts'

export type Line = [day: string, amount: string, more?: string]

export const csv = (...lines: string[]) => lines.join('\n')

const digits = (day: string) => day.replaceAll('-', '').slice(2)
const signed = (amount: string) => (amount.startsWith('-') ? 'D' : 'C')
const comma = (amount: string) => amount.replace('-', '').replace('.', ',')

type Swift = {
  id?: string
  number?: string
  currency?: string
  opening: Line
  closing: Line
  isFirst?: boolean
  isLast?: boolean
}

/** Returns a statement in MT940. */
export function mt940(
  { id = 'DE1', number = '1/1', currency = 'EUR', opening, closing, isFirst = true, isLast = true }:
    Swift,
  ...lines: Line[]
): string {
  const balance = ([day, amount]: Line) =>
    `${signed(amount)}${digits(day)}${currency}${comma(amount)}`
  const rows = lines.map(([day, amount, text = 'Kiosk']) =>
    `:61:${digits(day)}${digits(day).slice(2)}${signed(amount)}${
      comma(amount)
    }NTRFNONREF\n:86:${text}\n`
  )
  return `:20:STARTUMS\n:25:${id}\n:28C:${number}\n:60${isFirst ? 'F' : 'M'}:${balance(opening)}\n${
    rows.join('')
  }:62${isLast ? 'F' : 'M'}:${balance(closing)}\n-\n`
}

export type Camt = {
  kind?: string
  id?: string
  currency?: string
  opening?: Line
  closing?: Line
  total?: string
}

/** Returns a statement in CAMT. Its entries have no reference of the bank. */
export function camt(
  { kind = 'Stmt', id = 'S1', currency = 'EUR', opening, closing, total = '' }: Camt,
  ...lines: Line[]
): string {
  const amount = (value: string) =>
    `<Amt Ccy="${currency}">${value.replace('-', '')}</Amt><CdtDbtInd>${
      value.startsWith('-') ? 'DBIT' : 'CRDT'
    }</CdtDbtInd>`
  const balance = (code: string, [day, value, more = '']: Line) =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${more}${
      amount(value)
    }<Dt><Dt>${day}</Dt></Dt></Bal>\n`
  const entries = lines.map(([day, value, state = 'BOOK']) =>
    `<Ntry>${
      amount(value)
    }<Sts>${state}</Sts><BookgDt><Dt>${day}</Dt></BookgDt><AddtlNtryInf>Kiosk</AddtlNtryInf></Ntry>\n`
  )
  const balances = [
    ...opening === undefined ? [] : [balance('OPBD', opening)],
    ...closing === undefined ? [] : [balance('CLBD', closing)],
  ]
  const account = `<Acct><Id><IBAN>NL1</IBAN></Id><Ccy>${currency}</Ccy></Acct>`
  return `<${kind}><Id>${id}</Id>${account}\n${balances.join('')}${total}\n${
    entries.join('')
  }</${kind}>\n`
}

export const camtFile = (...statements: string[]) =>
  `<?xml version="1.0"?>\n<Document><BkToCstmr>\n${statements.join('')}</BkToCstmr></Document>`

type Ofx = { type?: string, bank?: string, currency?: string, closing?: Line }

/** Returns a statement in OFX. The third part of a line is the FITID. */
export function ofx(
  { type = 'CHECKING', bank = '1', currency = 'EUR', closing }: Ofx,
  ...lines: Line[]
): string {
  const day = (text: string) => text.replaceAll('-', '')
  const rows = lines.map(([on, amount, more = '']) =>
    `<STMTTRN><DTPOSTED>${day(on)}<TRNAMT>${amount}${more}<NAME>Kiosk</STMTTRN>\n`
  )
  const balance = closing === undefined
    ? ''
    : `<LEDGERBAL><BALAMT>${closing[1]}<DTASOF>${day(closing[0])}</LEDGERBAL>`
  const account = `<BANKACCTFROM><BANKID>${bank}<ACCTID>77<ACCTTYPE>${type}</BANKACCTFROM>`
  return `<STMTRS><CURDEF>${currency}${account}<BANKTRANLIST>\n${
    rows.join('')
  }</BANKTRANLIST>${balance}</STMTRS>\n`
}

export const ofxFile = (...statements: string[]) =>
  `OFXHEADER:100\n\n<OFX>${statements.join('')}</OFX>`

export const archive = (...files: string[]) =>
  files.map((text, index) => ({
    name: `${'abcdefgh'[index]}.txt`,
    bytes: new TextEncoder().encode(text),
  }))

export const amounts = ({ rows }: Statement) => rows.map(({ amount }) => amount)

export const rowsOf = ({ rows }: Statement) =>
  rows.map(({ transaction_date: day, amount }) => `${day.slice(8)} ${amount}`)

export const accountsOf = ({ accounts }: Statement) =>
  accounts.map(({ type, currency, balance, rows }) => [
    type ?? currency,
    balance?.amount,
    balance?.on?.slice(5),
    ...rows.map(({ amount }) => amount),
  ])

export const messagesOf = ({ problems }: Statement) =>
  problems.map(({ file, line, message }) => [file, line, message])

/** The problem of a closing balance that the rows do not add up to. */
export const notAddedUp =
  'The transactions do not add up to this closing balance. The file may be incomplete.'
