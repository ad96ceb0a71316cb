/**
 * Reads MT940 statements and MT942 interim reports of SWIFT (https://www.swift.com/standards), with
 * or without the blocks of a SWIFT message.
 */
import { clean, type Entry, type FileStatement, type ParsedFile, reference } from './entries.ts'
import { isOff } from './statement-sums.ts'
import { labelledTexts } from './swift-text.ts'
import { type Problem, StatementError } from './types.ts'

/** A field such as `:61:`, with the lines that continue it. */
type Field = { tag: string, line: number, text: string }

/**
 * Returns the fields of a file. Lines outside of fields, such as block headers and the name of the
 * bank, are skipped.
 */
function fieldsOf(text: string): Field[] {
  const fields: Field[] = []
  let isOpen = false
  for (const [index, raw] of text.split('\n').entries()) {
    const content = raw.trimEnd().replace(/^\{.*\{4:/, '')
    const [, tag, rest] = /^:(\d{2,3}[A-Z]?|NS):(.*)$/.exec(content) ?? []
    if (tag !== undefined) fields.push({ tag, line: index + 1, text: rest ?? '' })
    // the trailer of a message, and the header of the next one
    else if (content === '-' || /^-\}|^\{\d:/.test(content)) isOpen = false
    else if (isOpen) fields.at(-1)!.text += `\n${content}`
    isOpen = tag !== undefined || (isOpen && content !== '-' && !/^-\}|^\{\d:/.test(content))
  }
  return fields
}

/** `C250331EUR1234,56`: the day, the currency and the signed amount of a balance. */
function balanceIn(text: string): { on: string, currency: string, amount: string } | undefined {
  const [, mark, day = '', currency = '', digits = ''] =
    /^([CD])(\d{6})([A-Z]{3})(\d[^\s]*)/.exec(text) ?? []
  const amount = decimalOf(digits)
  return mark === undefined || amount === undefined
    ? undefined
    : {
      on: dayOf(day),
      currency: currency.toLowerCase(),
      amount: `${mark === 'D' ? '-' : ''}${amount}`,
    }
}

const yearOf = (digits: string) => (Number(digits) < 70 ? 2000 : 1900) + Number(digits)

/** Returns `YYYY-MM-DD` for `YYMMDD`. entry-row.ts reports a day that does not exist. */
const dayOf = (digits: string) =>
  `${yearOf(digits.slice(0, 2))}-${digits.slice(2, 4)}-${digits.slice(4, 6)}`

/**
 * Returns the day `MMDD` of the year in which it is closest to the value date, because the field
 * has no year.
 */
function entryDay(digits: string, valued: string): string {
  const year = Number(valued.slice(0, 4))
  const days = [year, year - 1, year + 1].map((one) =>
    `${one}-${digits.slice(0, 2)}-${digits.slice(2, 4)}`
  )
  const distance = (day: string) => Math.abs(Date.parse(day) - Date.parse(valued))
  const real = days.filter((day) => new Date(Date.parse(day) || 0).toISOString().startsWith(day))
  return real.reduce<string | undefined>(
    (nearest, day) => nearest === undefined || distance(day) < distance(nearest) ? day : nearest,
    undefined,
  ) ?? days[0]!
}

/**
 * Returns an amount with a decimal point. The format has a comma and no groups, but some banks
 * write a point, or groups before the comma. Returns undefined for other notations, such as
 * `1.234`, which can be either.
 */
function decimalOf(amount: string): string | undefined {
  const isKnown =
    /^\d+,?$|^\d+,\d+$|^\d+\.\d{0,2}$|^\d{1,3}(?:\.\d{3})+,\d*$|^\d{1,3}(?:,\d{3})+\.\d{2}$/.test(
      amount,
    )
  const mark = Math.max(amount.lastIndexOf(','), amount.lastIndexOf('.'))
  if (!isKnown) return undefined
  return mark === -1
    ? amount
    : `${amount.slice(0, mark).replace(/[.,]/g, '')}.${amount.slice(mark + 1)}`.replace(/\.$/, '')
}

/** Returns `28/2`, the numbers of a statement and its page, as a text that sorts by them. */
const sequenceOf = (text: string) =>
  (text.match(/\d+/g) ?? []).map((digits) => digits.padStart(12, '0')).join('/')

/**
 * Value date, entry date, mark, third letter of the currency, sign, amount, type, references. The
 * format has no sign.
 */
const LINE =
  /^(\d{6})(\d{4})?(R[CD]|E[CD]|[CD])([A-Z])?([-+])?(\d[\d.,]*)(?=\s*(?:[A-Z]|\/\/|\n|$))([A-Z][A-Z0-9]{3})?([^\n]*)(?:\n([^]*))?$/

const notRead = ({ line, text }: Field): Problem => ({
  line,
  message: `"${clean(text, 60)}" is not an MT940 transaction. It was skipped.`,
})

/**
 * Returns the entry of the fields `:61:` and `:86:`, and true in `hasMinus` if a minus stands
 * before its amount.
 */
function entryOf(
  field: Field,
  details: string,
  statement: FileStatement,
): { entry: Entry, hasMinus: boolean } | undefined {
  const found = LINE.exec(field.text)
  const amount = decimalOf(found?.[6] ?? '')
  if (found === null || amount === undefined) return undefined
  const [, value = '', entered, mark = '', , sign, , kind = '', references = '', supplement = ''] =
    found
  const valued = dayOf(value)
  const booked = entered === undefined ? valued : entryDay(entered, valued)
  const [ours = '', bank = ''] = references.split('//')
  const texts = labelledTexts(details, supplement)
  const entry: Entry = {
    line: field.line,
    ...statement.account.id === '' ? {} : { account: statement.account },
    statement,
    date: booked,
    amount,
    // the reversal of a credit takes money away
    out: mark === 'D' || mark === 'RC' || mark === 'ED',
    name: texts.name,
    fallbackName: clean(texts.kind || supplement || kind),
    description: texts.description || clean(supplement, 5000),
    reference_no: clean(texts.reference || reference(ours.trim())),
    status: mark.startsWith('E') ? 'pending' : 'paid',
    metadata: {
      iban: texts.iban,
      kind: clean(texts.kind || kind),
      mandate: texts.mandate,
      bank_reference: clean(reference(bank.trim())),
      value_date: valued === booked ? undefined : valued,
      reversal: mark.startsWith('R') ? true : undefined,
    },
  }
  return { entry, hasMinus: sign === '-' }
}

/** An entry with a minus before its amount. */
type Signed = { entry: Entry, field: Field }

/**
 * Decides entries such as `D-104,12`. Some banks write the minus in addition to the mark, others
 * instead of the opposite mark. The balances must prove one of the two, otherwise the entries are
 * left out.
 *
 * @param entries the booked entries of the statement
 */
function decideSigned(
  signed: Signed[],
  entries: Entry[],
  statement: FileStatement,
  problems: Problem[],
): Entry[] {
  if (signed.length === 0) return entries
  const opposite = new Map(
    signed.map(({ entry }) => [entry, { ...entry, out: entry.out !== true }]),
  )
  const readings = [entries, entries.map((entry) => opposite.get(entry) ?? entry)]
    .filter((reading) => isOff(statement, reading) === false)
  if (readings.length === 1) return readings[0]!
  problems.push(...signed.map(({ field }) => notRead(field)))
  return entries.filter((entry) => !opposite.has(entry))
}

/** Sets the currency of a statement's account. Some banks write it behind the account number. */
function setCurrency({ account }: FileStatement, currency: string): void {
  account.id = account.id.replace(new RegExp(`[\\s/]*${currency}$`, 'i'), '')
  account.currency = currency
}

/** Sets the closing balance of a statement, or adds a problem if it is in another currency. */
function setClosing(
  statement: FileStatement,
  { tag, line, text }: Field,
  problems: Problem[],
): void {
  const balance = balanceIn(text)
  if (balance === undefined) return
  const { currency } = statement.account
  if (currency !== undefined && currency !== balance.currency) {
    problems.push({
      line,
      message:
        `This closing balance is in ${balance.currency.toUpperCase()}, but its statement is in ${currency.toUpperCase()}.`,
    })
    return
  }
  setCurrency(statement, balance.currency)
  statement.closing = { line, ...balance }
  statement.isPage = tag === '62M'
}

/** Returns a further statement of the same account and number. */
const continued = (
  { account: { id }, number, sequence }: FileStatement,
  line: number,
): FileStatement => ({
  line,
  account: { id },
  ...number === undefined ? {} : { number },
  ...sequence === undefined ? {} : { sequence },
})

/** @throws StatementError if the file has no account and no transaction */
export function readMt940(text: string): ParsedFile {
  const decided: Entry[][] = []
  const problems: Problem[] = []
  let current: FileStatement = { line: 1, account: { id: '' } }
  const statements = [current]
  let ofStatement: Entry[] = []
  let signed: Signed[] = []
  const end = () => {
    decided.push(decideSigned(signed, ofStatement, current, problems))
    ofStatement = []
    signed = []
  }
  const begin = (statement: FileStatement) => {
    end()
    current = statement
    statements.push(current)
  }
  const fields = fieldsOf(text)
  for (const [index, field] of fields.entries()) {
    const { tag, line } = field
    if (tag === '25' || tag === '25P') {
      begin({ line, account: { id: clean(field.text.split('\n')[0]) } })
    } else if (tag === '28' || tag === '28C') {
      current.number = clean(field.text)
      current.sequence = sequenceOf(field.text)
    } else if (tag === '60F' || tag === '60M') {
      const balance = balanceIn(field.text)
      if (balance === undefined) continue
      if (current.opening !== undefined) begin(continued(current, line))
      setCurrency(current, balance.currency)
      current.opening = { line, ...balance }
    } else if (tag === '34F' || tag === '90D' || tag === '90C') {
      const currency = /^\d*([A-Z]{3})/.exec(field.text)?.[1]?.toLowerCase()
      if (currency !== undefined) setCurrency(current, currency)
    } else if (tag === '61') {
      const next = fields[index + 1]
      const found = entryOf(field, next?.tag === '86' ? next.text : '', current)
      if (found === undefined) problems.push(notRead(field))
      else {
        ofStatement.push(found.entry)
        if (found.hasMinus) signed.push({ entry: found.entry, field })
      }
    } else if (tag === '62F' || tag === '62M') setClosing(current, field, problems)
  }
  end()
  const entries = decided.flat()
  const isEmpty = entries.length === 0 &&
    statements.every(({ account, opening, closing }) =>
      account.id === '' || (opening ?? closing) === undefined
    )
  if (isEmpty)
    throw new StatementError('This MT940 file has neither an account nor a transaction.')
  return { signs: 'defined', entries, problems, statements }
}
