/**
 * The file of euro reference rates of the European Central Bank. The bank publishes one day, 90
 * days, and all days since 1999 in the same XML format. The reader accepts only that format,
 * because a wrong rate would falsify reports without a word.
 */

/** On `day` one euro was worth `rate` of `currency`, a lower-case code. */
export type PublishedRate = { day: string, currency: string, rate: string }

const head =
  /\uFEFF?\s*(?:<\?xml[^<>]*\?>\s*)?<gesmes:Envelope\s[^<>]*"http:\/\/www\.ecb\.int\/vocabulary\/2002-08-01\/eurofxref"[^<>]*>\s*<gesmes:subject>[^<>]*<\/gesmes:subject>\s*<gesmes:Sender>\s*<gesmes:name>[^<>]*<\/gesmes:name>\s*<\/gesmes:Sender>\s*<Cube>\s*/y
const dayStart = /<Cube\s+time=(["'])(\d{4}-\d\d-\d\d)\1\s*>\s*/y
const rateElement =
  /<Cube\s+currency=(["'])([A-Z]{3})\1\s+rate=(["'])(\d{1,12}(?:\.\d{1,12})?)\3\s*(?:\/>|>\s*<\/Cube>)\s*/y
const end = /<\/Cube>\s*/y
const tail = /<\/Cube>\s*<\/gesmes:Envelope>\s*$/y

/** An error for a file in another format. Its message has the line, and nothing of the file. */
export class RateFileError extends Error {
  override name = 'RateFileError'
}

const isDay = (text: string): boolean => {
  const moment = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(text)
}

/**
 * Reads the rates one by one.
 * @param text the complete file
 * @param today the current day, such as 2026-11-26; rates of days after tomorrow are refused
 * @throws RateFileError at the first place with another format, so keep no rate before the file was
 * read to its end
 */
export function* readRates(text: string, today: string): Generator<PublishedRate> {
  let at = 0
  const reject = (reason: string): never => {
    throw new RateFileError(`line ${text.slice(0, at).split('\n').length} of the rates: ${reason}`)
  }
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match !== null) at = pattern.lastIndex
    return match
  }
  if (take(head) === null) reject('this is no file of reference rates of the European Central Bank')
  const last = new Date(Date.parse(today) + 86_400_000).toISOString().slice(0, 10)
  const days = new Set<string>()
  for (let found = take(dayStart); found !== null; found = take(dayStart)) {
    const day = found[2] ?? ''
    if (!isDay(day) || day < '1999-01-01' || day > last)
      reject('the day is not between 1999 and tomorrow')
    if (days.has(day)) reject('the day is there twice')
    days.add(day)
    const currencies = new Set(['EUR'])
    for (let one = take(rateElement); one !== null; one = take(rateElement)) {
      const [, , currency = '', , rate = ''] = one
      if (currencies.has(currency)) reject('the currency is there twice')
      if (!/[1-9]/.test(rate)) reject('the rate is 0')
      currencies.add(currency)
      yield { day, currency: currency.toLowerCase(), rate }
    }
    if (currencies.size === 1) reject('the day has no rate')
    if (take(end) === null) reject('this is no rate')
  }
  if (days.size === 0) reject('the file has no day')
  if (take(tail) === null) reject('the file does not end here')
}
