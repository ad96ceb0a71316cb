/**
 * Parses the field `:86:` of MT940, in which banks describe a transaction: with German and Polish
 * subfields, with Dutch code words, with a French code before the name, or as free text.
 */
import { clean, reference } from './entries.ts'

export type Texts = {
  name: string
  description: string
  reference: string
  iban: string
  mandate: string
  kind: string
}

/** Length of a German subfield. A word that does not fit continues in the next one. */
const SUBFIELD = 27

/** Code words inside of German subfields. */
const SEPA =
  /(?:^|\s|(?<=[^A-Z]))(EREF|KREF|MREF|CRED|DEBT|COAM|OAMT|SVWZ|ABWA|ABWE|IBAN|BIC|PURP)\+/

/** Code words between slashes. */
const SLASHED =
  /\/(TRTP|TRCD|CNTP|IBAN|BIC|NAME|ADDR|REMI|EREF|KREF|PREF|MARF|CSID|ORDP|BENM|ISDT|RTRN|PURP|ULTD|ULTB|ULTC|SVCL|OCMT|EXCH|CHGS|SWOC|SWOD|INIT|ID|ACCW)\//

/** Returns the values that follow each separator, by separator. The first value of a key wins. */
function partsOf(text: string, separator: RegExp): Map<string, string> {
  const pieces = text.split(separator)
  const parts = new Map<string, string>([['', pieces[0] ?? '']])
  for (let at = 1; at < pieces.length; at += 2)
    if (!parts.has(pieces[at]!)) parts.set(pieces[at]!, clean(pieces[at + 1], 5000))
  return parts
}

/** Joins subfields. A full one ends in the middle of a word. */
const joined = (subfields: string[]) =>
  subfields.reduce(
    (whole, one, index) =>
      whole + (index > 0 && (subfields[index - 1] ?? '').length < SUBFIELD ? ' ' : '') + one,
    '',
  ).trim()

function germanTexts(text: string, separator: string): Texts {
  const fields = text.replaceAll('\n', '').split(separator).slice(1).map((field) =>
    [Number(field.slice(0, 2)), field.slice(2)] as const
  )
  const between = (from: number, to: number) =>
    fields.flatMap(([code, value]) => code >= from && code <= to ? [value] : [])
  const purpose = joined([...between(20, 29), ...between(60, 63)])
  const sepa = partsOf(purpose, SEPA)
  const account = clean(between(38, 38).join('') || between(31, 31).join(''))
  return {
    name: clean(between(32, 33).join(''), 5000) || sepa.get('ABWA') || sepa.get('ABWE') || '',
    description: sepa.size === 1
      ? clean(purpose, 5000)
      : sepa.get('SVWZ') ?? clean(sepa.get('') ?? '', 5000),
    reference: reference(sepa.get('EREF')) || reference(sepa.get('KREF')),
    iban: account || sepa.get('IBAN') || '',
    mandate: reference(sepa.get('MREF')),
    kind: clean(between(0, 0).join('')),
  }
}

function dutchTexts(text: string): Texts {
  const parts = partsOf(text.replaceAll('\n', ''), SLASHED)
  const value = (key: string) => (parts.get(key) ?? '').replace(/^\/+|\/+$/g, '')
  // account, bank, name and city of the counterparty
  const [iban = '', , name = ''] = (parts.get('CNTP') ?? '').split('/')
  const remittance = value('REMI').replace(/^USTD\/\//, '').replace(/^STRD\/(?:CUR|ISO)\//, '')
  return {
    name: value('NAME') || name,
    description: clean(remittance || value(''), 5000),
    reference: reference(value('EREF')),
    iban: value('IBAN') || iban,
    mandate: reference(value('MARF')),
    kind: value('TRTP'),
  }
}

/** The bank's code, the name of the counterparty, and the description on the next lines. */
const CODED = /^(?=[A-Z]*\d)([A-Z\d]{2,4})\?(?!\d\d)([^\n]*)\n?([^]*)$/

/** @param supplement the description in `:61:`, which some rows repeat after the name */
function frenchTexts([, kind = '', first = '', rest = '']: string[], supplement: string): Texts {
  const name = clean(first, 5000)
  const more = clean(supplement, 5000)
  const isRepeated = more !== '' && name.endsWith(` ${more}`)
  return {
    name: isRepeated ? name.slice(0, -more.length).trim() : name,
    description: clean(rest, 5000) || (isRepeated ? more : ''),
    reference: '',
    iban: '',
    mandate: '',
    kind,
  }
}

/** Returns the texts of a transaction. Free text becomes the description. */
export function labelledTexts(text: string, supplement: string): Texts {
  const [, separator] = /^(?:\d{3}(?=[^\w\s])|(?=[?~<^]))(.)\d\d/.exec(text) ?? []
  const coded = CODED.exec(text)
  if (coded !== null) return frenchTexts(coded, supplement)
  if (separator !== undefined) return germanTexts(text, separator)
  if (/^\/[A-Z]{2,4}\//.test(text) && SLASHED.test(text)) return dutchTexts(text)
  // German banks write the code of the transaction type before the text
  return {
    name: '',
    description: clean(text.replace(/^\d{3}(?=\p{Lu})/u, ''), 5000),
    reference: '',
    iban: '',
    mandate: '',
    kind: '',
  }
}
