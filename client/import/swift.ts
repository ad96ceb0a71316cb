/** Reads MT940 statements and MT942 interim reports of SWIFT (https://www.swift.com/standards), with or without the blocks of a SWIFT message. */
import { clean, type Entry, type ParsedFile, reference } from './entries.ts'
import { labelledTexts } from './swift-text.ts'
import { type Problem, StatementError } from './types.ts'

/** A field such as `:61:`, with the lines that continue it. */
type Field = { tag: string, line: number, text: string }

/** Returns the fields of a file. Lines outside of fields, such as block headers and the name of the bank, are skipped. */
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
  const [, mark, day = '', currency = '', amount = ''] = /^([CD])(\d{6})([A-Z]{3})(\d[\d.,]*)/.exec(text) ?? []
  return mark === undefined ? undefined : { on: dayOf(day), currency: currency.toLowerCase(), amount: `${mark === 'D' ? '-' : ''}${decimalOf(amount)}` }
}

const yearOf = (digits: string) => (Number(digits) < 70 ? 2000 : 1900) + Number(digits)

/** Returns `YYYY-MM-DD` for `YYMMDD`. rows.ts reports a day that does not exist. */
const dayOf = (digits: string) => `${yearOf(digits.slice(0, 2))}-${digits.slice(2, 4)}-${digits.slice(4, 6)}`

/** Returns the day `MMDD` of the year in which it is closest to the value date, because the field has no year. */
function entryDay(digits: string, valued: string): string {
  const year = Number(valued.slice(0, 4))
  const days = [year, year - 1, year + 1].map((one) => `${one}-${digits.slice(0, 2)}-${digits.slice(2, 4)}`)
  const distance = (day: string) => Math.abs(Date.parse(day) - Date.parse(valued))
  const real = days.filter((day) => new Date(Date.parse(day) || 0).toISOString().startsWith(day))
  return real.reduce<string | undefined>((nearest, day) => nearest === undefined || distance(day) < distance(nearest) ? day : nearest, undefined) ?? days[0]!
}

/** Returns an amount with a decimal point: the format has a comma, and some banks write a point. */
const decimalOf = (amount: string) => amount.replace(',', '.').replace(/\.$/, '')

const centsOf = (amount: string) => Math.round(Number(amount) * 100)

/** Value date, entry date, mark, third letter of the currency, amount, type, references. */
const LINE = /^(\d{6})(\d{4})?(R[CD]|E[CD]|[CD])([A-Z])?(\d[\d.]*(?:[,.]\d*)?)([A-Z][A-Z0-9]{3})?([^\n]*)(?:\n([^]*))?$/

/** Returns the entry of the fields `:61:` and `:86:`. */
function entryOf(field: Field, details: string, currency: string | undefined): Entry | Problem {
  const found = LINE.exec(field.text)
  if (found === null) return { line: field.line, message: `"${clean(field.text, 60)}" is no transaction of MT940. It was left out.` }
  const [, value = '', entered, mark = '', , amount = '', kind = '', references = '', supplement = ''] = found
  const valued = dayOf(value)
  const booked = entered === undefined ? valued : entryDay(entered, valued)
  const [own = '', bank = ''] = references.split('//')
  const texts = labelledTexts(details)
  return {
    line: field.line,
    date: booked,
    amount: decimalOf(amount),
    // the reversal of a credit takes money away
    out: mark === 'D' || mark === 'RC' || mark === 'ED',
    name: texts.name,
    fallbackName: clean(texts.kind || supplement || kind),
    description: texts.description || clean(supplement, 5000),
    reference_no: clean(texts.reference || reference(own.trim())),
    ...currency === undefined ? {} : { currency },
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
}

/** A statement in progress. */
type Current = { id: string, name?: string, currency?: string, opening?: number, sum: number }

/** @throws StatementError if the file has no account and no transaction */
export function readMt940(text: string): ParsedFile {
  const entries: Entry[] = []
  const problems: Problem[] = []
  const accounts = new Map<string, ParsedFile['accounts'][number]>()
  let current: Current = { id: '', sum: 0 }
  const fields = fieldsOf(text)
  for (const [index, field] of fields.entries()) {
    const { tag, line } = field
    if (tag === '25' || tag === '25P') {
      current = { id: clean(field.text.split('\n')[0]), sum: 0 }
    } else if (tag === '60F' || tag === '60M') {
      const balance = balanceIn(field.text)
      if (balance === undefined) continue
      // some banks write the currency behind the account number
      const id = current.id.replace(new RegExp(`[\\s/]*${balance.currency}$`, 'i'), '')
      current = { id, currency: balance.currency, opening: centsOf(balance.amount), sum: 0 }
      if (!accounts.has(id)) accounts.set(id, { id, currency: balance.currency })
    } else if (tag === '34F' || tag === '90D' || tag === '90C') {
      const currency = /^\d*([A-Z]{3})/.exec(field.text)?.[1]?.toLowerCase()
      if (currency !== undefined) current = { ...current, id: current.id.replace(new RegExp(`[\\s/]*${currency}$`, 'i'), ''), currency }
    } else if (tag === '61') {
      const next = fields[index + 1]
      const entry = entryOf(field, next?.tag === '86' ? next.text : '', current.currency)
      if ('message' in entry) {
        problems.push(entry)
        continue
      }
      current.sum += (entry.out === true ? -1 : 1) * (entry.status === 'pending' ? 0 : centsOf(entry.amount ?? ''))
      if (current.id !== '' && !accounts.has(current.id)) accounts.set(current.id, { id: current.id })
      entries.push({ ...entry, ...current.id === '' ? {} : { account: current.id } })
    } else if (tag === '62F' || tag === '62M') {
      const balance = balanceIn(field.text)
      if (balance === undefined) continue
      if (current.opening !== undefined && current.opening + current.sum !== centsOf(balance.amount)) {
        problems.push({ line, message: 'The transactions do not add up to this closing balance. Something may be missing in the file.' })
      }
      const account = accounts.get(current.id)
      // a file can have one statement per day; the latest balance counts. 62M is the end of a page, not of a day
      if (account !== undefined && tag === '62F' && balance.on >= (account.balance?.on ?? '')) account.balance = { amount: balance.amount, on: balance.on }
    }
  }
  if (accounts.size === 0 && entries.length === 0) throw new StatementError('This MT940 file has neither an account nor a transaction.')
  return { signs: 'defined', entries, problems, accounts: [...accounts.values()].filter(({ id }) => id !== '') }
}
