/** Entry point of `finance-client/import`: `readStatement` converts a bank file to rows for `import_transactions`. */
import { readCamt } from './camt.ts'
import { readCsv } from './csv.ts'
import type { Reading } from './code-pages.ts'
import { decode } from './decode.ts'
import { currencyIn } from './entries.ts'
import { readOfx } from './ofx.ts'
import { readQif } from './qif.ts'
import { toRows } from './rows.ts'
import { type Format, type ReadOptions, type Statement, StatementError, type StatementRow } from './types.ts'

export { type PresetName, PRESETS } from './presets.ts'
export * from './types.ts'

/** Returns the format of a file by its first characters. */
function formatOf(text: string): Format {
  const start = text.slice(0, 4096).trimStart()
  if (/^(?:OFXHEADER|<\?OFX)|<OFX[\s>]/i.test(start)) return 'ofx'
  if (/^<!doctype html|^<html/i.test(start)) throw new StatementError('This is a web page, not the file that it offers. Download the statement itself.')
  if (start.startsWith('<')) return 'camt'
  if (/^!(?:type|account|option|clear)\b/i.test(start)) return 'qif'
  if (/^(?:\{1:|:20:)/.test(start)) throw new StatementError('This is MT940. Ask the bank for CAMT.053, which has taken its place.')
  return 'csv'
}

/**
 * Reads a file of a bank: CSV, OFX or QFX, QIF, CAMT.053.
 *
 * Detects the format, the encoding, the decimal sign and the order of dates. It never guesses: if the file proves no answer, it returns no
 * rows but a problem with the name of the option to set.
 *
 * @param file the bytes, or the decoded text
 * @param options answers of the user. They override the detection.
 * @throws StatementError if the file is no statement
 *
 * @example
 * const { rows, problems } = readStatement(await file.arrayBuffer())
 */
export function readStatement(file: Uint8Array | ArrayBuffer | string, options: ReadOptions = {}): Statement {
  if (options.currency !== undefined && currencyIn(options.currency) === undefined) throw new StatementError(`"${options.currency}" is no currency's code.`)
  const { text, encoding, open = [] } = decode(file, options.encoding)
  const format = options.format ?? (options.preset === undefined && options.columns === undefined ? formatOf(text) : 'csv')
  const head = { format, ...encoding === undefined ? {} : { encoding } }
  return open.length > 0 ? { ...head, ...encodingQuestion(text, format, options, open) } : { ...head, ...read(text, format, options) }
}

function read(text: string, format: Format, options: ReadOptions): Omit<Statement, 'format' | 'encoding'> {
  switch (format) {
    case 'csv': {
      const { preset, header, options: completed, ...parsed } = readCsv(text, options)
      return { header, ...preset === undefined ? {} : { preset }, ...toRows(parsed, completed) }
    }
    case 'ofx':
      return toRows(readOfx(text), options)
    case 'qif':
      return toRows(readQif(text), options)
    case 'camt':
      return toRows(readCamt(text), { ...options, dateOrder: 'ymd', decimal: '.' })
    default:
      throw new StatementError(`There is no format "${format as string}".`)
  }
}

/** Returns the question for the encoding, with the header line according to the best guess. */
function encodingQuestion(text: string, format: Format, options: ReadOptions, open: Reading[]): Omit<Statement, 'format' | 'encoding'> {
  let header: string[] | undefined
  try {
    header = read(text, format, options).header
  } catch (error) {
    if (!(error instanceof StatementError)) throw error
    header = error.lines[0]?.slice()
  }
  const readings = open.map(({ value, sample }) => `${value} ("${sample}")`)
  return {
    ...header === undefined ? {} : { header },
    rows: [],
    problems: [{
      line: 1,
      option: 'encoding',
      unclear: open.map(({ sample }) => sample),
      choices: open,
      message: `The letters of this file can be read in several ways. Say which encoding is right: ${readings.join(', ')}.`,
    }],
    accounts: [],
  }
}

/** Maximum number of rows in one call of `import_transactions`. */
const MAX_ROWS = 5000

/**
 * Splits rows into parts for `import_transactions`. Rows of one day stay in one part: the database recognizes two equal purchases on one day
 * only if one request contains both.
 *
 * @throws StatementError if one day has more than `max` rows
 */
export function inParts(rows: StatementRow[], max = MAX_ROWS): StatementRow[][] {
  const days = new Map<string, StatementRow[]>()
  for (const row of rows) days.set(row.transaction_date, [])
  for (const row of rows) days.get(row.transaction_date)?.push(row)
  const parts: StatementRow[][] = []
  for (const [day, ofDay] of days) {
    if (ofDay.length > max) throw new StatementError(`${day} has more than ${max} transactions.`)
    const last = parts.at(-1)
    if (last === undefined || last.length + ofDay.length > max) parts.push([...ofDay])
    else last.push(...ofDay)
  }
  return parts
}
